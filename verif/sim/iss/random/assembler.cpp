// SPDX-License-Identifier: Apache-2.0
#include "verif/sim/iss/random/assembler.hpp"

#include <stdexcept>
#include <string>

#include "verif/sim/iss/random/encode.hpp"
#include "verif/sim/iss/random/insn_table.hpp"

namespace swai::random_program {
namespace {

constexpr uint64_t kUnbound = ~uint64_t{0};
constexpr uint16_t kCompressedNop = 0x0001;
constexpr unsigned kPageBytes = 4096;

bool is_short(unsigned reg) { return reg >= 8 && reg < 16; }

}  // namespace

void Assembler::put(uint32_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) bytes_.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

uint32_t Assembler::get32(uint32_t at) const {
  uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value |= static_cast<uint32_t>(bytes_[at + i]) << (8 * i);
  return value;
}

void Assembler::set(uint32_t at, uint32_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) bytes_[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

void Assembler::count(std::string_view name) {
  ++mix_[name];
  ++instructions_;
  executions_ += multiplier_;
}

void Assembler::emit_full(uint32_t word) {
  const Insn* insn = find_insn(word);
  count(insn != nullptr ? insn->name : "illegal");
  put(word, 4);
}

void Assembler::emit_half(uint16_t half) {
  count(expand(half) ? compressed_name(half) : "c.illegal");
  put(half, 2);
}

void Assembler::emit(uint32_t word) {
  if (const auto half = compress(word); half && rng_.chance(compress_percent_)) {
    emit_half(*half);
  } else {
    emit_full(word);
  }
}

void Assembler::data64(uint64_t value) {
  put(static_cast<uint32_t>(value), 4);
  put(static_cast<uint32_t>(value >> 32), 4);
}

void Assembler::align(unsigned bytes) {
  while (pc() % bytes != 0) emit_half(kCompressedNop);
}

void Assembler::skip_to(uint64_t offset, uint64_t size) {
  bytes_.resize(bytes_.size() + (offset - pc()) % size);
}

void Assembler::keep_in_page(unsigned bytes) {
  if (pc() % kPageBytes + bytes > kPageBytes) align(kPageBytes);
}

Label Assembler::label() {
  addresses_.push_back(kUnbound);
  return {static_cast<uint32_t>(addresses_.size() - 1)};
}

void Assembler::bind(Label label) { addresses_[label.index] = pc(); }

Label Assembler::here() {
  const Label result = label();
  bind(result);
  return result;
}

void Assembler::branch(uint32_t word, Label to, bool near) {
  const auto at = static_cast<uint32_t>(bytes_.size());
  if (address(to) != kUnbound) {
    emit(word | enc::imm_b(static_cast<int32_t>(address(to) - pc())));
    return;
  }
  const unsigned rs1 = word >> 15 & 31;
  const unsigned funct3 = word >> 12 & 7;
  const bool zero = (word >> 20 & 31) == 0;
  if (near && funct3 < 2 && zero && is_short(rs1) && rng_.chance(compress_percent_)) {
    fixups_.push_back({Kind::kShortBranch, at, to});
    emit_half(static_cast<uint16_t>((funct3 == 0 ? 0xC001 : 0xE001) | (rs1 - 8) << 7));
    return;
  }
  fixups_.push_back({Kind::kBranch, at, to});
  emit_full(word);
}

void Assembler::jal(unsigned rd, Label to, bool near) {
  const auto at = static_cast<uint32_t>(bytes_.size());
  const uint32_t word = 0x6F | enc::with_rd(rd);
  if (address(to) != kUnbound) {
    emit(word | enc::imm_j(static_cast<int32_t>(address(to) - pc())));
    return;
  }
  if (near && rd == 0 && rng_.chance(compress_percent_)) {
    fixups_.push_back({Kind::kShortJump, at, to});
    emit_half(0xA001);
    return;
  }
  fixups_.push_back({Kind::kJal, at, to});
  emit_full(word);
}

void Assembler::la(unsigned rd, Label of) {
  fixups_.push_back({Kind::kPcRelative, static_cast<uint32_t>(bytes_.size()), of});
  emit_full(enc::auipc(rd, 0));
  emit_full(enc::addi(rd, rd, 0));
}

void Assembler::li(unsigned rd, uint64_t value) {
  const auto as_signed = static_cast<int64_t>(value);
  const int32_t low = static_cast<int32_t>(value << 52 >> 32) >> 20;
  if (as_signed >= -2048 && as_signed < 2048) {
    emit(enc::addi(rd, 0, low));
    return;
  }
  if (as_signed == static_cast<int32_t>(value)) {
    emit(enc::lui(rd, static_cast<uint32_t>((value + 0x800) >> 12) & 0xF'FFFF));
    if (low != 0) emit(enc::addiw(rd, rd, low));
    return;
  }
  uint64_t rest = value - static_cast<uint64_t>(static_cast<int64_t>(low));
  unsigned shift = 0;
  while ((rest >> shift & 1) == 0) ++shift;
  li(rd, static_cast<uint64_t>(static_cast<int64_t>(rest) >> shift));
  emit(enc::slli(rd, rd, static_cast<int32_t>(shift)));
  if (low != 0) emit(enc::addi(rd, rd, low));
}

void Assembler::apply(const Fixup& fixup) {
  const uint64_t target = address(fixup.to);
  if (target == kUnbound) throw std::logic_error("random program: a label is used but not bound");
  const auto offset = static_cast<int64_t>(target - (base_ + fixup.at));
  const auto check = [&](int64_t limit) {
    if (offset < -limit || offset >= limit) {
      throw std::logic_error("random program: a jump over " + std::to_string(offset) +
                             " bytes is out of reach");
    }
  };
  const auto u = static_cast<uint32_t>(offset);
  switch (fixup.kind) {
    case Kind::kBranch:
      check(4096);
      set(fixup.at, get32(fixup.at) | enc::imm_b(static_cast<int32_t>(offset)), 4);
      break;
    case Kind::kJal:
      check(1 << 20);
      set(fixup.at, get32(fixup.at) | enc::imm_j(static_cast<int32_t>(offset)), 4);
      break;
    case Kind::kPcRelative:
      set(fixup.at, get32(fixup.at) | ((u + 0x800) & 0xFFFF'F000), 4);
      set(fixup.at + 4, get32(fixup.at + 4) | u << 20, 4);
      break;
    case Kind::kShortBranch: {
      check(256);
      const uint32_t word = *expand(static_cast<uint16_t>(get32(fixup.at)));
      set(fixup.at, *compress((word & ~enc::imm_b(-2)) | enc::imm_b(static_cast<int32_t>(offset))), 2);
      break;
    }
    case Kind::kShortJump:
      check(2048);
      set(fixup.at, *compress(0x6F | enc::imm_j(static_cast<int32_t>(offset))), 2);
      break;
  }
}

void Assembler::finish() {
  bytes_.resize(bytes_.size() + 4);  // so that words can be read at the end
  for (const Fixup& fixup : fixups_) apply(fixup);
  bytes_.resize(bytes_.size() - 4);
}

}  // namespace swai::random_program
