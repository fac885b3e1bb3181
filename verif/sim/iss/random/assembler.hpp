// SPDX-License-Identifier: Apache-2.0
// Writes code into a buffer: labels with fix-ups, pseudo-instructions, and compression of whatever can be
// compressed, at random.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "verif/sim/iss/random/rng.hpp"

namespace swai::random_program {

struct Label {
  uint32_t index = 0;
};

class Assembler {
 public:
  // Code starts at address `base`. Compressible instructions become compressed with `compress_percent`.
  Assembler(Rng& rng, uint64_t base, unsigned compress_percent)
      : rng_(rng), base_(base), compress_percent_(compress_percent) {}

  uint64_t pc() const { return base_ + bytes_.size(); }
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  const std::map<std::string_view, uint64_t>& mix() const { return mix_; }
  // Instructions written so far, and the number of executions that the multiplier in force gives them.
  uint64_t instructions() const { return instructions_; }
  uint64_t executions() const { return executions_; }
  uint64_t multiplier() const { return multiplier_; }
  void set_multiplier(uint64_t multiplier) { multiplier_ = multiplier; }

  void emit(uint32_t word);       // compressed perhaps
  void emit_full(uint32_t word);  // 32 bits, come what may
  void emit_half(uint16_t half);
  void data64(uint64_t value);  // not an instruction
  void align(unsigned bytes);   // with compressed no-operations
  // Leaves bytes out up to the next address that is `offset` modulo `size`. Nothing may execute them.
  void skip_to(uint64_t offset, uint64_t size);
  // Makes the next `bytes` bytes lie in one page.
  void keep_in_page(unsigned bytes);

  Label label();
  void bind(Label label);
  Label here();
  uint64_t address(Label label) const { return addresses_[label.index]; }

  // A branch word without offset. A near label is bound within 200 bytes from here.
  void branch(uint32_t word, Label to, bool near = false);
  void jal(unsigned rd, Label to, bool near = false);
  void jump(Label to, bool near = false) { jal(0, to, near); }
  // The label's address, relative to the pc: right in every alias of the code.
  void la(unsigned rd, Label of);
  void li(unsigned rd, uint64_t value);

  // Fills the offsets in. Every label used must be bound.
  void finish();

 private:
  enum class Kind : uint8_t { kBranch, kJal, kPcRelative, kShortBranch, kShortJump };
  struct Fixup {
    Kind kind;
    uint32_t at;
    Label to;
  };

  void count(std::string_view name);
  void put(uint32_t value, unsigned bytes);
  uint32_t get32(uint32_t at) const;
  void set(uint32_t at, uint32_t value, unsigned bytes);
  void apply(const Fixup& fixup);

  Rng& rng_;
  uint64_t base_;
  unsigned compress_percent_;
  std::vector<uint8_t> bytes_;
  std::vector<uint64_t> addresses_;
  std::vector<Fixup> fixups_;
  std::map<std::string_view, uint64_t> mix_;
  uint64_t instructions_ = 0;
  uint64_t executions_ = 0;
  uint64_t multiplier_ = 1;
};

}  // namespace swai::random_program
