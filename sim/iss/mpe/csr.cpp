// SPDX-License-Identifier: Apache-2.0
// Control and status registers: who may access what, how values are stored.
#include "sim/iss/mpe/csr_numbers.hpp"
#include "sim/iss/mpe/hart.hpp"

namespace swai::iss {

namespace {

constexpr uint64_t kMisaValue = 0x8000'0000'0094'1105;  // RV64ACIMSUX
constexpr uint64_t kImplementation = 1;
constexpr uint64_t kDelegableExceptions = 0xb3ff;
constexpr uint64_t kSupervisorInterrupts = irq::kSsi | irq::kSti | irq::kSei;
constexpr uint64_t kInterrupts = kSupervisorInterrupts | irq::kMsi | irq::kMti | irq::kMei;
constexpr uint64_t kCounterMask = 0xffff'ffff;
constexpr uint64_t kCountInhibit = 0x7fd;  // cycle, instret and the event counters
constexpr uint64_t kEventSelector = 0xf;
constexpr uint64_t kTvecWritable = ~uint64_t{2};
constexpr uint64_t kSenvcfg = envcfg::kFiom | envcfg::kCbie | envcfg::kCbcfe | envcfg::kCbze;
constexpr uint64_t kMenvcfg = kSenvcfg | envcfg::kPbmte;
constexpr unsigned kCycleIndex = 0;
constexpr unsigned kTimeIndex = 1;
constexpr unsigned kInstretIndex = 2;

constexpr uint64_t replace(uint64_t old, uint64_t value, uint64_t mask) {
  return (old & ~mask) | (value & mask);
}

// CBIE has a reserved value; writing it leaves the field as it was.
uint64_t write_envcfg(uint64_t old, uint64_t value, uint64_t writable) {
  constexpr uint64_t kReservedCbie = uint64_t{2} << envcfg::kCbieShift;
  if ((value & envcfg::kCbie) == kReservedCbie) writable &= ~envcfg::kCbie;
  return replace(old, value, writable);
}

uint64_t cbie(uint64_t envcfg) { return (envcfg & envcfg::kCbie) >> envcfg::kCbieShift; }

}  // namespace

bool Hart::cache_op_legal(CacheOp op) const {
  if (privilege_ == Privilege::kMachine) return true;
  const auto allows = [&](uint64_t envcfg) {
    switch (op) {
      case CacheOp::kInvalidate:
        return cbie(envcfg) != 0;
      case CacheOp::kZero:
        return (envcfg & envcfg::kCbze) != 0;
      default:
        return (envcfg & envcfg::kCbcfe) != 0;
    }
  };
  return allows(csrs_.menvcfg) && (privilege_ == Privilege::kSupervisor || allows(csrs_.senvcfg));
}

bool Hart::inval_discards() const {
  constexpr uint64_t kDiscard = 3;
  return privilege_ == Privilege::kMachine ||
         (cbie(csrs_.menvcfg) == kDiscard &&
          (privilege_ == Privilege::kSupervisor || cbie(csrs_.senvcfg) == kDiscard));
}

// Whether cycle, time, instret and hpmcounters may be read below machine mode.
bool Hart::counter_enabled(unsigned index) const {
  const auto enabled = [&](uint64_t counteren) { return ((counteren >> index) & 1) != 0; };
  if (privilege_ == Privilege::kMachine) return true;
  return enabled(csrs_.mcounteren) && (privilege_ == Privilege::kSupervisor || enabled(csrs_.scounteren));
}

bool Hart::csr_accessible(unsigned number, bool writes) const {
  const bool read_only = (number >> 10) == 3;
  const unsigned lowest_privilege = (number >> 8) & 3;
  if (static_cast<unsigned>(privilege_) < lowest_privilege || (writes && read_only)) return false;
  if (number >= csr::kCycle && number <= csr::kHpmcounter31) return counter_enabled(number - csr::kCycle);
  if (number == csr::kSatp && privilege_ == Privilege::kSupervisor) return !(csrs_.mstatus & mstatus::kTvm);
  return true;
}

void Hart::access_csr(const Operation& insn, CsrOp op, uint64_t operand) {
  const auto number = static_cast<unsigned>(insn.imm);
  const bool writes = op == CsrOp::kWrite || insn.rs1 != 0;
  std::optional<uint64_t> old = read_csr(number);
  if (!old || !csr_accessible(number, writes)) return raise_illegal();

  bool known = true;
  Counter* counter = supply_ != nullptr ? unknown_counter(number) : nullptr;
  if (counter != nullptr || (supply_ != nullptr && number == csr::kTime)) {
    known = insn.rd != 0;
    if (known) old = supply_->rd_wdata;
    if (known && counter != nullptr) *counter = {.value = *old, .exact = true};
  }
  if (writes) {
    // Interrupt lines show in mip, but are not written back into the bits that software sets.
    uint64_t base = *old;
    if (number == csr::kMip || number == csr::kSip) base = software_mip_;
    switch (op) {
      case CsrOp::kWrite:
        write_csr(number, operand);
        break;
      case CsrOp::kSet:
        write_csr(number, base | operand);
        break;
      case CsrOp::kClear:
        write_csr(number, base & ~operand);
        break;
    }
    if (counter != nullptr && !known && op != CsrOp::kWrite) counter->exact = false;
  }
  set_reg(insn.rd, *old);
}

namespace {
// csrr rd, 0
constexpr uint32_t kCsrr = 0x0000'2073;
}  // namespace

bool Hart::reads_clock(const Insn& insn) {
  const bool clock = insn.imm == csr::kCycle || insn.imm == csr::kTime || insn.imm == csr::kMcycle;
  constexpr uint32_t kFixed = 0x000f'f07f;
  return clock && (insn.bits & kFixed) == kCsrr;
}

void Hart::read_clock(const Operation& insn) {
  bits_ = static_cast<uint32_t>(insn.imm) << 20 | (insn.rd % kNowhere) << 7 | kCsrr;
  access_csr(insn, CsrOp::kSet, 0);
}

std::optional<uint64_t> Hart::peek_csr(unsigned number) const { return read_csr(number); }

std::optional<uint64_t> Hart::read_csr(unsigned number) const {
  switch (number) {
    case csr::kSstatus:
      return csrs_.mstatus & (mstatus::kSupervisorView | mstatus::kUxl);
    case csr::kSie:
      return csrs_.mie & csrs_.mideleg;
    case csr::kStvec:
      return csrs_.stvec;
    case csr::kScounteren:
      return csrs_.scounteren;
    case csr::kSenvcfg:
      return csrs_.senvcfg;
    case csr::kSscratch:
      return csrs_.sscratch;
    case csr::kSepc:
      return csrs_.sepc;
    case csr::kScause:
      return csrs_.scause;
    case csr::kStval:
      return csrs_.stval;
    case csr::kSip:
      return mip() & csrs_.mideleg;
    case csr::kSatp:
      return csrs_.satp;
    case csr::kMstatus:
      return csrs_.mstatus;
    case csr::kMisa:
      return kMisaValue;
    case csr::kMedeleg:
      return csrs_.medeleg;
    case csr::kMideleg:
      return csrs_.mideleg;
    case csr::kMie:
      return csrs_.mie;
    case csr::kMtvec:
      return csrs_.mtvec;
    case csr::kMcounteren:
      return csrs_.mcounteren;
    case csr::kMenvcfg:
      return csrs_.menvcfg;
    case csr::kMcountinhibit:
      return mcountinhibit_;
    case csr::kMscratch:
      return csrs_.mscratch;
    case csr::kMepc:
      return csrs_.mepc;
    case csr::kMcause:
      return csrs_.mcause;
    case csr::kMtval:
      return csrs_.mtval;
    case csr::kMip:
      return mip();
    case csr::kMvendorid:
    case csr::kMarchid:
    case csr::kMconfigptr:
      return 0;
    case csr::kMimpid:
      return kImplementation;
    case csr::kMhartid:
      return config_.hart_id;
    default:
      return read_counter(number);
  }
}

// Counters, their event selectors, and the trigger registers, which are there but have no function.
std::optional<uint64_t> Hart::read_counter(unsigned number) const {
  if (number >= csr::kTselect && number <= csr::kTdata3) return 0;
  if (number >= csr::kMhpmevent3 && number <= csr::kMhpmevent31) {
    const unsigned index = number - csr::kMhpmevent3;
    return index < kEventCounters ? selectors_[index] : 0;
  }
  const bool machine = number >= csr::kMcycle && number <= csr::kMhpmcounter31;
  const bool shadow = number >= csr::kCycle && number <= csr::kHpmcounter31;
  if (!machine && !shadow) return std::nullopt;
  const unsigned index = number % 32;
  switch (index) {
    case kCycleIndex:
      return cycle();
    case kTimeIndex:
      if (machine) return std::nullopt;
      return time();
    case kInstretIndex:
      return csrs_.minstret;
    default:
      return index - kFirstEvent < kEventCounters ? events_[index - kFirstEvent].value : 0;
  }
}

void Hart::write_csr(unsigned number, uint64_t value) {
  switch (number) {
    case csr::kSstatus:
      write_mstatus(replace(csrs_.mstatus, value, mstatus::kSupervisorView));
      break;
    case csr::kSie:
      csrs_.mie = replace(csrs_.mie, value, csrs_.mideleg);
      break;
    case csr::kStvec:
      csrs_.stvec = value & kTvecWritable;
      break;
    case csr::kScounteren:
      csrs_.scounteren = value & kCounterMask;
      break;
    case csr::kSenvcfg:
      csrs_.senvcfg = write_envcfg(csrs_.senvcfg, value, kSenvcfg);
      break;
    case csr::kSscratch:
      csrs_.sscratch = value;
      break;
    case csr::kSepc:
      csrs_.sepc = value & ~uint64_t{1};
      break;
    case csr::kScause:
      csrs_.scause = value;
      break;
    case csr::kStval:
      csrs_.stval = value;
      break;
    case csr::kSip:
      software_mip_ = replace(software_mip_, value, csrs_.mideleg & irq::kSsi);
      break;
    case csr::kSatp:
      write_satp(value);
      break;
    case csr::kMstatus:
      write_mstatus(value);
      break;
    case csr::kMedeleg:
      csrs_.medeleg = value & kDelegableExceptions;
      break;
    case csr::kMideleg:
      csrs_.mideleg = value & kSupervisorInterrupts;
      break;
    case csr::kMie:
      csrs_.mie = value & kInterrupts;
      break;
    case csr::kMtvec:
      csrs_.mtvec = value & kTvecWritable;
      break;
    case csr::kMcounteren:
      csrs_.mcounteren = value & kCounterMask;
      break;
    case csr::kMenvcfg:
      csrs_.menvcfg = write_envcfg(csrs_.menvcfg, value, kMenvcfg);
      flush_translations();
      break;
    case csr::kMcountinhibit:
      write_countinhibit(value & kCountInhibit);
      break;
    case csr::kMscratch:
      csrs_.mscratch = value;
      break;
    case csr::kMepc:
      csrs_.mepc = value & ~uint64_t{1};
      break;
    case csr::kMcause:
      csrs_.mcause = value;
      break;
    case csr::kMtval:
      csrs_.mtval = value;
      break;
    case csr::kMip:
      software_mip_ = value & kSupervisorInterrupts;
      break;
    default:
      if (number >= csr::kMhpmevent3 && number < csr::kMhpmevent3 + kEventCounters) {
        const unsigned index = number - csr::kMhpmevent3;
        if (counting(index + kFirstEvent)) events_[index].exact = false;
        selectors_[index] = value & kEventSelector;
      } else if (number >= csr::kMcycle && number <= csr::kMhpmcounter31) {
        write_counter(number - csr::kMcycle, value);
      }
      break;
  }
}

void Hart::write_mstatus(uint64_t value) {
  constexpr uint64_t kNoSuchMode = uint64_t{2} << mstatus::kMppShift;
  uint64_t mask = mstatus::kWritable;
  if ((value & mstatus::kMpp) == kNoSuchMode) mask &= ~mstatus::kMpp;
  csrs_.mstatus = replace(csrs_.mstatus, value, mask);
  update_context();
}

// An unsupported mode makes the whole write void. There are no ASIDs.
void Hart::write_satp(uint64_t value) {
  const uint64_t mode = value >> satp::kModeShift;
  if (mode != satp::kBare && mode != satp::kSv39) return;
  csrs_.satp = mode << satp::kModeShift | (value & satp::kPpn);
  flush_translations();
}

uint64_t Hart::cycle() const { return counting(kCycleIndex) ? cycle_.value + ticks_ : cycle_.value; }

bool Hart::counting(unsigned index) const {
  if ((mcountinhibit_ >> index) & 1) return false;
  return index < kFirstEvent || selectors_[index - kFirstEvent] != 0;
}

void Hart::write_counter(unsigned index, uint64_t value) {
  if (index == kCycleIndex) {
    cycle_ = {.value = counting(index) ? value - ticks_ : value, .exact = true};
  } else if (index == kInstretIndex) {
    csrs_.minstret = value;
    instret_increment_ = 0;  // the next instruction reads what was written
  } else if (index - kFirstEvent < kEventCounters) {
    events_[index - kFirstEvent] = {.value = value, .exact = true};
  }
}

void Hart::write_countinhibit(uint64_t value) {
  for (unsigned index = kFirstEvent; index < kFirstEvent + kEventCounters; ++index) {
    if (counting(index)) events_[index - kFirstEvent].exact = false;
  }
  if (counting(kCycleIndex)) cycle_.exact = false;
  const uint64_t cycles = cycle();
  mcountinhibit_ = value;
  cycle_.value = counting(kCycleIndex) ? cycles - ticks_ : cycles;
}

// Lockstep: the counter behind a CSR if its value depends on the RTL's timing. One that stands still is known
// from the first time that it was read or written.
Hart::Counter* Hart::unknown_counter(unsigned number) {
  const bool machine = number >= csr::kMcycle && number <= csr::kMhpmcounter31;
  const bool shadow = number >= csr::kCycle && number <= csr::kHpmcounter31;
  if (!machine && !shadow) return nullptr;
  const unsigned index = number % 32;
  Counter* counter = nullptr;
  if (index == kCycleIndex) counter = &cycle_;
  if (index >= kFirstEvent && index < kFirstEvent + kEventCounters) counter = &events_[index - kFirstEvent];
  if (counter == nullptr || (counter->exact && !counting(index))) return nullptr;
  return counter;
}

}  // namespace swai::iss
