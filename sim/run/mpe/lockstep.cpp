// SPDX-License-Identifier: Apache-2.0
#include "sim/run/mpe/lockstep.hpp"

#include <fmt/format.h>

#include <utility>

#include "sim/iss/mpe/trace.hpp"
#include "sim/run/mpe/trace.hpp"

namespace swai::mpe {

namespace {

// Records that may still come after an enabled interrupt has become visible in mip, or an NMI inside the
// core.
constexpr unsigned kInterruptLatency = 8;
// Cycles from the NMI input to there.
constexpr uint64_t kNmiCycles = 4;

constexpr uint32_t kWfi = 0x1050'0073;

uint64_t byte_mask(unsigned mask) {
  uint64_t bits = 0;
  for (unsigned byte = 0; byte < 8; ++byte) {
    if ((mask >> byte) & 1) bits |= uint64_t{0xff} << (8 * byte);
  }
  return bits;
}

bool fetch_fault(const iss::Retirement& r) {
  return r.trap && (r.cause == 0 || r.cause == iss::cause::kFetchAccess || r.cause == iss::cause::kFetchPage);
}

}  // namespace

Lockstep::Lockstep(ReferenceMemory& memory, const Options& options,
                   std::function<void(const std::string&)> mismatch)
    : memory_(memory),
      hart_(memory, {.reset_pc = options.boot_addr,
                     .nmi_pc = options.nmi_addr,
                     .interrupts = iss::Interrupts::kWhenTold}),
      mismatch_(std::move(mismatch)) {}

void Lockstep::retired(const Record& dut) {
  if (failed_) return;
  history_[compared_ % history_.size()] = dut;
  ++compared_;
  const auto& r = dut.retirement;
  const iss::Supply supply{.rd_wdata = r.rd_wdata, .mem_rdata = r.mem_rdata, .mip = r.mip};
  iss::Retirement model;
  std::string wrong;
  if (r.intr) {
    // When exactly the edge arrives inside the core is its own business; that one was raised is not.
    if (r.cause == iss::cause::kNmi && nmi_since_) hart_.raise_nmi();
    const auto error = hart_.take_interrupt(r.cause, supply, model);
    if (error) wrong = *error + "\n";
    if (r.cause == iss::cause::kNmi) nmi_since_.reset();
  } else {
    model = hart_.step(supply);
  }
  wrong += differences(model, dut);
  wrong += broken_promise(dut);
  wrong += wrong_writes();
  if (!wrong.empty()) fail(wrong, model, dut);
}

std::string Lockstep::differences(const iss::Retirement& model, const Record& dut) const {
  const auto& r = dut.retirement;
  std::string text;
  const auto check = [&text](std::string_view what, uint64_t expected, uint64_t actual) {
    if (expected != actual) text += fmt::format("  {:<10} core {:#x}, model {:#x}\n", what, actual, expected);
  };
  check("pc", model.pc, r.pc);
  check("trap", model.trap, r.trap);
  check("cause", model.cause, r.trap || r.intr ? r.cause : 0);
  check("next pc", model.next_pc, r.next_pc);
  check("mode", static_cast<uint64_t>(model.mode), static_cast<uint64_t>(r.mode));
  check("privilege", static_cast<uint64_t>(hart_.privilege()), static_cast<uint64_t>(dut.privilege));
  check("mip", model.mip, r.mip);
  if (model.trap) check("tval", model.tval, r.tval);
  if (!r.intr && !fetch_fault(model)) check("insn", model.insn, r.insn);
  if (!model.trap && !r.intr) {
    check("rd", model.rd, r.rd);
    if (model.rd != 0) check("rd value", model.rd_wdata, r.rd_wdata);
    check("rmask", model.mem_rmask, r.mem_rmask);
    check("wmask", model.mem_wmask, r.mem_wmask);
    if ((model.mem_rmask | model.mem_wmask) != 0) check("address", model.mem_addr, r.mem_addr);
    const uint64_t read = byte_mask(model.mem_rmask);
    const uint64_t written = byte_mask(model.mem_wmask);
    check("read", model.mem_rdata & read, r.mem_rdata & read);
    check("written", model.mem_wdata & written, r.mem_wdata & written);
    if (model.mem_wmask > 0xff) check("behind it", model.mem_wdata_high, r.mem_wdata_high);
  }
  for (const auto& [name, field] : iss::kCsrFields) check(name, hart_.csrs().*field, dut.csrs.*field);
  return text;
}

// What the records alone do not show: interrupts must be taken soon, and wfi must not end without cause.
std::string Lockstep::broken_promise(const Record& dut) {
  const auto& r = dut.retirement;
  const bool nmi = nmi_since_ && dut.cycle > *nmi_since_ + kNmiCycles;
  const auto pending = r.intr ? std::nullopt : hart_.enabled_interrupt();
  overdue_ = nmi || pending ? overdue_ + 1 : 0;
  const bool woken = (r.mip & dut.csrs.mie) != 0 || nmi_since_ || excused_;
  const bool ended_wfi = !r.intr && !r.trap && r.insn == kWfi;
  if (!r.intr) excused_ = false;
  if (ended_wfi && !woken) return "  wfi ended, but no interrupt that is enabled in mie is pending\n";
  if (overdue_ <= kInterruptLatency) return {};
  return fmt::format("  {} has been pending for {} records, but was not taken\n",
                     iss::cause_name(nmi ? iss::cause::kNmi : *pending), overdue_);
}

// An instruction may write before it retires.
void Lockstep::wrote_memory(const MemoryWrite& write) {
  if (!memory_.reached(write)) early_.push_back(write);
}

std::string Lockstep::wrong_writes() {
  std::string text;
  for (const MemoryWrite& write : std::exchange(early_, {})) {
    if (memory_.reached(write)) continue;
    text += fmt::format("  memory     core writes to {:#x}, strobes {:#x}:", write.line, write.strobes);
    for (unsigned byte = 0; byte < write.bytes.size(); ++byte) {
      text += fmt::format("{}{:02x}", byte % 8 == 0 ? " " : "", write.bytes[byte]);
    }
    text += "\n             model: the line has never held these bytes\n";
  }
  return text;
}

void Lockstep::fail(const std::string& what, const iss::Retirement& model, const Record& dut) {
  failed_ = true;
  Record reference = dut;
  reference.retirement = model;
  std::string report = fmt::format("mismatch in record {}:\n{}", compared_, what);
  const auto add = [&](std::string_view label, const Record& record) {
    report += fmt::format("{:<6}{}", label, format_record(record));
    if (symbol_) report += "  " + symbol_(record.retirement.pc);
    report += '\n';
  };
  add("core", dut);
  add("model", reference);
  report += "the last records of the core:\n";
  const uint64_t first = compared_ > history_.size() ? compared_ - history_.size() : 0;
  for (uint64_t n = first; n < compared_; ++n) add("", history_[n % history_.size()]);
  mismatch_(report);
}

}  // namespace swai::mpe
