// SPDX-License-Identifier: Apache-2.0
// A card as a host program uses it: registers, memory that both reach, interrupts, time. Works on any
// backend.
//
//   auto card = Card::open("card.sock");
//   PinnedMemory buffer = card->pin(0x10000000, 1 << 20);
//   card->write<uint32_t>(4, 0x100, 1);
//   card->run_until(~0ull, 1'000'000);
//
// Used by one thread at a time. Errors are link::Error (backend.hpp).
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "host/transport/backend.hpp"
#include "host/transport/channel.hpp"
#include "host/transport/vfio_user_backend.hpp"

namespace swai::link {

class Card;

enum class Access { kRead, kWrite, kBoth };  // what the card may do

// Memory of this process that the card reaches at a bus address. Given back when it is destroyed; must not
// outlive the card.
class PinnedMemory {
 public:
  PinnedMemory(PinnedMemory&& other) noexcept;
  PinnedMemory& operator=(PinnedMemory&&) = delete;
  ~PinnedMemory();

  Buffer bytes() const { return bytes_; }
  uint8_t* data() const { return bytes_.data(); }
  uint64_t iova() const { return iova_; }
  // Ends it now, with errors reported.
  void release();

 private:
  friend class Card;
  PinnedMemory(Backend& backend, uint64_t iova, uint64_t bytes, Access access, bool shared);

  Backend* backend_;
  uint64_t iova_;
  Buffer bytes_;
  Fd file_;
};

// The card's interrupts as descriptors that can be waited for.
class Interrupts {
 public:
  explicit Interrupts(uint32_t vectors);
  uint32_t count() const { return static_cast<uint32_t>(fds_.size()); }
  int fd(uint32_t vector) const { return fds_.at(vector).get(); }
  std::vector<int> all() const;
  // Those of the vectors that have fired since they were last taken, as bits; takes them.
  uint64_t take(uint64_t vectors = ~uint64_t{0}) const;

 private:
  std::vector<Fd> fds_;
};

class Card {
 public:
  explicit Card(std::unique_ptr<Backend> backend);
  static std::unique_ptr<Card> open(const std::string& socket_path, const VfioUserOptions& options = {});
  ~Card();
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  const Description& describe() const { return backend_->describe(); }
  Backend& backend() { return *backend_; }

  // Values of 1 to 8 bytes; `region` is a BAR's number, or kConfig.
  static constexpr unsigned kConfig = 7;
  template <typename T>
  T read(unsigned region, uint64_t offset) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    T value;
    backend_->read(region, offset, {reinterpret_cast<uint8_t*>(&value), sizeof value});
    return value;
  }
  template <typename T>
  void write(unsigned region, uint64_t offset, T value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    write_block(region, offset, {reinterpret_cast<const uint8_t*>(&value), sizeof value});
  }
  template <typename T>
  void post(unsigned region, uint64_t offset, T value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    post_block(region, offset, {reinterpret_cast<const uint8_t*>(&value), sizeof value});
  }
  void read_block(unsigned region, uint64_t offset, Buffer to) { backend_->read(region, offset, to); }
  void write_block(unsigned region, uint64_t offset, Bytes from);
  void post_block(unsigned region, uint64_t offset, Bytes from);
  // Waits until the server has taken all posts so far. kRefused with the first errno if it took one not.
  void check_posted();

  // Memory for the card at a bus address; both are multiples of 4 KiB. Not `shared`: the card's accesses come
  // as messages.
  PinnedMemory pin(uint64_t iova, uint64_t bytes, Access access = Access::kBoth, bool shared = true);

  // Interrupts signal these descriptors (of the first 64 vectors): from the first call on, in free time from
  // the beginning.
  Interrupts& interrupts();
  // Waits until one of the vectors has fired, and takes it: in deterministic time by letting time pass,
  // otherwise in real time. Returns those that have fired; 0: none in time, or the card sleeps
  // (deterministic).
  uint64_t wait_interrupt(uint64_t vectors, Milliseconds timeout, uint64_t cycles = uint64_t{1} << 40);

  void reset() { backend_->reset(); }

  // Time: see vendor_region.hpp. Cycles from now on.
  vendor::RunResult run_until(uint64_t vectors, uint64_t cycles);
  vendor::RunResult run_until_cycle(uint64_t vectors, uint64_t cycle);
  uint64_t cycle() { return read<uint64_t>(vendor::kRegion, vendor::kCycleAt); }

  // A test facility of the simulator; returns its value. kRefused with ENOTSUP: this card does not have it.
  uint64_t command(vendor::Command command, std::array<uint64_t, 4> arguments = {});

  void close() { backend_->close(); }

 private:
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Interrupts> interrupts_;
  uint64_t refused_ = 0;  // posts that check_posted() has reported
};

}  // namespace swai::link
