// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include "sim/iss/mpe/execute.hpp"
#include "sim/iss/mpe/insn.hpp"

namespace swai::iss {

namespace {

constexpr uint32_t field(uint32_t bits, unsigned hi, unsigned lo) {
  return (bits >> lo) & ((2u << (hi - lo)) - 1);
}
constexpr int32_t sign_extend(uint32_t value, unsigned width) {
  return static_cast<int32_t>(value << (32 - width)) >> (32 - width);
}

int32_t immediate(Format format, uint32_t x) {
  switch (format) {
    case Format::kI:
    case Format::kLoad:
      return sign_extend(field(x, 31, 20), 12);
    case Format::kShift:
      return static_cast<int32_t>(field(x, 25, 20));
    case Format::kShiftW:
      return static_cast<int32_t>(field(x, 24, 20));
    case Format::kStore:
      return sign_extend(field(x, 31, 25) << 5 | field(x, 11, 7), 12);
    case Format::kPair:
      return static_cast<int32_t>(field(x, 26, 25) << 4);
    case Format::kBranch:
      return sign_extend(
          field(x, 31, 31) << 12 | field(x, 7, 7) << 11 | field(x, 30, 25) << 5 | field(x, 11, 8) << 1, 13);
    case Format::kU:
      return sign_extend(x & 0xffff'f000, 32);
    case Format::kJ:
      return sign_extend(
          field(x, 31, 31) << 20 | field(x, 19, 12) << 12 | field(x, 20, 20) << 11 | field(x, 30, 21) << 1,
          21);
    case Format::kCsr:
    case Format::kCsrImm:
      return static_cast<int32_t>(field(x, 31, 20));
    default:
      return 0;
  }
}

bool has_rd(Format format) {
  switch (format) {
    case Format::kNone:
    case Format::kStore:
    case Format::kBranch:
    case Format::kAddress:
    case Format::kFence:
      return false;
    default:
      return true;
  }
}

// The table's rows by major opcode (bits 6:2).
const std::vector<const InsnInfo*>& candidates(uint32_t bits) {
  static const auto kBuckets = [] {
    std::array<std::vector<const InsnInfo*>, 32> buckets;
    for (const InsnInfo& info : insn_table()) buckets[field(info.match, 6, 2)].push_back(&info);
    return buckets;
  }();
  return kBuckets[field(bits, 6, 2)];
}

}  // namespace

Insn decode(uint32_t bits) {
  const unsigned length = insn_length(bits);
  if (length == 2) bits &= 0xffff;
  const uint32_t full = length == 2 ? expand_compressed(static_cast<uint16_t>(bits)) : bits;
  for (const InsnInfo* info : candidates(full)) {
    if ((full & info->mask) != info->match) continue;
    return {{.imm = immediate(info->format, full),
             .rd = has_rd(info->format) ? static_cast<uint8_t>(field(full, 11, 7)) : uint8_t{0},
             .rs1 = static_cast<uint8_t>(field(full, 19, 15)),
             .rs2 = static_cast<uint8_t>(field(full, 24, 20)),
             .length = static_cast<uint8_t>(length)},
            info->handler,
            info,
            bits};
  }
  return {{.imm = 0, .rd = 0, .rs1 = 0, .rs2 = 0, .length = static_cast<uint8_t>(length)},
          exec::illegal,
          nullptr,
          bits};
}

}  // namespace swai::iss
