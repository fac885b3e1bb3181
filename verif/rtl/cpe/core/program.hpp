// SPDX-License-Identifier: Apache-2.0
// Random programs for the scalar core: legal instructions of all sorts, and at the end something that faults.
// They cannot run away: code only falls through, jumps forward, or loops by a counter of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/common/random.hpp"
#include "sim/iss/cpe/code.hpp"

namespace swai::cpe {

// funct7 of a command that no unit takes.
inline constexpr uint32_t kBadOperation = 0x7f;
// Window accesses with this in address bits 27:24 are refused.
inline constexpr uint32_t kRefused = 0xf;

class Program {
 public:
  // About `elements` instructions, more with loops.
  Program(verif::Random& random, unsigned elements);

  uint32_t start() const { return start_; }  // the first pc
  // The 64 bytes of code at this address; code that is not there has a cause instead.
  iss::cpe::Cause line(uint32_t address, uint8_t* bytes) const;
  // Replaces an instruction not far behind pc by another one that is as good.
  void patch(uint32_t pc);

 private:
  enum class Fix : uint8_t { kNone, kBranch, kJump, kShortBranch, kShortJump, kLow };
  struct Item {
    uint32_t bits = 0;
    uint8_t size = 4;
    Fix fix = Fix::kNone;
    bool plain = false;  // may be patched
    size_t target = 0;
    uint32_t address = 0;
  };
  struct Pending {
    size_t item;
    unsigned element;
  };

  void add(uint32_t bits) { items_.push_back({bits}); }
  void add_short(uint32_t bits) { items_.push_back({bits, 2}); }
  void set(unsigned rd, uint32_t value);
  unsigned any_register() { return static_cast<unsigned>(random_.below(32)); }
  unsigned free_register();
  static bool is_free(unsigned number);

  void sequence(unsigned elements, bool loops);
  void element(unsigned index, std::vector<Pending>& pending, bool loops);
  void jump(unsigned index, std::vector<Pending>& pending);
  void memory();
  void csr();
  void custom(uint32_t operation);
  void fault();
  uint32_t arithmetic();
  uint32_t short_arithmetic();
  void place();
  void write(const Item& item);

  verif::Random& random_;
  std::vector<Item> items_;
  std::vector<uint8_t> bytes_;
  uint32_t base_;
  uint32_t start_;
};

}  // namespace swai::cpe
