// SPDX-License-Identifier: Apache-2.0
// The memory port of a core group: segment table, checks, code.
#pragma once

#include <cstdint>
#include <span>

#include "abi/segment.hpp"
#include "sim/iss/cpe/code.hpp"
#include "sim/iss/cpe/fault.hpp"
#include "sim/iss/cpe/memory.hpp"

namespace swai {
class Archive;
}

namespace swai::iss::cpe {

// Global memory through segments, for the engines of a CPE. Bytes lie in one line.
class Global {
 public:
  virtual ~Global() = default;
  virtual Cause read(uint16_t number, uint64_t offset, std::span<uint8_t> bytes) = 0;
  virtual Cause write(uint16_t number, uint64_t offset, std::span<const uint8_t> bytes) = 0;
  // Bytes of any number of lines, when that can be done at once. False: nothing has happened.
  virtual bool read_lines(uint16_t /*number*/, uint64_t /*offset*/, std::span<uint8_t> /*bytes*/) {
    return false;
  }
  virtual bool write_lines(uint16_t /*number*/, uint64_t /*offset*/, std::span<const uint8_t> /*bytes*/) {
    return false;
  }
};

class Port : public Global, public CodeSource {
 public:
  explicit Port(Memory& memory) : memory_(memory) {}

  void set_table(uint64_t base, uint32_t entries) {
    table_base_ = base;
    table_entries_ = entries;
  }
  void set_daemon_segment(uint16_t segment) { daemon_segment_ = segment; }
  void set_launch(uint16_t code_segment, uint16_t argument_segment, uint8_t owner) {
    code_segment_ = code_segment;
    argument_segment_ = argument_segment;
    owner_ = owner;
  }
  uint16_t daemon_segment() const { return daemon_segment_; }
  uint16_t code_segment() const { return code_segment_; }
  uint16_t argument_segment() const { return argument_segment_; }

  // Bytes that lie in one line of global memory. The checks, in this order: segment, owner, permission,
  // limit; then what memory says.
  Cause read(uint16_t number, uint64_t offset, std::span<uint8_t> bytes) override {
    return read(number, offset, bytes, Access::kRead);
  }
  Cause write(uint16_t number, uint64_t offset, std::span<const uint8_t> bytes) override;
  // Is the access legal? If so, its physical address.
  Cause translate(uint16_t number, uint64_t offset, uint64_t bytes, Access access, uint64_t& address);
  // The parts of both.
  struct Segment {
    Cause cause = Cause::kNone;  // why it cannot be used
    segment::Entry entry{};
  };
  Segment look_up(uint16_t number);
  static Cause check(const Segment& segment, uint64_t offset, uint64_t bytes, Access access,
                     uint64_t& address);
  Cause may_write_at(uint64_t address, uint64_t bytes);
  void write_at(uint64_t address, std::span<const uint8_t> bytes) { memory_.write(address, bytes); }
  Cause read_at(uint64_t address, std::span<uint8_t> bytes);
  const Memory& memory() const { return memory_; }

  Cause fetch(uint32_t address, uint8_t* line) override;
  void visit(Archive& archive);

 private:
  Cause read(uint16_t number, uint64_t offset, std::span<uint8_t> bytes, Access access);

  Memory& memory_;
  uint64_t table_base_ = 0;
  uint32_t table_entries_ = 0;
  uint16_t daemon_segment_ = 0;
  uint16_t code_segment_ = 0;
  uint16_t argument_segment_ = 0;
  uint8_t owner_ = segment::kShared;
};

}  // namespace swai::iss::cpe
