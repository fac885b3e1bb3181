// SPDX-License-Identifier: Apache-2.0
// Atomic memory operations, reservations, and cache-block operations.

#include "verif/sim/iss/random/builder.hpp"
#include "verif/sim/iss/random/encode.hpp"

namespace swai::random_program {
namespace {

constexpr std::array<uint32_t, 9> kAmos = {0x01, 0x00, 0x04, 0x0C, 0x08, 0x10, 0x14, 0x18, 0x1C};
constexpr uint32_t kLr = 0x02, kSc = 0x03;

uint32_t atomic(uint32_t funct5, bool wide, uint32_t order, unsigned rd, unsigned rs1, unsigned rs2) {
  return funct5 << 27 | order << 25 | (wide ? 0x302Fu : 0x202Fu) | enc::with_rd(rd) | enc::with_rs1(rs1) |
         enc::with_rs2(rs2);
}

}  // namespace

void Builder::emit_amo(Reg address, bool wide) {
  const Reg value = any_source();
  const Reg rd = any_dest();
  const auto order = static_cast<uint32_t>(rng_.below(4));
  as_.emit(atomic(rng_.pick(kAmos), wide, order, rd, address, value));
}

void Builder::item_amo() {
  const Pointer& pointer = any_pointer();
  if (pointer.attribute == Attribute::kDevice) return;
  const Hold address(*this);
  for (uint64_t n = rng_.between(1, 3); n > 0; --n) {
    const bool wide = rng_.chance(50);
    const int32_t offset = pick_offset(pointer, wide ? 8 : 4, false);
    as_.emit(enc::addi(address, pointer.reg, offset));
    emit_amo(address, wide);
    if (rng_.chance(40)) random_access(address, 30);
  }
}

// A load-reserved, something in between, and a store-conditional that may fail.
void Builder::item_lr_sc() {
  const Pointer& pointer = any_pointer();
  if (pointer.attribute == Attribute::kDevice) return;
  const Hold address(*this);
  const Hold other(*this);
  bool wide = rng_.chance(50);
  const int32_t offset = pick_offset(pointer, 8, false);
  as_.emit(enc::addi(address, pointer.reg, offset));
  // QEMU compares addresses and values where we compare lines: there only plain pairs.
  const uint64_t choice = options_.qemu ? 0 : rng_.below(9);
  const auto order = static_cast<uint32_t>(rng_.below(4));
  Reg sc_address = address;
  if (choice != 1) {
    const Reg rd = any_dest();
    as_.emit(atomic(kLr, wide, order, rd, address, 0));
  }
  switch (choice) {
    case 2: {  // another address of the line, or of another line
      const uint64_t target = pointer.value + static_cast<uint64_t>(static_cast<int64_t>(offset));
      const int64_t delta = rng_.pick({8, -8, 16, 64, -64, 4096});
      const uint64_t moved = target + static_cast<uint64_t>(delta);
      if (moved < pointer.low || moved + 8 > pointer.high || delta > 2047) break;
      as_.emit(enc::addi(other, address, static_cast<int32_t>(delta)));
      sc_address = other;
      break;
    }
    case 3:
      random_access(address, 100);
      break;
    case 4:
      wide = !wide;
      break;
    case 5:
      if (has(kTrap) && !hot()) as_.emit(enc::kEcall);  // a trap ends the reservation
      break;
    case 6:
      emit_amo(address, wide);
      break;
    case 7:
      item_load_store();
      break;
    case 8:  // so does the end of one
      item_return_to_same_mode();
      break;
    default:
      for (uint64_t n = rng_.below(4); n > 0; --n) as_.emit(random_alu_word(false));
      break;
  }
  const Reg value = any_source();
  Reg rd = any_dest();
  as_.emit(atomic(kSc, wide, order, rd, sc_address, value));
  if (!options_.qemu && rng_.chance(30)) {  // the reservation is gone
    rd = any_dest();
    as_.emit(atomic(kSc, wide, order, rd, sc_address, value));
  }
  if (rng_.chance(40)) emit_access(address, 0, 3, false);
}

// Clean, flush, zero and invalidate anywhere, also lines that are dirty.
void Builder::item_cbo() {
  const Pointer& pointer = any_pointer();
  if (pointer.attribute != Attribute::kCached || (hot() && !cbo_allowed())) return;
  const Hold address(*this);
  const int32_t offset = pick_offset(pointer, 8, true);
  as_.emit(enc::addi(address, pointer.reg, offset));
  if (rng_.chance(60)) random_access(address, 70);
  const bool zeroes = !options_.qemu && (!hot() || cbo_allowed(envcfg::kCbze));
  switch (rng_.below(zeroes ? 5 : 3)) {
    case 0:
      as_.emit(enc::cbo(enc::kCboClean, address));
      break;
    case 1:
      as_.emit(enc::cbo(enc::kCboFlush, address));
      break;
    case 3:
    case 4:
      as_.emit(enc::cbo(enc::kCboZero, address));
      break;
    default:
      if (rng_.chance(30)) as_.emit(enc::cbo(enc::kCboFlush, address));
      as_.emit(enc::cbo(enc::kCboInval, address));
      break;
  }
  if (rng_.chance(60)) random_access(address, 30);
}

// A line goes from cached to uncached use and back, as memory does that is shared with a device.
void Builder::item_handoff() {
  if (!can_use(Attribute::kUncached) || depth_ > 1) return;
  const Hold cached(*this);
  const Hold uncached(*this);
  const uint64_t line = kHandoffOffset + rng_.below(kPage / kLine) * kLine;
  load_value(cached, data_window(Attribute::kCached) + line);
  load_value(uncached, data_window(Attribute::kUncached) + line);
  // Should cbo be illegal here, nothing may be written through either alias.
  const auto touch = [&](Reg base, bool store) {
    const auto log_size = static_cast<unsigned>(rng_.below(4));
    const auto offset = static_cast<int32_t>(rng_.below(kLine) >> log_size << log_size);
    emit_access(base, offset, log_size, store);
  };
  const bool allowed = cbo_allowed();
  for (uint64_t n = rng_.between(1, 3); n > 0; --n) touch(cached, allowed && rng_.chance(60));
  as_.emit(enc::cbo(enc::kCboFlush, cached));
  if (!allowed) return;
  as_.emit(enc::kFence);
  for (uint64_t n = rng_.between(1, 4); n > 0; --n) touch(uncached, rng_.chance(60));
  as_.emit(enc::kFence);
  if (rng_.chance(50)) as_.emit(enc::cbo(enc::kCboInval, cached));
  for (uint64_t n = rng_.between(1, 3); n > 0; --n) touch(cached, rng_.chance(50));
  // Left as it was found: not in the cache.
  as_.emit(enc::cbo(enc::kCboFlush, cached));
}

}  // namespace swai::random_program
