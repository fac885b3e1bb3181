// SPDX-License-Identifier: Apache-2.0
// Random RV64 programs for the management core: a memory image that runs from reset to a write of `tohost`
// through all instructions, modes, traps, translations and caches that the core has, and that always ends.
// docs/verify/management-core.md describes what they contain.
//
//   Options options;
//   options.length = 5000;
//   const Program program = generate(seed, options);
//   memcpy(ram_at(program.base), program.image.data(), program.image.size()); start at program.entry;
//   run until the program writes tohost: 1 is success.
//
// The same seed and options give the same program, bit for bit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swai::random_program {

// What programs may consist of. Integer instructions, loads and stores are always there.
enum Kind : uint32_t {
  kAtomic = 1 << 0,    // LR, SC, AMOs
  kControl = 1 << 1,   // branches, loops, calls, indirect jumps
  kTrap = 1 << 2,      // ecall, ebreak, illegal instructions
  kFault = 1 << 3,     // misaligned, access and page faults
  kCsr = 1 << 4,       // reads and writes of CSRs
  kMode = 1 << 5,      // supervisor and user mode, delegation, address translation
  kPaging = 1 << 6,    // changes of page tables and of satp
  kModify = 1 << 7,    // self-modifying code
  kCache = 1 << 8,     // cbo.*
  kUncached = 1 << 9,  // non-cacheable and IO pages (Svpbmt)
  kInterrupt = 1 << 10,
  kCounter = 1 << 11,  // reads of counters and of the time, whose values nobody can predict
  kTimer = 1 << 12,    // uses the timer at 0x0200'0000
  kAllKinds = (1 << 13) - 1
};
std::string_view kind_name(Kind kind);
// One name, or several separated by commas; "-name" takes a kind away. Nothing if a name is unknown.
std::optional<uint32_t> parse_kinds(std::string_view text);

struct Options {
  uint32_t length = 2000;  // random instructions in memory; up to kMaxLength
  uint32_t kinds = kAllKinds;
  // Only what QEMU 7.2 does exactly as we do. The program prints digests of its final state on the console at
  // 0x1000'0000, and switches QEMU off in the end.
  bool qemu = false;
};
inline constexpr uint32_t kMaxLength = 200'000;

struct Program {
  uint64_t seed = 0;
  uint64_t base = 0;
  std::vector<uint8_t> image;
  uint64_t entry = 0;
  uint64_t nmi_entry = 0;  // a non-maskable interrupt ends the program, successfully
  uint64_t tohost = 0;
  uint64_t begin_signature = 0;
  uint64_t end_signature = 0;
  // Without interrupts from outside, about how many instructions will be executed, and what cannot be
  // exceeded.
  uint64_t expected_instructions = 0;
  uint64_t max_instructions = 0;
  std::map<std::string, uint64_t> mix;  // instructions in memory by mnemonic
  std::map<std::string, uint64_t> symbols() const;
};

Program generate(uint64_t seed, const Options& options);

// The program as an ELF file.
std::vector<uint8_t> to_elf(const Program& program);

}  // namespace swai::random_program
