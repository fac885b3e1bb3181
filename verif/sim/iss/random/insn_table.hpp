// SPDX-License-Identifier: Apache-2.0
// Every 32-bit instruction of RV64IMA_Zba_Zbb_Zicsr_Zifencei_Zicbom_Zicboz and th.sdd with its encoding: the
// generator picks from it, names what it made, and knows by it which words are illegal. Written from the
// specification, independently of the reference model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace swai::random_program {

enum class Format : uint8_t {
  kR,
  kI,
  kShift6,
  kShift5,
  kUnary,
  kU,
  kLoad,
  kStore,
  kPair,
  kBranch,
  kJal,
  kJalr,
  kAmo,
  kLr,
  kCsr,
  kCsrImm,
  kCbo,
  kFence,
  kSfence,
  kFixed
};

enum class Group : uint8_t {
  kAlu,
  kMulDiv,
  kBitmanip,
  kLoad,
  kStore,
  kBranch,
  kJump,
  kAmo,
  kLrSc,
  kCsr,
  kFence,
  kCbo,
  kSystem
};

struct Insn {
  std::string_view name;
  uint32_t match;
  uint32_t mask;
  Format format;
  Group group;
};

std::span<const Insn> insn_table();
// The instruction that a 32-bit word encodes, or null.
const Insn* find_insn(uint32_t word);

// The 32-bit equivalent of a compressed instruction (hints included); nothing if it is illegal.
std::optional<uint32_t> expand(uint16_t half);
// A compressed equivalent, if there is one.
std::optional<uint16_t> compress(uint32_t word);
// Name of a legal compressed instruction.
std::string_view compressed_name(uint16_t half);

enum class Legality : uint8_t {
  kIllegal,      // in every mode and state
  kLegal,        // in some mode at least
  kUnspecified,  // the specification lets implementations ignore fields; not worth generating
};
Legality legality(uint32_t word);

}  // namespace swai::random_program
