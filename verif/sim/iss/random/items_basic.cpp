// SPDX-License-Identifier: Apache-2.0
// Integer instructions, loads and stores.

#include <algorithm>
#include <array>

#include "verif/sim/iss/random/builder.hpp"
#include "verif/sim/iss/random/encode.hpp"

namespace swai::random_program {
namespace {

constexpr std::array<uint32_t, 7> kLoads = {0x0003, 0x1003, 0x2003, 0x3003, 0x4003, 0x5003, 0x6003};
constexpr std::array<uint32_t, 4> kStores = {0x0023, 0x1023, 0x2023, 0x3023};
// Integer instructions that have a compressed form: addi, slli, srli, srai, andi, addiw, lui, add, sub, xor,
// or, and, addw, subw.
constexpr std::array<uint32_t, 14> kCompressible = {0x0013, 0x1013, 0x5013, 0x4000'5013, 0x7013,
                                                    0x001B, 0x0037, 0x0033, 0x4000'0033, 0x4033,
                                                    0x6033, 0x7033, 0x003B, 0x4000'003B};

}  // namespace

// Any integer instruction. Without `with_pc`, one that does the same wherever it stands.
uint32_t Builder::random_alu_word(bool with_pc) {
  const Insn* insn = alu_insns_[rng_.below(alu_insns_.size())];
  while (!with_pc && insn->match == 0x17) insn = alu_insns_[rng_.below(alu_insns_.size())];
  Reg rs1 = any_source();
  Reg rs2 = any_source();
  Reg rd = any_dest();
  const bool compressible = rng_.chance(40);
  if (compressible) {
    if (rng_.chance(70)) insn = find_insn(rng_.pick(kCompressible));
    if (rng_.chance(70)) {
      rd = short_register(true);
      rs2 = short_register(false);
    }
    rs1 = rd;
  }
  if (!is_free(rd)) rs1 = any_source();
  const bool small = compressible || rng_.chance(50);
  const auto imm = static_cast<int32_t>(small ? rng_.between(-32, 31) : rng_.between(-2048, 2047));
  switch (insn->format) {
    case Format::kU: {
      const int64_t near = rng_.between(-32, 31);
      const uint64_t top = rng_.chance(50) ? static_cast<uint64_t>(near) : rng_.next();
      return insn->match | enc::with_rd(rd) | static_cast<uint32_t>(top) << 12;
    }
    case Format::kI:
      return enc::i(insn->match, rd, rs1, imm);
    case Format::kShift6:
      return enc::i(insn->match, rd, rs1, imm & 63);
    case Format::kShift5:
      return enc::i(insn->match, rd, rs1, imm & 31);
    case Format::kUnary:
      return enc::i(insn->match, rd, rs1, 0);
    default:
      return enc::r(insn->match, rd, rs1, rs2);
  }
}

void Builder::item_alu() {
  for (uint64_t n = rng_.between(1, 4); n > 0; --n) as_.emit(random_alu_word(true));
}

// New material for the others.
void Builder::item_value() {
  const Reg rd = any_dest();
  const uint64_t value = rng_.interesting();
  if (rd != 0) load_value(rd, value);
}

// Each result is the operand of the next instruction.
void Builder::item_chain() {
  Reg rd = any_dest();
  if (rd == 0) rd = free_register();
  for (uint64_t n = rng_.between(3, 10); n > 0; --n) {
    uint32_t word = random_alu_word(false);
    const Reg next = free_register();
    word = (word & ~(31u << 15) & ~(31u << 7)) | enc::with_rs1(rd) | enc::with_rd(next);
    if (find_insn(word) == nullptr || find_insn(word)->format == Format::kU) continue;
    rd = next;
    as_.emit(word);
  }
  last_dest_ = rd;
}

void Builder::item_muldiv() {
  static constexpr std::array<uint32_t, 13> kOperations = {
      0x0200'0033, 0x0200'1033, 0x0200'2033, 0x0200'3033, 0x0200'4033, 0x0200'5033, 0x0200'6033,
      0x0200'7033, 0x0200'003B, 0x0200'403B, 0x0200'503B, 0x0200'603B, 0x0200'703B};
  if (rng_.chance(40)) item_value();
  for (uint64_t n = rng_.between(1, 5); n > 0; --n) {
    const Reg rs1 = any_source();
    const Reg rs2 = any_source();
    const Reg rd = any_dest();
    as_.emit(enc::r(rng_.pick(kOperations), rd, rs1, rs2));
    if (rng_.chance(20)) item_alu();
  }
}

void Builder::emit_access(Reg base, int32_t offset, unsigned log_size, bool store) {
  if (store) {
    const Reg value = any_source();
    as_.emit(enc::s(kStores[log_size], value, base, offset));
    return;
  }
  const bool is_unsigned = log_size < 3 && rng_.chance(50);
  const Reg rd = any_dest();
  as_.emit(enc::i(kLoads[log_size + (is_unsigned ? 4 : 0)], rd, base, offset));
}

// Of any size, at the very address.
void Builder::random_access(Reg base, unsigned store_percent) {
  const auto log_size = static_cast<unsigned>(rng_.below(4));
  const bool store = rng_.chance(store_percent);
  emit_access(base, 0, log_size, store);
}

// An offset at which an access of so many bytes is allowed.
int32_t Builder::pick_offset(const Pointer& pointer, unsigned bytes, bool may_misalign) {
  const auto low = std::max<int64_t>(-2048, static_cast<int64_t>(pointer.low - pointer.value));
  const auto high = std::min<int64_t>(2047, static_cast<int64_t>(pointer.high - pointer.value - bytes));
  const bool aligned = !may_misalign || pointer.attribute == Attribute::kDevice || rng_.chance(80);
  for (unsigned tries = 0; tries < 8; ++tries) {
    int64_t offset = rng_.between(low, high);
    if (rng_.chance(50)) offset = rng_.between(std::max<int64_t>(low, 0), std::min<int64_t>(high, 255));
    if (!aligned) return static_cast<int32_t>(offset);
    offset -= static_cast<int64_t>((pointer.value + static_cast<uint64_t>(offset)) % bytes);
    if (offset >= low) return static_cast<int32_t>(offset);
  }
  return 0 - static_cast<int32_t>(pointer.value % bytes);
}

void Builder::item_load_store() {
  const Pointer& pointer = any_pointer();
  if (rng_.chance(30)) return item_compressed_access(pointer);
  for (uint64_t n = rng_.between(1, 4); n > 0; --n) {
    const auto log_size = static_cast<unsigned>(rng_.below(4));
    const bool store = rng_.chance(45);
    const int32_t offset = pick_offset(pointer, 1u << log_size, true);
    emit_access(pointer.reg, offset, log_size, store);
    if (!store && rng_.chance(40)) as_.emit(random_alu_word(true));  // a use of what was loaded
  }
}

// Pairs of registers to the 64 bytes from an aligned address on, among other stores and loads there.
void Builder::item_pair() {
  const Pointer& pointer = any_pointer();
  const uint64_t at = (pointer.value + 15) / 16 * 16;
  // QEMU 7.2 does not know the instruction; devices do not take it.
  if (options_.qemu || pointer.attribute == Attribute::kDevice || at + 64 > pointer.high)
    return item_load_store();
  const Hold base(*this);
  as_.emit(enc::addi(base, pointer.reg, static_cast<int32_t>(at - pointer.value)));
  for (uint64_t n = rng_.between(1, 8); n > 0; --n) {
    if (rng_.chance(30)) {
      const auto log_size = static_cast<unsigned>(rng_.below(4));
      const bool store = rng_.chance(40);
      emit_access(base, static_cast<int32_t>(rng_.below(64 - 8)), log_size, store);
    } else {
      emit_pair(base, static_cast<uint32_t>(rng_.below(4)));
    }
  }
}

void Builder::emit_pair(Reg base, uint32_t pair) {
  const Reg low = any_source();
  const Reg high = any_source();
  as_.emit(enc::sdd(low, high, base, pair));
}

// Words and doublewords close above the base, from and to the registers that compressed instructions can
// name.
void Builder::item_compressed_access(const Pointer& pointer) {
  for (uint64_t n = rng_.between(1, 4); n > 0; --n) {
    const auto log_size = static_cast<unsigned>(rng_.between(2, 3));
    const auto offset = static_cast<int32_t>(rng_.below(32) << log_size);
    const uint64_t at = pointer.value + static_cast<uint64_t>(offset);
    if (at + 8 > pointer.high) continue;
    if (pointer.attribute == Attribute::kDevice && at % 8 != 0) continue;
    const Reg reg = short_register(true);
    if (rng_.chance(50)) {
      as_.emit(enc::i(kLoads[log_size], reg, pointer.reg, offset));
      last_dest_ = reg;
    } else {
      as_.emit(enc::s(kStores[log_size], reg, pointer.reg, offset));
    }
  }
}

// An address that depends on data.
void Builder::item_indexed() {
  const Pointer& pointer = any_pointer();
  const Hold index(*this);
  constexpr int32_t kMask = 0x3F8;
  if (pointer.high - pointer.value < 8 * (kMask + 8) + 8) return;
  const Reg source = any_source();
  const bool device = pointer.attribute == Attribute::kDevice;
  if (device && pointer.value % 8 != 0) return;
  as_.emit(enc::andi(index, source, device ? kMask : kMask + static_cast<int32_t>(rng_.below(8))));
  switch (rng_.below(3)) {
    case 0:
      as_.emit(enc::sh3add(index, index, pointer.reg));
      break;
    case 1:
      as_.emit(enc::r(0x2000'2033, index, index, pointer.reg));
      break;
    default:
      as_.emit(enc::add(index, index, pointer.reg));
      break;
  }
  for (uint64_t n = rng_.between(1, 3); n > 0; --n) random_access(index, 45);
}

// Stores followed by loads of other sizes over the same bytes.
void Builder::item_overlap() {
  const Pointer& pointer = any_pointer();
  const bool device = pointer.attribute == Attribute::kDevice;
  const int32_t centre = pick_offset(pointer, 8, true);
  for (uint64_t n = rng_.between(3, 9); n > 0; --n) {
    const auto log_size = static_cast<unsigned>(rng_.below(4));
    auto offset = static_cast<int32_t>(centre + rng_.between(-9, 9));
    const int64_t align = device ? int64_t{1} << log_size : 1;
    offset -= static_cast<int32_t>((pointer.value + static_cast<uint64_t>(static_cast<int64_t>(offset))) %
                                   static_cast<uint64_t>(align));
    const uint64_t at = pointer.value + static_cast<uint64_t>(static_cast<int64_t>(offset));
    if (offset < -2048 || offset > 2047 || at < pointer.low || at + 8 > pointer.high) continue;
    const bool store = rng_.chance(55);
    emit_access(pointer.reg, offset, log_size, store);
    if (rng_.chance(15)) item_alu();
  }
}

// Many lines of one cache set: evictions and write-backs.
void Builder::item_conflict() {
  const Hold at(*this);
  const Hold step(*this);
  const uint64_t stride =
      rng_.pick({uint64_t{1024}, uint64_t{2048}, uint64_t{4096}, uint64_t{4096}, uint64_t{8192}});
  const uint64_t count = std::min<uint64_t>(rng_.between(4, 14), kPlayBytes / stride - 1);
  const uint64_t start = rng_.below(kPlayBytes - count * stride - 16);
  const uint64_t aligned = rng_.chance(70) ? start / 8 * 8 : start;
  load_value(at, data_window(Attribute::kCached) + kPlayOffset + aligned);
  as_.li(step, stride);
  for (uint64_t i = 0; i < count; ++i) {
    for (uint64_t n = rng_.between(1, 2); n > 0; --n) {
      const auto log_size = static_cast<unsigned>(rng_.below(4));
      const auto offset = static_cast<int32_t>(rng_.below(9));
      const bool store = rng_.chance(50);
      emit_access(at, (aligned == start ? 0 : offset), log_size, store);
    }
    as_.emit(enc::add(at, at, step));
  }
}

void Builder::item_constant_load() {
  const auto log_size = static_cast<unsigned>(rng_.between(2, 3));
  const auto offset = static_cast<int32_t>(rng_.between(-256, 255) * 8);
  emit_access(constants_, offset, log_size, false);
}

// A value, made of immediates or out of the page of constants. Not between the writing of a CSR that traps
// depend on and its use.
void Builder::load_value(Reg rd, uint64_t value) {
  const bool small = static_cast<int64_t>(value) >= -2048 && static_cast<int64_t>(value) < 2048;
  if (small || pool_.size() == kPoolEntries || rng_.chance(30)) return as_.li(rd, value);
  as_.emit(enc::ld(rd, constants_, static_cast<int32_t>(8 * pool_.size())));
  pool_.push_back(value);
}

// Instructions that do nothing: compressed and other hints, no-operations.
void Builder::item_hint() {
  const auto bits = static_cast<uint32_t>(rng_.next());
  const uint32_t imm = bits & 31;
  const uint32_t reg = bits >> 5 & 31;
  switch (rng_.below(8)) {
    case 0:
      as_.emit_half(static_cast<uint16_t>(0x0001 | imm << 2 | (bits >> 10 & 1) << 12));  // c.nop
      break;
    case 1:
      as_.emit_half(static_cast<uint16_t>(0x4001 | imm << 2));  // c.li x0
      break;
    case 2:
      as_.emit_half(static_cast<uint16_t>(0x6001 | (imm | 1) << 2));  // c.lui x0
      break;
    case 3:
      as_.emit_half(
          static_cast<uint16_t>(0x8002 | (reg | 1) << 2 | (bits >> 10 & 1) << 12));  // c.mv, c.add x0
      break;
    case 4:
      as_.emit_half(static_cast<uint16_t>(0x0002 | imm << 2));  // c.slli x0
      break;
    case 5:
      as_.emit_half(static_cast<uint16_t>(0x8001 | (reg & 7) << 7 | (bits >> 10 & 1) << 10));  // shifts by 0
      break;
    case 6:
      as_.emit_full(enc::ori(0, reg, static_cast<int32_t>(bits) >> 20));  // prefetches among them
      break;
    default:
      as_.emit_full(enc::kNop);
      break;
  }
}

// Goes on at the very end of a page, with an instruction that may reach into the next one.
void Builder::item_page_end() {
  const Label there = as_.label();
  as_.jump(there);
  as_.skip_to(kPage - 2 * rng_.below(4), kPage);
  as_.bind(there);
  if (rng_.chance(70)) as_.emit_full(random_alu_word(true));
  simple_item();
}

void Builder::item_fence() {
  switch (rng_.below(5)) {
    case 0:
      as_.emit_full(0x8330'000F);  // fence.tso
      break;
    case 1:
      as_.emit_full(0x0100'000F);  // pause
      break;
    case 2:
      if (has(kModify)) {
        as_.emit_full(enc::kFenceI);
        break;
      }
      [[fallthrough]];
    default: {
      const auto sets = static_cast<uint32_t>(rng_.below(256));
      as_.emit_full(0x0F | sets << 20);
      break;
    }
  }
}

}  // namespace swai::random_program
