// SPDX-License-Identifier: Apache-2.0
// What a flash chip keeps without power: its cells and its non-volatile status bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

namespace swai::card {

// Status registers 1, 2 and 3 as they are after power-on.
struct FlashStatusBits {
  uint8_t sr1 = 0x00;
  uint8_t sr2 = 0x02;  // quad enable, as parts with ordering code IQ leave the factory
  uint8_t sr3 = 0x60;  // weakest drive strength

  bool operator==(const FlashStatusBits&) const = default;
};

// A file that cannot serve as flash contents; what() names the file, the cause and the cure.
class FlashStoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Cells in memory, as a rule with a file behind them.
//
// The file is a plain image of the chip, so any tool can read and write it while no card runs. What is told
// to wrote() reaches it at once (it survives a killed process); flush() makes it survive a crash of the
// machine. Whoever changes the file meanwhile changes nothing of the card's; one that is cut is made whole
// again with the next write. Status bits that differ from the factory's are kept beside it in FILE.status.
// The file is locked: two cards cannot share a chip.
class FlashStore {
 public:
  static constexpr size_t kMinBytes = size_t{1} << 20;
  static constexpr size_t kMaxBytes = size_t{16} << 20;

  // A power of two that a real part of the family has.
  static bool size_ok(size_t bytes);

  // Opens `path`; creates it erased, with `bytes` bytes, when there is none. `bytes` == 0: take the size of
  // the file, or kMaxBytes for a new one. Throws FlashStoreError.
  static FlashStore open(const std::string& path, size_t bytes = 0);
  // Erased cells that live as long as the object.
  static FlashStore in_memory(size_t bytes = kMaxBytes);

  FlashStore(FlashStore&& other) noexcept;
  FlashStore& operator=(FlashStore&&) = delete;
  ~FlashStore();

  std::span<uint8_t> cells() { return {cells_.get(), size_}; }
  std::span<const uint8_t> cells() const { return {cells_.get(), size_}; }
  size_t size() const { return size_; }
  // These cells have changed. Throws FlashStoreError when the file does not take them.
  void wrote(size_t address, size_t bytes);

  const FlashStatusBits& status() const { return status_; }
  // Throws FlashStoreError when the bits cannot be kept.
  void set_status(const FlashStatusBits& bits);

  // What was written goes to the disk. Throws FlashStoreError.
  void flush();

 private:
  FlashStore(std::string path, int fd, size_t bytes);

  std::string status_path() const { return path_ + ".status"; }
  void load_status();
  bool is_cut() const;
  void write_back(size_t address, size_t bytes);

  std::string path_;
  int fd_ = -1;
  size_t size_;
  struct Free {
    void operator()(uint8_t* cells) const { std::free(cells); }
  };
  std::unique_ptr<uint8_t[], Free> cells_;
  bool unwritten_ = false;  // what is not on the disk yet for all we know
  FlashStatusBits status_;
};

}  // namespace swai::card
