// SPDX-License-Identifier: Apache-2.0
// Exceptions of every kind. The handlers log them and go on behind the instruction, except after a fault on
// a fetch: then at the place that the register `recover_` holds.

#include "verif/sim/iss/random/builder.hpp"
#include "verif/sim/iss/random/encode.hpp"

namespace swai::random_program {
namespace {

constexpr uint64_t kVacant = 0x1'0000'0000;  // physical
constexpr uint64_t kClint = 0x0200'0000;
constexpr uint64_t kNotCanonical = 0x0000'0040'0000'0000;

uint32_t atomic_word(uint32_t funct5, bool wide, unsigned rd, unsigned rs1, unsigned rs2) {
  return funct5 << 27 | (wide ? 0x302Fu : 0x202Fu) | enc::with_rd(rd) | enc::with_rs1(rs1) |
         enc::with_rs2(rs2);
}

}  // namespace

void Builder::item_trap() {
  switch (rng_.below(3)) {
    case 0:
      as_.emit(enc::kEcall);
      break;
    case 1:
      as_.emit_full(enc::kEbreak);
      break;
    default:
      as_.emit_half(0x9002);
      break;
  }
}

// Something that is illegal in every mode: noise, or an instruction with a wrong bit.
uint32_t Builder::random_illegal_word() {
  for (;;) {
    auto word = static_cast<uint32_t>(rng_.next());
    switch (rng_.below(4)) {
      case 0:
        word |= 3;
        break;
      case 1:
        word &= 0xFFFF;
        if ((word & 3) == 3) continue;
        break;
      default: {
        const Insn insn = insn_table()[rng_.below(insn_table().size())];
        word = insn.match | (word & ~insn.mask);
        word ^= 1u << rng_.below(32);
        break;
      }
    }
    if ((word & 3) != 3) word &= 0xFFFF;
    if (legality(word) != Legality::kIllegal) continue;
    // QEMU has CSRs and hints that we do not have; its privileged instructions decode other fields.
    if (options_.qemu && ((word & 0x7F) == 0x73 || (word & 0x7F) == 0x0F)) continue;
    return word;
  }
}

void Builder::item_illegal() {
  const uint32_t word = random_illegal_word();
  if ((word & 3) == 3) {
    as_.emit_full(word);
  } else {
    as_.emit_half(static_cast<uint16_t>(word));
  }
}

// Legal in another mode or state.
void Builder::item_forbidden() {
  const bool user = mode_.privilege == Privilege::kUser;
  if (mode_.privilege == Privilege::kMachine) return item_illegal();
  std::vector<uint32_t> words = {enc::kMret};
  if (user || (traps_ & status::kTsr) != 0) words.push_back(enc::kSret);
  if (user || (traps_ & status::kTw) != 0) words.push_back(enc::kWfi);
  const Reg a = any_source();
  const Reg b = any_source();
  if (user || (traps_ & status::kTvm) != 0) {
    const Reg rd = any_dest();
    words.push_back(enc::sfence_vma(a, b));
    words.push_back(enc::csrr(rd, csr::kSatp));
    words.push_back(enc::csrrw(rd, csr::kSatp, a));
  }
  const Reg rd = any_dest();
  const uint32_t machine = rng_.pick({csr::kMstatus, csr::kMtvec, csr::kMscratch, csr::kMie});
  words.push_back(enc::csrrw(rd, machine, a));
  words.push_back(enc::csrrsi(rd, machine, b));
  if (user) words.push_back(enc::csrrc(rd, rng_.pick({csr::kSstatus, csr::kSepc, csr::kStvec}), a));
  as_.emit(rng_.pick(words));
}

// Beyond the physical addresses.
uint64_t Builder::too_high_address() {
  const uint64_t bit = uint64_t{1} << rng_.between(40, 63);
  return rng_.next() | bit;
}

// An address for loads and stores that is likely to fault and harmless if it does not.
uint64_t Builder::bad_data_address() {
  const uint64_t low_bits = rng_.below(kPage);
  if (!mode_.translated) {
    // QEMU splits misaligned accesses to nowhere before they fault.
    if (options_.qemu) return (kVacant + rng_.below(0x8000'0000)) & ~uint64_t{7};
    switch (rng_.below(5)) {
      case 0:
        return kVacant + low_bits;
      case 1:
        return kVacant + rng_.below(0x8000'0000);
      case 2:
        return too_high_address();
      case 3:
        return 0x2000'0000 + rng_.below(0x5000'0000);
      default:
        return low_bits;
    }
  }
  const uint64_t choice = rng_.below(100);
  if (choice < 80) {
    // A zoo page, in the middle or where the next one begins.
    const std::vector<ZooPage>& zoo = tables_.zoo();
    const ZooPage page = zoo[rng_.below(zoo.size())];
    const uint64_t bytes = page.data_end - page.data_begin;
    uint64_t offset = rng_.below(bytes - 8);
    if (rng_.chance(50)) offset = offset / 8 * 8;
    if (rng_.chance(20) && bytes == kPage) offset = kPage - rng_.below(8);
    return page.base + page.data_begin + offset;
  }
  if (choice < 90) {  // a window of the other mode
    const uint64_t offset = kPlayOffset + rng_.below(kPlayBytes - 8);
    for (;;) {
      const Window window = rng_.pick(kMappedWindows);
      if (window.attribute == Attribute::kCached && window.privilege != mode_.privilege)
        return window.base + offset;
    }
  }
  if (choice < 95) return kNotCanonical + (rng_.next() >> 1);
  return 20 * kGib + rng_.below(kGib);  // no entry at all
}

uint64_t Builder::bad_fetch_address() {
  const uint64_t low_bits = rng_.below(kPage) & ~uint64_t{1};
  if (!mode_.translated) {
    switch (rng_.below(options_.qemu ? 1 : 5)) {
      case 0:
        return kVacant + low_bits;
      case 1:
        return kClint + low_bits;
      case 2:
        return too_high_address() & ~uint64_t{1};
      case 3:
        return (0x2000'0000 + rng_.below(0x5000'0000)) & ~uint64_t{1};
      default:
        return low_bits;
    }
  }
  const bool user = mode_.privilege == Privilege::kUser;
  const uint64_t choice = rng_.below(100);
  if (choice < 60) {
    const std::vector<ZooPage>& zoo = tables_.zoo();
    for (unsigned tries = 0; tries < 50; ++tries) {
      const ZooPage page = zoo[rng_.below(zoo.size())];
      if (user ? page.fetch_faults_u : page.fetch_faults_s) return page.base + page.data_begin + low_bits;
    }
  }
  if (choice < 80) {
    for (;;) {
      const Window window = rng_.pick(kMappedWindows);
      if (window.privilege != mode_.privilege) return window.base + kCodeOffset + low_bits;
    }
  }
  if (choice < 90) return (kNotCanonical + (rng_.next() >> 1)) & ~uint64_t{1};
  return 20 * kGib + low_bits;
}

// Some access at an address that may be anything but ordinary.
void Builder::access_anything(Reg base, int32_t offset) {
  const uint64_t choice = rng_.below(100);
  const auto log_size = static_cast<unsigned>(rng_.below(4));
  if (choice < 45 || !has(kAtomic)) return emit_access(base, offset, log_size, false);
  if (choice < 50 && !options_.qemu) return emit_pair(base, 0);
  // To QEMU, an atomic access to nowhere is a load first.
  if (choice < 80 || (options_.qemu && !mode_.translated)) return emit_access(base, offset, log_size, true);
  const bool wide = rng_.chance(50);
  if (choice < 88) return emit_amo(base, wide);
  const Reg rd = any_dest();
  const Reg value = any_source();
  if (choice < 92) return as_.emit(atomic_word(0x02, wide, rd, base, 0));
  if (options_.qemu) return emit_access(base, offset, log_size, true);  // QEMU checks failing SC differently
  if (choice < 95 || !has(kCache)) return as_.emit(atomic_word(0x03, wide, rd, base, value));
  as_.emit(enc::cbo(static_cast<uint32_t>(rng_.between(1, 2)), base));
}

void Builder::item_fault() {
  const Hold base(*this);
  const uint64_t address = bad_data_address();
  // Several accesses to one place, so that look-aside buffers meet faults as well as hits.
  load_value(base, address);
  for (uint64_t n = rng_.between(1, 3); n > 0; --n) access_anything(base, 0);
}

void Builder::item_wild_jump() {
  const Hold address(*this);
  const Label resume = as_.label();
  const uint64_t target = bad_fetch_address();
  const int32_t offset = rng_.pick({0, 0, 2, -4, 2046});
  as_.la(recover_, resume);
  load_value(address, target - static_cast<uint64_t>(static_cast<int64_t>(offset)));
  const Reg link = is_free(1) && rng_.chance(50) ? 1 : any_dest();
  as_.emit(enc::jalr(link, address, offset));
  as_.emit_half(0);  // never reached
  as_.bind(resume);
}

// Machine mode accesses memory as a lower mode would.
void Builder::item_mprv() {
  if (mode_.privilege != Privilege::kMachine || bare_ || depth_ > 1) return item_fault();
  const Hold base(*this);
  const Hold bits(*this);
  const bool user = rng_.chance(50);
  as_.li(bits, status::kMpp);
  as_.emit(enc::csrrc(0, csr::kMstatus, bits));
  uint64_t set = status::kMprv | (user ? 0 : uint64_t{1} << 11);
  if (rng_.chance(30)) set |= status::kSum;
  if (rng_.chance(30)) set |= status::kMxr;
  as_.li(bits, set);
  as_.emit(enc::csrrs(0, csr::kMstatus, bits));
  const Mode machine = mode_;
  mode_ = {user ? Privilege::kUser : Privilege::kSupervisor, true, kBase};
  for (uint64_t n = rng_.between(1, 5); n > 0; --n) {
    if (rng_.chance(40)) {
      as_.li(base, bad_data_address());
      access_anything(base, 0);
      continue;
    }
    const uint64_t offset = kPlayOffset + rng_.below(kPlayBytes - 8);
    const uint64_t window = data_window(Attribute::kCached);
    if (window == kBase) continue;  // without translation, too, this must not be memory
    as_.li(base, window + offset);
    random_access(base, 50);
  }
  mode_ = machine;
  as_.li(bits, status::kMprv);
  as_.emit(enc::csrrc(0, csr::kMstatus, bits));
}

void Builder::item_misaligned_atomic() {
  const Pointer& pointer = any_pointer();
  if (pointer.attribute == Attribute::kDevice) return;
  const Hold address(*this);
  const bool wide = rng_.chance(50);
  const int32_t offset = pick_offset(pointer, 8, false);
  const int32_t error = static_cast<int32_t>(rng_.between(1, wide ? 7 : 3));
  if (offset + error > 2047) return;
  as_.emit(enc::addi(address, pointer.reg, offset + error));
  const Reg rd = any_dest();
  const Reg value = any_source();
  switch (rng_.below(options_.qemu ? 2 : 3)) {
    case 0:
      emit_amo(address, wide);
      break;
    case 1:
      as_.emit(atomic_word(0x02, wide, rd, address, 0));
      break;
    default:
      as_.emit(atomic_word(0x03, wide, rd, address, value));
      break;
  }
}

// The timer's registers, properly and improperly. Supervisor mode reaches them through a mapping.
void Builder::item_io() {
  if (!has(kTimer) || mode_.privilege == Privilege::kUser) return item_fault();
  const Hold base(*this);
  const uint64_t reg = kClint + rng_.pick({uint64_t{0}, uint64_t{0x4000}, uint64_t{0xBFF8}});
  const unsigned widest = reg == kClint ? 2 : 3;
  as_.li(base, reg);
  const Reg rd = any_dest();
  const Reg value = any_source();
  switch (rng_.below(8)) {
    case 0: {  // misaligned
      const auto log_size = static_cast<unsigned>(rng_.between(1, 3));
      const bool store = rng_.chance(50);
      emit_access(base, 1, log_size, store);
      break;
    }
    case 1:
      if (!options_.qemu && rng_.chance(50)) {
        as_.emit(enc::sdd(value, value, base, 0));
        break;
      }
      emit_amo(base, rng_.chance(50));
      break;
    case 2:
      as_.emit(atomic_word(0x02, false, rd, base, 0));
      break;
    case 3:
      as_.emit(atomic_word(0x03, false, rd, base, value));
      break;
    case 4:
      if (has(kCache)) as_.emit(enc::cbo(static_cast<uint32_t>(rng_.between(1, 2)), base));
      break;
    default:
      if (has(kCounter)) emit_access(base, 0, widest, false);
      break;
  }
}

}  // namespace swai::random_program
