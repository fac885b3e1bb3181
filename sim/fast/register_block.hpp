// SPDX-License-Identifier: Apache-2.0
// The registers of a device as abi/card.toml describes them: reset values, what is writable, what is cleared
// by writing 1. A device adds what its registers do.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "card_regs_table.hpp"

namespace swai {
class Archive;
}

namespace swai::fast {

// An access of 1, 2, 4 or 8 aligned bytes as the register bus has it: the word, and the bits that it touches.
struct Lanes {
  uint64_t offset = 0;  // of the word
  unsigned shift = 0;   // of the value in the word
  uint64_t mask = 0;

  Lanes(uint64_t address, unsigned size);
  bool whole() const { return mask == ~uint64_t{0}; }
  uint64_t place(uint64_t value) const { return value << shift & mask; }
  uint64_t take(uint64_t word) const { return (word & mask) >> shift; }
};

// The bits of `old` that `mask` names, replaced.
constexpr uint64_t merge(uint64_t old, uint64_t value, uint64_t mask) {
  return (old & ~mask) | (value & mask);
}

class RegisterBlock {
 public:
  // Throws std::logic_error if abi/card.toml has no such device.
  explicit RegisterBlock(std::string_view device);
  virtual ~RegisterBlock() = default;
  RegisterBlock(const RegisterBlock&) = delete;
  RegisterBlock& operator=(const RegisterBlock&) = delete;

  // Accesses at an offset in the device. False: there is no such register, or the device refuses.
  bool read(uint64_t offset, unsigned size, uint64_t& value);
  bool write(uint64_t offset, unsigned size, uint64_t value);

  // Registers that survive all resets but power-on keep their values in the others.
  virtual void reset(bool power_on);
  virtual void visit(Archive& archive);

 protected:
  // The register at this offset is the first of so many, 8 bytes apart.
  void repeat(uint64_t offset, uint64_t count);

  uint64_t& at(uint64_t offset) { return registers_[index_[offset / 8]].value; }
  uint64_t at(uint64_t offset) const { return registers_[index_[offset / 8]].value; }

  // What a read gives: the stored value, unless the device knows better.
  virtual uint64_t load(uint64_t /*offset*/, uint64_t value) { return value; }
  // After a write. What is writable has been stored; `data` holds the bits of `mask`, 0 elsewhere.
  virtual void stored(uint64_t /*offset*/, uint64_t /*data*/, uint64_t /*mask*/) {}

 private:
  struct Register {
    const regs::RegisterInfo* info = nullptr;
    uint64_t value = 0;
  };
  static constexpr int kNone = -1;

  void add(const regs::RegisterInfo& info, uint64_t offset);
  Register* find(uint64_t offset);

  std::vector<Register> registers_;
  std::vector<int> index_;  // by word
};

}  // namespace swai::fast
