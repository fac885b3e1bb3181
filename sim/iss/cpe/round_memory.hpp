// SPDX-License-Identifier: Apache-2.0
// Global memory as a CPE sees it within a round: as it was when the round began, with what this CPE has
// stored since. Its stores take effect at the end of the round, one CPE's after the other's; so it does not
// matter who runs first, or at the same time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/iss/cpe/allocations.hpp"
#include "sim/iss/cpe/port.hpp"

namespace swai {
class Archive;
}

namespace swai::iss::cpe {

class RoundMemory : public Global {
 public:
  // After so many bytes a CPE had better end its round.
  static constexpr size_t kMuch = 1 << 20;

  explicit RoundMemory(Port& port) : port_(port) {}

  Cause read(uint16_t number, uint64_t offset, std::span<uint8_t> bytes) override;
  Cause write(uint16_t number, uint64_t offset, std::span<const uint8_t> bytes) override;
  bool read_lines(uint16_t number, uint64_t offset, std::span<uint8_t> bytes) override;
  bool write_lines(uint16_t number, uint64_t offset, std::span<const uint8_t> bytes) override;
  // Lets the stores of the round take effect.
  void commit();

  // Nothing but memory can be read through this segment; nobody looks where it leads to nothing.
  bool is_memory(uint16_t number) { return segment(number).is_memory; }

  // To the memory that this segment leads to.
  uint8_t hops(uint16_t number) { return segment(number).hops; }

  bool is_full() const { return bytes_.size() >= kMuch; }
  // Accesses since the beginning.
  uint64_t lines_read() const { return lines_read_; }
  uint64_t lines_written() const { return lines_written_; }
  // Between rounds.
  void visit(Archive& archive);

 private:
  // Lines one behind the other; only the last one may be a part of one, and the first, when it is alone.
  struct Store {
    uint64_t address = 0;
    uint64_t bytes = 0;
    size_t first = 0;  // in bytes_
  };

  // As the table has it in this round.
  struct Segment {
    bool known = false;
    bool is_memory = false;
    uint8_t hops = 0;
    uint16_t number = 0;
    const Allocations::Ranges* allocated = nullptr;  // null: all of it
    Port::Segment is;
  };
  static constexpr unsigned kSegments = 8;
  const Segment& segment(uint16_t number);
  Cause check(uint16_t number, uint64_t offset, uint64_t bytes, Access access, uint64_t& address);
  uint8_t* plain(uint16_t number, uint64_t offset, uint64_t bytes, Access access, uint64_t& address);
  bool has_stored(uint64_t address, uint64_t bytes) const {
    return address < highest_ && address + bytes > lowest_;
  }
  void keep(uint64_t address, std::span<const uint8_t> bytes);

  Port& port_;
  std::array<Segment, kSegments> segments_{};
  std::vector<Store> stores_;
  std::vector<uint8_t> bytes_;
  uint64_t lowest_ = ~uint64_t{0};  // of all addresses
  uint64_t highest_ = 0;            // and the one behind them
  uint64_t lines_read_ = 0;
  uint64_t lines_written_ = 0;
};

}  // namespace swai::iss::cpe
