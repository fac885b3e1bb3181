// SPDX-License-Identifier: Apache-2.0
// Changes of mode, of the configuration that machine mode gives the lower ones, of page tables and of code.

#include "verif/sim/iss/random/builder.hpp"
#include "verif/sim/iss/random/encode.hpp"

namespace swai::random_program {
namespace {

constexpr uint64_t kSv39 = uint64_t{8} << 60;
constexpr uint64_t kClint = 0x0200'0000;
constexpr uint64_t kEcallS = 1 << 9, kEcallU = 1 << 8, kBreakpoint = 1 << 3, kIllegal = 1 << 2;
constexpr uint64_t kPageFaults = 0xB000;
constexpr uint64_t kDelegatable = 0xB3FF;

}  // namespace

bool Builder::cbo_allowed(uint64_t which) const {
  uint64_t allowed = which;
  if (mode_.privilege != Privilege::kMachine) allowed &= envcfg_[0];
  if (mode_.privilege == Privilege::kUser) allowed &= envcfg_[1];
  return allowed != 0;
}

uint64_t Builder::satp_value(unsigned root) const {
  return kSv39 | table_address(root == 0 ? kRoot0 : kRoot1) / kPage;
}

// In machine mode: what the modes below may do and where their traps go.
void Builder::configure() {
  const Hold value(*this);
  const auto write = [&](uint32_t number, uint64_t bits) {
    as_.li(value, bits);
    as_.emit(enc::csrw(number, value));
  };
  // A supervisor handler needs sret, and sfence.vma for page faults.
  traps_ = 0;
  if (has(kTrap) && has(kMode)) {
    if (rng_.chance(12)) traps_ |= status::kTsr;
    if (rng_.chance(15)) traps_ |= status::kTvm;
    if (rng_.chance(15)) traps_ |= status::kTw;
  }
  medeleg_ = rng_.chance(30) ? 0 : rng_.chance(50) ? kDelegatable : rng_.next();
  mideleg_ = has(kInterrupt) ? rng_.next() & 0x222 : 0;
  if (!has(kMode)) medeleg_ = 0;
  if ((traps_ & status::kTvm) != 0) medeleg_ &= ~kPageFaults;
  if ((traps_ & status::kTsr) != 0) medeleg_ = mideleg_ = 0;
  // One way into machine mode must stay open.
  if ((medeleg_ & (kEcallS | kBreakpoint | kIllegal)) == (kEcallS | kBreakpoint | kIllegal)) {
    medeleg_ &= ~rng_.pick({kEcallS, kBreakpoint, kIllegal});
  }
  if (options_.qemu) medeleg_ &= kDelegatable;
  write(csr::kMedeleg, medeleg_);
  medeleg_ &= kDelegatable;
  if (has(kInterrupt)) {
    write(csr::kMideleg, mideleg_);
    const uint64_t enable = rng_.chance(50) ? ~uint64_t{0} : rng_.next();
    write(csr::kMie, options_.qemu ? enable & strict_interrupt_ : enable);
  }
  write(csr::kMstatus, random_status(true));
  if (has(kUncached)) pbmte_ = rng_.chance(85);
  if (!options_.qemu) {
    if (has(kCache) || has(kUncached)) {
      for (const bool machine : {true, false}) {
        const uint64_t bits = random_envcfg(machine);
        note_envcfg(machine, bits);
        write(machine ? csr::kMenvcfg : csr::kSenvcfg, bits);
      }
    }
    write(csr::kMcounteren, rng_.chance(50) ? ~uint64_t{0} : rng_.next());
    write(csr::kScounteren, rng_.chance(50) ? ~uint64_t{0} : rng_.next());
    if (rng_.chance(20)) write(csr::kMcountinhibit, rng_.chance(50) ? 0 : rng_.next());
    if (rng_.chance(30)) {
      const auto counter = static_cast<uint32_t>(rng_.below(8));
      write(csr::kMhpmevent3 + counter, rng_.below(16));
    }
  }
  const Reg level = value;
  if (rng_.chance(40)) {
    as_.emit(enc::csrrsi(0, rng_.chance(50) ? csr::kMtvec : csr::kStvec, 1));
  } else if (rng_.chance(40)) {
    as_.emit(enc::csrrci(level, rng_.chance(50) ? csr::kMtvec : csr::kStvec, 1));
  }
  if (has(kMode)) {
    bare_ = rng_.chance(12);
    root_ = static_cast<unsigned>(rng_.below(2));
    write(csr::kSatp, bare_ ? 0 : satp_value(root_));
    emit_sfence();
  }
}

void Builder::emit_sfence() {
  const Reg a = rng_.chance(50) ? 0 : any_source();
  const Reg b = rng_.chance(50) ? 0 : any_source();
  // QEMU flushes everything in any case; so do we.
  as_.emit(enc::sfence_vma(a, b));
}

// Where a mode executes.
uint64_t Builder::code_window(Privilege privilege) {
  if (privilege == Privilege::kMachine || bare_) return kBase;
  for (;;) {
    const Window window = rng_.pick(kMappedWindows);
    if (window.privilege != privilege || window.attribute == Attribute::kDevice) continue;
    if (window.attribute == Attribute::kUncached && !(has(kUncached) && pbmte_ && rng_.chance(20))) continue;
    return window.base;
  }
}

// The label's address as seen through another window than the present one.
void Builder::emit_transfer_address(Reg reg, Label to, uint64_t window) {
  as_.la(reg, to);
  if (window == mode_.window) return;
  const Hold delta(*this);
  as_.li(delta, window - mode_.window);
  as_.emit(enc::add(reg, reg, delta));
}

void Builder::arrive(const Mode& mode) {
  mode_ = mode;
  move_pointers();
}

// An instruction whose trap goes to supervisor mode (delegated) or to machine mode.
bool Builder::gateway_delegated(bool delegated, uint32_t& word) {
  const uint64_t ecall = mode_.privilege == Privilege::kUser ? kEcallU : kEcallS;
  std::vector<uint32_t> words;
  if (((medeleg_ & ecall) != 0) == delegated) words.push_back(enc::kEcall);
  if (((medeleg_ & kBreakpoint) != 0) == delegated) words.push_back(enc::kEbreak);
  if (((medeleg_ & kIllegal) != 0) == delegated) words.push_back(0xFFFF'FFFF);
  if (words.empty()) return false;
  word = rng_.pick(words);
  return true;
}

void Builder::enter_machine() {
  if (mode_.privilege == Privilege::kMachine) return;
  uint32_t word = 0;
  if (!gateway_delegated(false, word)) {
    // Everything is delegated: user mode has to take the way through supervisor mode.
    enter_supervisor_by_trap();
    gateway_delegated(false, word);
  }
  const Label to = as_.label();
  const Hold magic(*this, magic_);
  const Hold target(*this, target_);
  emit_transfer_address(target_, to, kBase);
  as_.li(magic_, kMagic);
  as_.emit(word);
  as_.bind(to);
  arrive({Privilege::kMachine, false, kBase});
}

void Builder::enter_supervisor_by_trap() {
  uint32_t word = 0;
  if (!gateway_delegated(true, word)) return;
  const Label to = as_.label();
  const Hold magic(*this, magic_);
  const Hold target(*this, target_);
  const Mode mode = {Privilege::kSupervisor, !bare_, code_window(Privilege::kSupervisor)};
  emit_transfer_address(target_, to, mode.window);
  as_.li(magic_, kMagic);
  as_.emit(word);
  as_.bind(to);
  arrive(mode);
}

// From machine mode to supervisor or user mode, rarely to machine mode.
void Builder::enter_lower() {
  const Privilege privilege = rng_.chance(50) ? Privilege::kSupervisor : Privilege::kUser;
  const Mode mode = {privilege, !bare_, code_window(privilege)};
  const Label to = as_.label();
  const Hold value(*this);
  as_.emit(enc::csrrci(0, csr::kMstatus, status::kMie));
  emit_transfer_address(value, to, mode.window);
  as_.emit(enc::csrw(csr::kMepc, value));
  as_.li(value, status::kMpp);
  as_.emit(enc::csrrc(0, csr::kMstatus, value));
  as_.li(value,
         static_cast<uint64_t>(privilege) << 11 | (has(kInterrupt) && rng_.chance(70) ? status::kMpie : 0));
  as_.emit(enc::csrrs(0, csr::kMstatus, value));
  as_.emit(enc::kMret);
  as_.bind(to);
  arrive(mode);
}

void Builder::sret_to_user() {
  const Mode mode = {Privilege::kUser, !bare_, code_window(Privilege::kUser)};
  const Label to = as_.label();
  const Hold value(*this);
  // A fault on the next page would use sepc and SPP.
  as_.keep_in_page(80);
  as_.emit(enc::csrrci(0, csr::kSstatus, status::kSie));
  emit_transfer_address(value, to, mode.window);
  as_.emit(enc::csrw(csr::kSepc, value));
  as_.li(value, status::kSpp);
  as_.emit(enc::csrrc(0, csr::kSstatus, value));
  as_.li(value, status::kSpie);
  if (has(kInterrupt) && rng_.chance(70)) as_.emit(enc::csrrs(0, csr::kSstatus, value));
  as_.emit(enc::kSret);
  as_.bind(to);
  arrive(mode);
}

// mret or sret to the next instruction, in the same mode.
void Builder::item_return_to_same_mode() {
  const bool machine = mode_.privilege == Privilege::kMachine;
  if (mode_.privilege == Privilege::kUser || (!machine && (traps_ & status::kTsr) != 0)) return simple_item();
  const uint32_t status_number = machine ? csr::kMstatus : csr::kSstatus;
  const uint64_t previous = machine ? status::kMpp : status::kSpp;
  const uint64_t enable = machine ? status::kMpie : status::kSpie;
  const bool interrupts = has(kInterrupt) && rng_.chance(70);
  const Label to = as_.label();
  const Hold value(*this);
  as_.keep_in_page(48);
  as_.emit(enc::csrrci(0, status_number, machine ? status::kMie : status::kSie));
  as_.la(value, to);
  as_.emit(enc::csrw(machine ? csr::kMepc : csr::kSepc, value));
  as_.li(value, previous | (interrupts ? enable : 0));
  as_.emit(enc::csrrs(0, status_number, value));
  as_.emit(machine ? enc::kMret : enc::kSret);
  as_.bind(to);
}

// The same mode, the same code, another virtual address.
void Builder::jump_to_alias() {
  Mode mode = mode_;
  mode.window = code_window(mode_.privilege);
  const Label to = as_.label();
  const Hold address(*this);
  emit_transfer_address(address, to, mode.window);
  as_.emit(enc::jalr(0, address, 0));
  as_.bind(to);
  arrive(mode);
}

void Builder::item_mode_switch() {
  const bool supervisor = mode_.privilege == Privilege::kSupervisor;
  if (mode_.privilege == Privilege::kMachine) {
    if (rng_.chance(60)) configure();
    if (rng_.chance(85)) enter_lower();
    return;
  }
  const uint64_t choice = rng_.below(100);
  if (choice < 25) return jump_to_alias();
  if (choice < 45 && supervisor && (traps_ & status::kTsr) == 0) return sret_to_user();
  if (choice < 65 && !supervisor) return enter_supervisor_by_trap();
  enter_machine();
  if (rng_.chance(50)) configure();
  if (rng_.chance(50)) enter_lower();
}

// Stores an instruction over another one and executes it.
void Builder::item_modify_code() {
  if (mode_.translated && (mode_.window == 7 * kGib || mode_.window == 14 * kGib)) return;
  const Hold address(*this);
  const Hold word(*this);
  const Label slot = as_.label();
  const bool pair = rng_.chance(30);
  const uint32_t first = random_alu_word(false);
  const uint32_t second = random_alu_word(false);
  emit_transfer_address(address, slot, data_window(Attribute::kCached));
  load_value(word, pair ? uint64_t{second} << 32 | first : first);
  const bool in_halves = !pair && rng_.chance(30);
  if (in_halves) {
    as_.emit(enc::sh(word, address, 0));
    as_.emit(enc::srli(word, word, 16));
    as_.emit(enc::sh(word, address, 2));
  } else {
    as_.emit(pair ? enc::sd(word, address, 0) : enc::sw(word, address, 0));
  }
  for (uint64_t n = rng_.below(3); n > 0; --n) as_.emit(random_alu_word(false));
  as_.emit_full(enc::kFenceI);
  for (uint64_t n = rng_.below(3); n > 0; --n) as_.emit(random_alu_word(false));
  if (rng_.chance(20)) as_.align(kLine);
  as_.bind(slot);
  for (unsigned i = 0; i < (pair ? 2 : 1); ++i) {
    // What stands there before: one full instruction, or two compressed ones.
    if (rng_.chance(50)) {
      as_.emit_full(random_alu_word(false));
    } else {
      as_.emit_half(0x0001);
      as_.emit_half(0x0001);
    }
  }
}

// A loop whose body is another instruction every time.
void Builder::item_modify_loop() {
  const Hold address(*this);
  const Hold word(*this);
  const Hold difference(*this);
  const Hold counter(*this);
  const Label slot = as_.label();
  const uint32_t first = random_alu_word(false);
  const uint32_t second = random_alu_word(false);
  const auto times = static_cast<uint64_t>(rng_.between(2, 6));
  emit_transfer_address(address, slot, data_window(Attribute::kCached));
  load_value(difference, first ^ second);
  as_.li(counter, times);
  const uint64_t multiplier = as_.multiplier();
  as_.set_multiplier(multiplier * times);
  const Label head = as_.here();
  as_.emit(enc::lw(word, address, 0));
  as_.emit(enc::xor_(word, word, difference));
  as_.emit(enc::sw(word, address, 0));
  as_.emit_full(enc::kFenceI);
  as_.bind(slot);
  as_.emit_full(first);
  as_.emit(enc::addi(counter, counter, -1));
  as_.branch(enc::branch(enc::kBne, counter, 0), head);
  as_.set_multiplier(multiplier);
}

// Makes a page fault that did not, or the other way round; then touches it.
void Builder::item_page_table() {
  if (mode_.privilege == Privilege::kUser) return jump_to_alias();
  const bool supervisor = mode_.privilege == Privilege::kSupervisor;
  if (supervisor && ((traps_ & status::kTvm) != 0 || bare_)) return;
  const bool user = rng_.chance(50);
  // QEMU goes on with what it has translated of a page that is no longer executable.
  const bool code = !options_.qemu && rng_.chance(25);
  const uint64_t offset = code ? (as_.pc() - kBase) / kPage * kPage + rng_.below(2) * kPage
                               : kPlayOffset + rng_.below(kPlayBytes / kPage) * kPage;
  const uint64_t bad = tables_.bad_demand_entry(rng_, user, offset);
  const Hold slot(*this);
  const Hold value(*this);
  load_value(slot, table_address(user ? kDemandU : kDemandS) + offset / kPage * 8);
  load_value(value, rng_.chance(80) ? bad : PageTables::good_demand_entry(user, offset));
  as_.emit(enc::sd(value, slot, 0));
  emit_sfence();
  if (!supervisor) return;
  const uint64_t window = kWindowsLow + (kDemandIndex + (user ? 1 : 0)) * kMib2;
  load_value(value, window + (code ? kPlayOffset : offset) + rng_.below(kPage - 8));
  for (uint64_t n = rng_.between(1, 3); n > 0; --n) random_access(value, 50);
}

// Two pages change places, or one appears twice.
void Builder::item_remap() {
  if (mode_.privilege == Privilege::kUser) return jump_to_alias();
  const bool supervisor = mode_.privilege == Privilege::kSupervisor;
  if (supervisor && ((traps_ & status::kTvm) != 0 || bare_)) return;
  const bool user = rng_.chance(50);
  const uint64_t page = kPlayOffset + rng_.below(kPlayBytes / kPage) * kPage;
  const uint64_t other = kPlayOffset + rng_.below(kPlayBytes / kPage) * kPage;
  const Hold table(*this);
  const Hold a(*this);
  const Hold b(*this);
  load_value(table, table_address(user ? kDemandU : kDemandS) + kPlayOffset / kPage * 8);
  const auto slot_of = [](uint64_t offset) {
    return static_cast<int32_t>((offset - kPlayOffset) / kPage * 8);
  };
  as_.emit(enc::ld(a, table, slot_of(page)));
  as_.emit(enc::ld(b, table, slot_of(other)));
  as_.emit(enc::sd(a, table, slot_of(other)));
  if (rng_.chance(60)) as_.emit(enc::sd(b, table, slot_of(page)));
  emit_sfence();
  if (!supervisor) return;
  const uint64_t window = kWindowsLow + (kDemandIndex + (user ? 1 : 0)) * kMib2;
  load_value(a, window + page);
  load_value(b, window + other);
  for (uint64_t n = rng_.between(2, 5); n > 0; --n) {
    const auto log_size = static_cast<unsigned>(rng_.below(4));
    const bool store = rng_.chance(50);
    const bool first = rng_.chance(50);
    emit_access(first ? a : b, static_cast<int32_t>(rng_.below(4) * 8), log_size, store);
  }
}

// Another root of the page tables.
void Builder::item_switch_space() {
  if (mode_.privilege == Privilege::kUser) return jump_to_alias();
  if (mode_.privilege == Privilege::kSupervisor && ((traps_ & status::kTvm) != 0 || bare_)) return;
  if (bare_) return;
  const Hold value(*this);
  root_ ^= 1;
  as_.li(value, satp_value(root_));
  as_.emit(enc::csrrw(any_dest(), csr::kSatp, value));
  if (rng_.chance(70)) emit_sfence();
}

// Makes an interrupt pending, or changes which ones are enabled.
void Builder::item_interrupts() {
  const bool machine = mode_.privilege == Privilege::kMachine;
  const bool supervisor = mode_.privilege == Privilege::kSupervisor;
  const Hold value(*this);
  const Hold base(*this);
  if (mode_.privilege == Privilege::kUser) return simple_item();
  if (supervisor) {
    if (options_.qemu && strict_interrupt_ != 2) return;
    as_.li(value, rng_.chance(60) ? 0x222 : 0x222 & rng_.next());
    as_.emit(enc::csrrs(0, csr::kSie, value));
    if (rng_.chance(60)) as_.emit(enc::csrrsi(0, csr::kSip, 2));
    if (rng_.chance(60)) as_.emit(enc::csrrsi(0, csr::kSstatus, status::kSie));
  }
  if (machine) {
    const uint64_t enable = options_.qemu ? strict_interrupt_ : 0xAAA;
    as_.li(value, rng_.chance(50) ? enable : enable & rng_.next());
    as_.emit(enc::csrrs(0, csr::kMie, value));
    if (rng_.chance(60)) {
      const uint64_t pending = rng_.pick({0x2, 0x20, 0x200, 0x222, 0x22});
      as_.li(value, options_.qemu ? strict_interrupt_ : pending);
      as_.emit(enc::csrrs(0, csr::kMip, value));
    }
    if (rng_.chance(70)) as_.emit(enc::csrrsi(0, csr::kMstatus, status::kMie));
  }
  if (has(kTimer) && rng_.chance(30)) {
    load_value(base, kClint);
    as_.li(value, 1);
    as_.emit(enc::sw(value, base, 0));
  } else if (has(kTimer) && has(kCounter) && rng_.chance(30)) {
    load_value(base, kClint + 0xBFF8);
    as_.emit(enc::ld(value, base, 0));
    as_.emit(enc::addi(value, value, static_cast<int32_t>(rng_.below(2000))));
    load_value(base, kClint + 0x4000);
    as_.emit(enc::sd(value, base, 0));
  }
}

// Waits with a pending interrupt, or for the timer. Taken or not, the wait ends: while it lasts, the
// interrupt that ends it cannot be taken and masked.
void Builder::item_wfi() {
  const bool machine = mode_.privilege == Privilege::kMachine;
  if (mode_.privilege == Privilege::kUser) return as_.emit(enc::kWfi);
  if (!machine && (traps_ & status::kTw) != 0) return as_.emit(enc::kWfi);
  if (options_.qemu && strict_interrupt_ != 2) return;
  const Hold value(*this);
  const Hold base(*this);
  if (!machine) {
    if ((mideleg_ & 2) == 0) return;
    as_.emit(enc::csrrci(0, csr::kSstatus, status::kSie));
    as_.emit(enc::csrrsi(0, csr::kSie, 2));
    as_.emit(enc::csrrsi(0, csr::kSip, 2));
    as_.emit(enc::kWfi);
    if (rng_.chance(70)) as_.emit(enc::csrrsi(0, csr::kSstatus, status::kSie));
    return;
  }
  as_.emit(enc::csrrci(0, csr::kMstatus, status::kMie));
  if (has(kTimer) && has(kCounter) && rng_.chance(50)) {
    load_value(base, kClint + 0xBFF8);
    as_.emit(enc::ld(value, base, 0));
    as_.emit(enc::addi(value, value, static_cast<int32_t>(rng_.below(200))));
    load_value(base, kClint + 0x4000);
    as_.emit(enc::sd(value, base, 0));
    as_.li(value, 0x80);
    as_.emit(enc::csrrs(0, csr::kMie, value));
    as_.emit(enc::kWfi);
    if (rng_.chance(30)) {
      as_.li(value, ~uint64_t{0});
      as_.emit(enc::sd(value, base, 0));
    }
  } else {
    as_.emit(enc::csrrsi(0, csr::kMip, 2));
    as_.emit(enc::csrrsi(0, csr::kMie, 2));
    as_.emit(enc::kWfi);
  }
  if (rng_.chance(70)) as_.emit(enc::csrrsi(0, csr::kMstatus, status::kMie));
}

}  // namespace swai::random_program
