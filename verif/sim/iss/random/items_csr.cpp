// SPDX-License-Identifier: Apache-2.0
// Reads and writes of CSRs, within what keeps the program under control: trap vectors and scratch registers
// are only changed where no trap can happen, and bits that the generator has to know only in configure().

#include "verif/sim/iss/random/builder.hpp"
#include "verif/sim/iss/random/encode.hpp"

namespace swai::random_program {
namespace {

// Readable without surprises.
constexpr std::array<uint32_t, 10> kSupervisorReadable = {
    csr::kSstatus, csr::kSie,    csr::kStvec, csr::kScounteren, csr::kSscratch,
    csr::kSepc,    csr::kScause, csr::kStval, csr::kSip,        csr::kSenvcfg};
constexpr std::array<uint32_t, 24> kMachineReadable = {csr::kMstatus,
                                                       0x301,
                                                       csr::kMedeleg,
                                                       csr::kMideleg,
                                                       csr::kMie,
                                                       csr::kMtvec,
                                                       csr::kMcounteren,
                                                       csr::kMenvcfg,
                                                       csr::kMcountinhibit,
                                                       csr::kMscratch,
                                                       csr::kMepc,
                                                       csr::kMcause,
                                                       csr::kMtval,
                                                       csr::kMip,
                                                       csr::kSatp,
                                                       0xF11,
                                                       0xF12,
                                                       0xF13,
                                                       0xF14,
                                                       0xF15,
                                                       0x7A0,
                                                       0x7A1,
                                                       0x7A2,
                                                       0x7A3};
// Those on which QEMU agrees.
constexpr std::array<uint32_t, 4> kStrictSupervisor = {csr::kStvec, csr::kSscratch, csr::kSepc, csr::kScause};
constexpr std::array<uint32_t, 7> kStrictMachine = {csr::kMtvec,   csr::kMepc, csr::kMcause, csr::kMscratch,
                                                    csr::kMideleg, csr::kSatp, csr::kMie};

bool in_range(uint32_t number, uint32_t first, uint32_t count) {
  return number >= first && number - first < count;
}

bool exists(uint32_t number) {
  for (const uint32_t known : kSupervisorReadable) {
    if (number == known) return true;
  }
  for (const uint32_t known : kMachineReadable) {
    if (number == known) return true;
  }
  return in_range(number, 0xB00, 32) || in_range(number, 0xC00, 32) || in_range(number, 0x320, 32);
}

}  // namespace

// A write in one of the six forms; the immediate forms write something else.
void Builder::write_csr(uint32_t number, Reg value) {
  const Reg rd = any_dest();
  const auto imm = static_cast<uint32_t>(rng_.below(32));
  switch (rng_.below(8)) {
    case 0:
      as_.emit(enc::csrrs(rd, number, value));
      break;
    case 1:
      as_.emit(enc::csrrc(rd, number, value));
      break;
    case 2:
      as_.emit(enc::csrrwi(rd, number, imm));
      break;
    case 3:
      as_.emit(enc::csrrsi(rd, number, imm));
      break;
    case 4:
      as_.emit(enc::csrrci(rd, number, imm));
      break;
    default:
      as_.emit(enc::csrrw(rd, number, value));
      break;
  }
}

void Builder::item_csr_read() {
  uint32_t number = 0;
  const bool machine = mode_.privilege == Privilege::kMachine;
  if (mode_.privilege == Privilege::kUser) return item_counters();
  if (machine && rng_.chance(60)) {
    number = options_.qemu ? rng_.pick(kStrictMachine) : rng_.pick(kMachineReadable);
  } else {
    number = options_.qemu ? rng_.pick(kStrictSupervisor) : rng_.pick(kSupervisorReadable);
  }
  if (number == csr::kMip || number == csr::kSip) {
    if (!has(kInterrupt)) return;
  }
  const Reg rd = any_dest();
  switch (rng_.below(4)) {
    case 0:
      as_.emit(enc::csrrsi(rd, number, 0));
      break;
    case 1:
      as_.emit(enc::csrrc(rd, number, 0));
      break;
    default:
      as_.emit(enc::csrr(rd, number));
      break;
  }
}

// Bits that the program may have in any state.
uint64_t Builder::random_status(bool machine) {
  uint64_t value = rng_.next();
  if (!has(kInterrupt)) value &= ~(status::kMie | status::kSie);
  if (machine) value = (value & ~(status::kMprv | status::kTvm | status::kTw | status::kTsr)) | traps_;
  // QEMU lets UXL, SXL and VS be changed, and MPP take its reserved value.
  constexpr uint64_t kStrict = status::kSie | status::kMie | status::kSpie | status::kMpie | status::kSpp |
                               status::kSum | status::kMxr | status::kTvm | status::kTw | status::kTsr;
  if (options_.qemu) value &= kStrict;
  return value;
}

uint64_t Builder::random_envcfg(bool machine) {
  uint64_t value = rng_.next() & ~(envcfg::kCbie | envcfg::kCbcfe | envcfg::kCbze | envcfg::kPbmte);
  value |= rng_.below(4) * envcfg::kCbieFlush | (rng_.chance(70) ? envcfg::kCbcfe : 0) |
           (rng_.chance(70) ? envcfg::kCbze : 0);
  if (machine && pbmte_) value |= envcfg::kPbmte;
  return value;
}

// Remembers what a register allows after a write. The reserved value of CBIE keeps the old one.
void Builder::note_envcfg(bool machine, uint64_t written) {
  uint64_t& known = envcfg_[machine ? 0 : 1];
  const bool reserved = (written & envcfg::kCbie) == envcfg::kReservedCbie;
  known = (written & (envcfg::kCbcfe | envcfg::kCbze)) | ((reserved ? known : written) & envcfg::kCbie);
}

void Builder::item_csr_write() {
  if (mode_.privilege == Privilege::kUser) return item_csr_illegal();
  const bool machine = mode_.privilege == Privilege::kMachine;
  const Hold value(*this);
  const Hold restore(*this);
  const uint64_t choice = rng_.below(100);
  if (choice < 25) {  // status: set and clear so that what matters stays
    const bool wide = machine && rng_.chance(70);
    const uint64_t bits = random_status(wide) & ~(status::kTvm | status::kTw | status::kTsr);
    as_.li(value, bits);
    const uint32_t number = wide ? csr::kMstatus : csr::kSstatus;
    const Reg rd = any_dest();
    as_.emit(rng_.chance(50) ? enc::csrrs(rd, number, value) : enc::csrrc(rd, number, value));
    return;
  }
  if (choice < 30) {
    as_.li(value, random_status(machine));
    const Reg rd = any_dest();
    as_.emit(enc::csrrw(rd, machine ? csr::kMstatus : csr::kSstatus, value));
    return;
  }
  if (choice < 45 && has(kInterrupt) && !options_.qemu) {
    as_.li(value, rng_.interesting());
    std::vector<uint32_t> numbers = {csr::kSie, csr::kSip};
    if (machine) numbers = {csr::kSie, csr::kSip, csr::kMie, csr::kMip, csr::kMie};
    write_csr(rng_.pick(numbers), value);
    return;
  }
  if (choice < 52 && depth_ == 0 && has(kCache)) {
    const bool wide = machine && rng_.chance(60);
    const uint64_t bits = random_envcfg(wide);
    note_envcfg(wide, bits);
    as_.li(value, bits);
    const Reg rd = any_dest();
    as_.emit(enc::csrrw(rd, wide ? csr::kMenvcfg : csr::kSenvcfg, value));
    return;
  }
  as_.li(value, rng_.interesting());
  if (choice < 75) {  // no side effects
    std::vector<uint32_t> numbers = {csr::kSepc, csr::kScause, csr::kStval};
    if (machine) numbers.insert(numbers.end(), {csr::kMcause, csr::kMtval});
    const uint32_t number = options_.qemu ? csr::kSepc : rng_.pick(numbers);
    if (options_.qemu) {  // which does not clear bit 0
      as_.emit(enc::andi(value, value, -2));
      as_.emit(enc::csrw(number, value));
    } else {
      write_csr(number, value);
    }
    const Reg rd = any_dest();
    as_.emit(enc::csrr(rd, number));
    return;
  }
  if (options_.qemu) return;
  std::vector<uint32_t> numbers = {csr::kScounteren};
  if (machine) {
    numbers.insert(numbers.end(),
                   {csr::kMcounteren, csr::kMcountinhibit, csr::kMcycle, csr::kMinstret, 0x301});
    const auto counter = static_cast<uint32_t>(rng_.below(29));
    numbers.insert(numbers.end(),
                   {csr::kMhpmevent3 + counter, csr::kMhpmcounter3 + counter, csr::kMhpmevent3 + counter % 8,
                    csr::kMhpmcounter3 + counter % 8, 0x7A0 + counter % 4});
  }
  const uint32_t number = rng_.pick(numbers);
  write_csr(number, value);
  if (number != csr::kMcycle && !in_range(number, csr::kMhpmcounter3, 8)) {
    const Reg rd = any_dest();
    as_.emit(enc::csrr(rd, number));
  }
}

// Registers on which traps depend: nothing that traps may stand between the change and its undoing.
void Builder::item_csr_critical() {
  if (mode_.privilege == Privilege::kUser) return item_csr_illegal();
  const bool machine = mode_.privilege == Privilege::kMachine;
  std::vector<uint32_t> numbers = {csr::kStvec, csr::kSscratch};
  if (machine) numbers.insert(numbers.end(), {csr::kMtvec, csr::kMscratch, csr::kMepc, csr::kSatp});
  const uint32_t number = rng_.pick(numbers);
  const uint32_t status_number = machine ? csr::kMstatus : csr::kSstatus;
  const Hold value(*this);
  const Hold old(*this);
  const Hold seen(*this);
  uint64_t random = rng_.interesting();
  // QEMU knows more modes of satp, keeps bit 0 of mepc, and reserved vector modes keep the old value there.
  if (options_.qemu && number == csr::kSatp) random &= ~(uint64_t{0xF} << 60);
  if (options_.qemu && number == csr::kMepc) random &= ~uint64_t{1};
  if (options_.qemu && (number == csr::kMtvec || number == csr::kStvec)) random &= ~uint64_t{2};
  as_.li(value, random);
  as_.keep_in_page(32);
  as_.emit(enc::csrrci(0, status_number, machine ? status::kMie : status::kSie));
  as_.emit(enc::csrrw(old, number, value));
  if (number == csr::kSatp && options_.qemu) {  // fields of other widths
    as_.emit(enc::csrrw(0, number, old));
  } else {
    as_.emit(enc::csrrw(seen, number, old));
  }
  if (has(kInterrupt) && rng_.chance(70)) {
    as_.emit(enc::csrrsi(0, status_number, machine ? status::kMie : status::kSie));
  }
}

void Builder::item_csr_illegal() {
  if (hot()) return item_alu();
  const Reg rd = any_dest();
  const Reg rs1 = any_source();
  if (options_.qemu) {
    // Numbers that nobody has, and a write to a read-only one.
    const uint32_t number = rng_.pick({0x5C0u, 0x800u, 0x9C0u, 0xCC0u, 0xDC0u, 0x6C0u, 0xAC0u});
    as_.emit(enc::csrrw(rd, number, rs1));
    return;
  }
  switch (rng_.below(4)) {
    case 0: {  // read-only
      const uint32_t number =
          rng_.pick({0xC00u, 0xC01u, 0xC02u, 0xC03u, 0xF11u, 0xF12u, 0xF13u, 0xF14u, 0xF15u});
      as_.emit(enc::csrrw(rd, number, rs1));
      break;
    }
    case 1:  // of the debugger, physical memory protection
      as_.emit(enc::csrrs(rd, rng_.pick({0x7B0u, 0x7B1u, 0x7B2u, 0x3A0u, 0x3B0u, 0x3BFu}), rs1));
      break;
    default: {
      auto number = static_cast<uint32_t>(rng_.below(4096));
      while (exists(number)) number = static_cast<uint32_t>(rng_.below(4096));
      const Reg value = rng_.chance(50) ? 0 : rs1;
      const auto form = static_cast<uint32_t>(rng_.between(1, 3));
      as_.emit(0x73 | form << 12 | enc::with_rd(rd) | enc::with_rs1(value) | number << 20);
      break;
    }
  }
}

// Counters; whether the mode may read them depends on mcounteren and scounteren.
void Builder::item_counters() {
  if (!has(kCounter) || (hot() && mode_.privilege != Privilege::kMachine)) return item_alu();
  const auto counter = static_cast<uint32_t>(rng_.chance(60) ? rng_.below(3) : rng_.below(32));
  const Reg rd = any_dest();
  const bool machine = mode_.privilege == Privilege::kMachine && counter != 1 && rng_.chance(50);
  as_.emit(enc::csrr(rd, (machine ? csr::kMcycle : csr::kCycle) + counter));
}

}  // namespace swai::random_program
