// SPDX-License-Identifier: Apache-2.0
// What every generated program has: the start, the trap handlers and the end.

#include <stdexcept>

#include "verif/sim/iss/random/builder.hpp"
#include "verif/sim/iss/random/encode.hpp"

namespace swai::random_program {
namespace {

constexpr uint64_t kClint = 0x0200'0000;
constexpr uint64_t kClintCompare = kClint + 0x4000;
constexpr uint64_t kConsole = 0x1000'0000;
constexpr uint64_t kQemuFinisher = 0x10'0000;
constexpr uint64_t kQemuPass = 0x5555;
constexpr uint64_t kHashFactor = 0x9E37'79B9'7F4A'7C15;

// The CSRs of a handler's level.
struct Level {
  uint32_t status, ie, tvec, scratch, epc, cause, tval, ip;
  uint32_t xret;
  uint64_t previous;  // previous-mode bits of status: the level itself
};

constexpr Level kMachineLevel = {csr::kMstatus, csr::kMie,   csr::kMtvec, csr::kMscratch, csr::kMepc,
                                 csr::kMcause,  csr::kMtval, csr::kMip,   enc::kMret,     status::kMpp};
constexpr Level kSupervisorLevel = {csr::kSstatus, csr::kSie,   csr::kStvec, csr::kSscratch, csr::kSepc,
                                    csr::kScause,  csr::kStval, csr::kSip,   enc::kSret,     status::kSpp};

const Level& level_of(Privilege privilege) {
  return privilege == Privilege::kMachine ? kMachineLevel : kSupervisorLevel;
}

}  // namespace

void Builder::choose_registers() {
  std::array<Reg, 31> order{};
  for (unsigned i = 0; i < order.size(); ++i) order[i] = i + 1;
  for (unsigned i = order.size() - 1; i > 0; --i) std::swap(order[i], order[rng_.below(i + 1)]);
  // The stack pointer and a register of the compressed set as base registers bring out compressed loads and
  // stores.
  std::vector<Reg> taken;
  const auto take = [&](Reg reg) {
    taken.push_back(reg);
    return reg;
  };
  pointers_[0].reg = take(rng_.chance(70) ? 2 : order[0]);
  // A register that has no role yet, of the compressed set if possible.
  const auto fresh = [&](bool in_short_set) {
    for (const bool short_only : {in_short_set, false}) {
      for (size_t i = 1; i < order.size(); ++i) {
        const Reg reg = order[i];
        bool used = short_only && (reg < 8 || reg > 15);
        for (const Reg other : taken) used |= other == reg;
        if (!used) return take(reg);
      }
    }
    throw std::logic_error("random program: out of registers");
  };
  pointers_[1].reg = fresh(true);
  pointers_[2].reg = fresh(false);
  constants_ = fresh(rng_.chance(50));
  recover_ = fresh(false);
  magic_ = fresh(false);
  target_ = fresh(false);
  for (Reg& reg : handler_) reg = fresh(rng_.chance(60));
  free_ = 0xFFFF'FFFE;
  for (const Pointer& pointer : pointers_) free_ &= ~(1u << pointer.reg);
  free_ &= ~(1u << constants_ | 1u << recover_);
}

void Builder::make_startup() {
  Assembler& as = runtime_;
  const Reg t = handler_[0];
  const auto write = [&](uint32_t number, uint64_t value) {
    as.li(t, value);
    as.emit(enc::csrw(number, t));
  };
  write(csr::kMtvec, as.address(machine_vector_) | (rng_.chance(50) ? 1 : 0));
  write(csr::kStvec, as.address(supervisor_vector_) | (rng_.chance(50) ? 1 : 0));
  write(csr::kMscratch, kBase + kMachineFrame);
  write(csr::kSscratch, kBase + kSupervisorFrame);
  const Reg base = handler_[1];
  as.li(base, kBase + kConstantsOffset);
  for (Reg reg = 1; reg < 32; ++reg) {
    if (reg != base) as.emit(enc::ld(reg, base, static_cast<int32_t>(reg * 8)));
  }
  as.li(base, kBase + kCodeOffset);
  as.emit(enc::jalr(0, base, 0));
}

void Builder::make_log_entry(Privilege level) {
  Assembler& as = runtime_;
  const Level& l = level_of(level);
  const auto [fp, cause, epc, a, b] = handler_;
  as.emit(enc::ld(a, fp, frame::kLogCursor));
  as.emit(enc::sd(cause, a, 0));
  as.emit(enc::sd(epc, a, 8));
  as.emit(enc::csrr(b, l.tval));
  if (options_.qemu) {  // whose tval of ebreak is 0
    const Label other = as.label();
    as.emit(enc::addi(cause, cause, -3));
    as.branch(enc::branch(enc::kBne, cause, 0), other, true);
    as.li(b, 0);
    as.bind(other);
    as.emit(enc::addi(cause, cause, 3));
  }
  as.emit(enc::sd(b, a, 16));
  as.emit(enc::csrr(b, l.status));
  as.emit(enc::sd(b, a, 24));
  as.emit(enc::addi(a, a, 32));
  as.emit(enc::ld(b, fp, frame::kLogLimit));
  const Label fits = as.label();
  as.branch(enc::branch(enc::kBltu, a, b), fits, true);
  as.emit(enc::ld(a, fp, frame::kLogStart));
  as.bind(fits);
  as.emit(enc::sd(a, fp, frame::kLogCursor));
}

// A fault on a page of the demand windows makes its entry good and tries again, unless the entry was good.
void Builder::make_demand_repair(Privilege level, Label resume, Label otherwise) {
  Assembler& as = runtime_;
  const Level& l = level_of(level);
  const auto [fp, cause, epc, a, b] = handler_;
  as.li(b, 0xB000);  // the page faults
  as.emit(enc::r(0x5033, b, b, cause));
  as.emit(enc::andi(b, b, 1));
  as.branch(enc::branch(enc::kBeq, b, 0), otherwise);
  as.emit(enc::csrr(a, l.tval));
  as.emit(enc::srli(b, a, 22));
  as.emit(enc::andi(b, b, 0xFF));
  as.emit(enc::addi(b, b, -static_cast<int32_t>(kDemandIndex / 2)));
  as.branch(enc::branch(enc::kBne, b, 0), otherwise);
  // The entry's number in the two tables, and what it should be.
  as.emit(enc::slli(a, a, 42));
  as.emit(enc::srli(a, a, 54));
  as.emit(enc::andi(b, a, 511));
  as.emit(enc::slli(b, b, 10));
  as.emit(enc::srli(epc, a, 9));
  as.emit(enc::slli(epc, epc, 4));
  as.emit(enc::or_(b, b, epc));
  as.li(epc, PageTables::good_demand_entry(false, 0));
  as.emit(enc::or_(b, b, epc));
  as.li(epc, table_address(kDemandS));
  as.emit(enc::sh3add(a, a, epc));
  as.emit(enc::ld(epc, a, 0));
  const Label already = as.label();
  as.branch(enc::branch(enc::kBeq, epc, b), already, true);
  as.emit(enc::sd(b, a, 0));
  as.emit(enc::sfence_vma(0, 0));
  as.jump(resume);
  as.bind(already);
  as.emit(enc::csrr(epc, l.epc));
}

// Goes on behind the instruction at epc, whose length has to be read.
void Builder::make_skip(Privilege level, Label resume) {
  Assembler& as = runtime_;
  const auto [fp, cause, epc, a, b] = handler_;
  if (level == Privilege::kMachine && rng_.chance(50)) {
    // With the translation and the rights of the code that trapped.
    as.emit(enc::csrr(b, csr::kMstatus));
    as.li(a, status::kMprv | status::kMxr);
    as.emit(enc::csrrs(0, csr::kMstatus, a));
    as.emit(enc::lhu(a, epc, 0));
    as.emit(enc::csrw(csr::kMstatus, b));
  } else {
    as.emit(enc::slli(a, epc, 43));
    as.emit(enc::srli(a, a, 43));
    as.li(b, kBase);
    as.emit(enc::or_(a, a, b));
    as.emit(enc::lhu(a, a, 0));
  }
  const Label compressed = as.label();
  as.emit(enc::andi(a, a, 3));
  as.emit(enc::addi(a, a, -3));
  as.emit(enc::addi(epc, epc, 2));
  as.branch(enc::branch(enc::kBne, a, 0), compressed, true);
  as.emit(enc::addi(epc, epc, 2));
  as.bind(compressed);
  as.emit(enc::csrw(level_of(level).epc, epc));
  as.jump(resume);
}

// Clears what can be cleared. An interrupt that comes again and again is disabled at every eighth one, so
// that a line that is stuck does not stop the program.
void Builder::make_interrupt_part(Privilege level, Label resume) {
  Assembler& as = runtime_;
  const Level& l = level_of(level);
  const auto [fp, cause, epc, a, b] = handler_;
  as.emit(enc::slli(cause, cause, 1));
  as.emit(enc::srli(cause, cause, 1));
  if (level == Privilege::kMachine && has(kTimer)) {
    const Label not_software = as.label();
    as.emit(enc::addi(a, cause, -3));
    as.branch(enc::branch(enc::kBne, a, 0), not_software, true);
    as.li(b, kClint);
    as.emit(enc::sw(0, b, 0));
    as.bind(not_software);
    const Label not_timer = as.label();
    as.emit(enc::addi(a, cause, -7));
    as.branch(enc::branch(enc::kBne, a, 0), not_timer, true);
    as.li(b, kClintCompare);
    as.emit(enc::addi(a, 0, -1));
    as.emit(enc::sd(a, b, 0));
    as.bind(not_timer);
  }
  as.emit(enc::addi(a, 0, 1));
  as.emit(enc::sll(a, a, cause));
  as.emit(enc::csrrc(0, l.ip, a));
  as.emit(enc::ld(b, fp, frame::kInterrupts));
  as.emit(enc::addi(b, b, 1));
  as.emit(enc::sd(b, fp, frame::kInterrupts));
  as.emit(enc::andi(b, b, 7));
  as.branch(enc::branch(enc::kBne, b, 0), resume);
  as.emit(enc::csrrc(0, l.ie, a));
  as.jump(resume);
}

void Builder::make_handler(Privilege level, Label fail) {
  Assembler& as = runtime_;
  const Level& l = level_of(level);
  const auto [fp, cause, epc, a, b] = handler_;
  const Label entry = as.label();
  const Label resume = as.label();
  const Label interrupt = as.label();
  const Label not_demand = as.label();
  const Label not_fetch = as.label();
  const Label recover = as.label();
  const Label skip = as.label();

  as.align(4);
  as.bind(level == Privilege::kMachine ? machine_vector_ : supervisor_vector_);
  for (unsigned i = 0; i < 16; ++i) {  // vectored mode enters at four times the cause
    as.align(4);
    as.jal(0, entry);
  }
  as.bind(entry);
  as.emit(enc::csrrw(fp, l.scratch, fp));
  for (int32_t i = 1; i < 5; ++i)
    as.emit(enc::sd(handler_[static_cast<size_t>(i)], fp, frame::kSaved + 8 * i));
  as.emit(enc::csrr(cause, l.cause));
  as.emit(enc::csrr(epc, l.epc));
  make_log_entry(level);
  as.branch(enc::branch(enc::kBlt, cause, 0), interrupt);
  as.emit(enc::ld(a, fp, frame::kBudget));
  as.emit(enc::addi(a, a, -1));
  as.emit(enc::sd(a, fp, frame::kBudget));
  const Label within = as.label();
  as.branch(enc::branch(enc::kBne, a, 0), within, true);
  as.jump(fail);
  as.bind(within);
  make_demand_repair(level, resume, not_demand);
  as.bind(not_demand);
  as.emit(enc::addi(a, cause, -1));
  as.branch(enc::branch(enc::kBeq, a, 0), recover, true);
  as.emit(enc::addi(a, cause, -12));
  as.branch(enc::branch(enc::kBne, a, 0), not_fetch, true);
  as.bind(recover);
  as.emit(enc::csrw(l.epc, recover_));
  as.jump(resume);
  as.bind(not_fetch);
  as.li(a, kMagic);
  as.branch(enc::branch(enc::kBne, a, magic_), skip);
  as.emit(enc::csrw(l.epc, target_));
  as.emit(enc::addi(magic_, 0, 0));
  as.li(a, l.previous);
  as.emit(enc::csrrs(0, l.status, a));
  as.jump(resume);
  as.bind(skip);
  make_skip(level, resume);
  as.bind(resume);
  for (int32_t i = 1; i < 5; ++i)
    as.emit(enc::ld(handler_[static_cast<size_t>(i)], fp, frame::kSaved + 8 * i));
  as.emit(enc::csrrw(fp, l.scratch, fp));
  // QEMU 7.2 does not forget what it has translated for MPRV when mret changes MPP.
  if (options_.qemu && level == Privilege::kMachine) as.emit(enc::sfence_vma(0, 0));
  as.emit(l.xret);
  as.bind(interrupt);
  make_interrupt_part(level, resume);
}

// hash = (rotate(hash) ^ word) * factor over memory. Uses registers 1 to 6.
void Builder::make_digest(uint64_t from, uint64_t to, Reg hash) {
  Assembler& as = runtime_;
  const Reg at = 1, end = 2, word = 3, factor = 4;
  as.li(at, from);
  as.li(end, to);
  as.li(factor, kHashFactor);
  as.li(hash, 0);
  const Label loop = as.here();
  as.emit(enc::ld(word, at, 0));
  as.emit(enc::rori(hash, hash, 19));
  as.emit(enc::xor_(hash, hash, word));
  as.emit(enc::mul(hash, hash, factor));
  as.emit(enc::addi(at, at, 8));
  as.branch(enc::branch(enc::kBne, at, end), loop);
}

// Prints 16 hexadecimal digits and a new line.
void Builder::make_print(Reg value) {
  Assembler& as = runtime_;
  const Reg console = 1, left = 2, digit = 3, ten = 4;
  as.li(console, kConsole);
  as.li(left, 16);
  as.li(ten, 10);
  const Label loop = as.here();
  const Label decimal = as.label();
  as.emit(enc::srli(digit, value, 60));
  as.emit(enc::slli(value, value, 4));
  as.branch(enc::branch(enc::kBltu, digit, ten), decimal, true);
  as.emit(enc::addi(digit, digit, 'a' - '0' - 10));
  as.bind(decimal);
  as.emit(enc::addi(digit, digit, '0'));
  as.emit(enc::sb(digit, console, 0));
  as.emit(enc::addi(left, left, -1));
  as.branch(enc::branch(enc::kBne, left, 0), loop);
  as.li(digit, '\n');
  as.emit(enc::sb(digit, console, 0));
}

void Builder::make_finish() {
  Assembler& as = runtime_;
  as.bind(nmi_);
  as.bind(finish_);
  as.emit(enc::csrrci(0, csr::kMstatus, status::kMie));
  as.emit(enc::csrw(csr::kMscratch, 31));
  as.li(31, kBase + kSignatureOffset);
  for (Reg reg = 1; reg < 31; ++reg) as.emit(enc::sd(reg, 31, static_cast<int32_t>(reg * 8)));
  as.emit(enc::csrr(1, csr::kMscratch));
  as.emit(enc::sd(1, 31, 31 * 8));
  std::vector<uint32_t> csrs = {csr::kMstatus, csr::kMedeleg,  csr::kMideleg,    csr::kMie,       csr::kMtvec,
                                csr::kStvec,   csr::kSscratch, csr::kMepc,       csr::kMcause,    csr::kSepc,
                                csr::kScause,  csr::kSatp,     csr::kMcounteren, csr::kScounteren};
  if (!options_.qemu) csrs.insert(csrs.end(), {csr::kMtval, csr::kStval, csr::kMenvcfg, csr::kSenvcfg});
  int32_t offset = 32 * 8;
  for (const uint32_t number : csrs) {
    as.emit(enc::csrr(1, number));
    as.emit(enc::sd(1, 31, offset));
    offset += 8;
  }
  if (options_.qemu) {
    const Reg hash = 5;
    const std::array<uint64_t, 6> edges = {kSignatureOffset, kSignatureOffset + 256,  kLogOffset, kLogEnd,
                                           kHandoffOffset,   kPlayOffset + kPlayBytes};
    constexpr std::array<std::array<unsigned, 2>, 4> kParts = {{{0, 1}, {1, 2}, {2, 3}, {4, 5}}};
    for (const auto [first, last] : kParts) {
      make_digest(kBase + edges[first], kBase + edges[last], hash);
      make_print(hash);
    }
  }
  as.emit(enc::kFence);
  as.li(1, kBase + kTohostOffset);
  as.li(2, 1);
  as.emit(enc::sd(2, 1, 0));
  if (options_.qemu) {
    as.li(1, kQemuFinisher);
    as.li(2, kQemuPass);
    as.emit(enc::sw(2, 1, 0));
  }
  const Label forever = as.here();
  as.jump(forever);
}

}  // namespace swai::random_program
