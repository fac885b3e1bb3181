// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/cpe/core/core_bench.hpp"

#include <fmt/format.h>

#include <cstring>

#include "sim/common/field.hpp"
#include "verif/rtl/cpe/core/program.hpp"
#include "wires.hpp"

namespace swai::cpe {
namespace {

constexpr unsigned kIssueWidth = wires::cpe::issue::kBits;
constexpr unsigned kFaultWidth = wires::cpe::fault::kBits;

std::string text(const iss::cpe::Retirement& r) {
  return fmt::format("pc {:08x} -> {:08x} insn {:08x} x{}={:08x} mem {:08x} r{:x}={:08x} w{:x}={:08x}", r.pc,
                     r.next_pc, r.insn, r.rd, r.rd_wdata, r.mem_addr, r.mem_rmask, r.mem_rdata, r.mem_wmask,
                     r.mem_wdata);
}

std::string text(const Fault& f) {
  return fmt::format("cause {} access {} dma {} pc {:08x} segment {:04x} offset {:012x}",
                     static_cast<unsigned>(f.cause), static_cast<unsigned>(f.access), f.dma, f.pc, f.segment,
                     f.offset);
}

bool same(const iss::cpe::Retirement& a, const iss::cpe::Retirement& b) {
  return a.pc == b.pc && a.next_pc == b.next_pc && a.insn == b.insn && a.rd == b.rd &&
         a.rd_wdata == b.rd_wdata && a.mem_rmask == b.mem_rmask && a.mem_wmask == b.mem_wmask &&
         a.mem_addr == b.mem_addr && a.mem_rdata == b.mem_rdata && a.mem_wdata == b.mem_wdata;
}

}  // namespace

Environment::WindowResult Global::access(const Environment::WindowAccess& access) {
  static constexpr std::array kCauses{Cause::kNoSegment, Cause::kLimit,  Cause::kPermission, Cause::kOwner,
                                      Cause::kBus,       Cause::kPoison, Cause::kLimit,      Cause::kBus};
  const uint32_t region = access.address >> 28;
  const uint64_t pointer =
      region == iss::cpe::space::kWindow ? access.pointer : region * uint64_t{0x1234'0123'4560};
  Environment::WindowResult result;
  if ((access.address >> 24 & 0xf) == kRefused) {
    result.cause = kCauses[access.address >> 20 & 7];
    result.segment = static_cast<uint16_t>(pointer >> 48 ^ region);
    result.offset = (pointer + (access.address & 0x0fff'ffff)) & 0xffff'ffff'ffff;
    return result;
  }
  const uint64_t mixed = (pointer ^ pointer >> 16 ^ pointer >> 32 ^ pointer >> 48) & ~uint64_t{3};
  uint8_t* place = &bytes_[(mixed + access.address) & 0xffff];
  if (access.write) {
    std::memcpy(place, &access.data, access.bytes);
  } else {
    std::memcpy(&result.data, place, access.bytes);
  }
  return result;
}

void Global::fill(verif::Random& random) {
  for (uint8_t& byte : bytes_) byte = static_cast<uint8_t>(random.next());
}

CoreBench::CoreBench(uint64_t seed)
    : answer([this](const Command& command) {
        return command.op == kBadOperation ? Answer{Answer::kBad}
                                           : Answer{Answer::kDone, static_cast<uint32_t>(random().next())};
      }),
      delay([this](const Command&) {
        return unit_stalls_.go() ? 0 : random().chance(5) ? random().below(300) : random().below(8);
      }),
      here([this](uint32_t) { return random().chance(70); }),
      bench_(seed),
      ldm_stalls_(bench_.random()),
      code_stalls_(bench_.random()),
      window_stalls_(bench_.random()),
      unit_stalls_(bench_.random()),
      code_(*this),
      ldm_core_(iss::cpe::kLdmBytes),
      ldm_model_(iss::cpe::kLdmBytes),
      hart_(code_, *this, ldm_model_, {kId, kConfig}) {
  for (uint8_t& byte : ldm_core_) byte = static_cast<uint8_t>(random().next());
  ldm_model_ = ldm_core_;
  global_core_.fill(random());
  global_model_ = global_core_;
  bench_.add(*this);
}

void CoreBench::calm() {
  calm_ = true;
  ldm_stalls_.never();
  code_stalls_.never();
  window_stalls_.never();
  delay = [](const Command&) { return 0; };
  here = [](uint32_t) { return true; };
}

void CoreBench::restart(uint32_t pc, CodeLine code) {
  auto& t = top();
  code_line_ = std::move(code);
  code_.invalidate();
  t.run_i = 1;
  t.boot_pc_i = pc;
  t.id_i = kId;
  t.config_i = kConfig;
  t.launch_mask_i = kLaunchMask;
  t.argument_segment_i = kArgumentSegment;
  t.halt_i = 0;
  t.invalidate_i = 0;
  t.refill_valid_i = 0;
  t.win_done_i = 0;
  t.issue_ready_i = 0;
  bench_.reset();
  hart_.reset(pc);
  hart_.set_launch(kLaunchMask, kArgumentSegment);
  resynchronise();
  fresh_ = false;
  ldm_read_ = false;
  code_asked_ = false;
  window_asked_ = false;
  unit_asked_ = false;
  done_.clear();
  offer_ = {};
  faulted_ = false;
  clocks_ = 0;
  counts_ = {};
}

void CoreBench::resynchronise() {
  ldm_model_ = ldm_core_;
  global_model_ = global_core_;
}

void CoreBench::fail(const std::string& what) {
  throw verif::CheckFailed(fmt::format("{} (cycle {}, instruction {}, pc {:08x})", what, bench_.cycle(),
                                       instructions_, hart_.pc()));
}

Command CoreBench::command() {
  const verif::Field field(top().issue_o, 0, kIssueWidth);
  return {static_cast<uint8_t>(field.get(wires::cpe::issue::kTarget)),
          static_cast<uint8_t>(field.get(wires::cpe::issue::kOp)),
          static_cast<uint32_t>(field.get(wires::cpe::issue::kRs1)),
          static_cast<uint32_t>(field.get(wires::cpe::issue::kRs2)),
          static_cast<uint32_t>(field.get(wires::cpe::issue::kPc))};
}

void CoreBench::drive_code() {
  auto& t = top();
  t.refill_valid_i = 0;
  verif::Field data(t.refill_data_i, 0, 512);
  if (!t.fetch_valid_o) {
    code_asked_ = false;
    if (!calm_) t.refill_cause_i = static_cast<uint8_t>(random().below(32));
    return;
  }
  const bool ahead = t.fetch_line_o >> 25 != 0;
  const uint32_t address = t.fetch_line_o << 6 & 0x7fff'ffff;
  if (!code_asked_) {
    // The answer is as old as the question: what is invalidated meanwhile must not be kept.
    code_asked_ = true;
    const uint32_t region = address >> 28;
    const bool vacant = region != iss::cpe::space::kDaemon && region != iss::cpe::space::kKernel;
    if (vacant && !ahead) fail(fmt::format("fetch from {:08x}", address));
    ++(ahead ? asked_ahead_ : fetches_);
    code_cause_ =
        vacant || (ahead && !here(address)) ? Cause::kVacant : code_line_(address, code_bytes_.data());
  }
  if (!code_stalls_.go() || (!calm_ && random().chance(50))) return;
  t.refill_valid_i = 1;
  t.refill_cause_i = static_cast<uint8_t>(code_cause_);
  data.set_bytes(code_bytes_);
}

void CoreBench::drive_window() {
  auto& t = top();
  t.win_done_i = 0;
  if (!calm_) {
    t.win_rdata_i = static_cast<uint32_t>(random().next());
    t.win_cause_i = static_cast<uint8_t>(random().below(32));
    t.win_segment_i = static_cast<uint16_t>(random().next());
    t.win_offset_i = random().next() & 0xffff'ffff'ffff;
  }
  if (!t.win_valid_o || !window_stalls_.go()) return;
  window_result_ = global_core_.access({t.win_write_o != 0, t.win_addr_o, 1U << t.win_size_o,
                                        static_cast<uint32_t>(t.win_wdata_o), t.win_pointer_o});
  t.win_done_i = 1;
  t.win_rdata_i = window_result_.data;
  t.win_cause_i = static_cast<uint8_t>(window_result_.cause);
  t.win_segment_i = window_result_.segment;
  t.win_offset_i = window_result_.offset;
}

void CoreBench::drive_unit() {
  auto& t = top();
  t.issue_ready_i = !calm_ && random().chance(50);  // means nothing without valid
  t.issue_rdata_i = static_cast<uint32_t>(random().next());
  t.issue_bad_i = !calm_ && random().chance(50);
  if (!t.issue_valid_o) {
    unit_asked_ = false;
    return;
  }
  if (!unit_asked_) {
    unit_asked_ = true;
    unit_wait_ = delay(command());
    unit_answer_ = answer(command());
  }
  t.issue_ready_i = 0;
  if (unit_wait_ != 0) {
    --unit_wait_;
    // Code changes while it waits: what follows is executed as it is then.
    if (patch_ && unit_wait_ > 2 && hart_.pc() == command().pc && random().chance(3)) {
      patch_(hart_.pc());
      code_.invalidate();
      t.invalidate_i = 1;
    }
    return;
  }
  t.issue_ready_i = 1;
  t.issue_bad_i = unit_answer_.kind == Answer::kBad;
  t.issue_rdata_i = unit_answer_.data;
}

void CoreBench::drive() {
  auto& t = top();
  t.invalidate_i = invalidate_ != 0 && random().below(1000) < invalidate_;
  t.ldm_rdata_i = ldm_read_ ? ldm_data_ : static_cast<uint32_t>(random().next());
  t.ldm_ready_i = ldm_stalls_.go();
  // Mostly nobody asks.
  t.counter_select_i = static_cast<uint8_t>(!calm_ && random().chance(30) ? random().below(16) : 15);
  drive_code();
  drive_window();
  drive_unit();
  // The clock may stand when the core waits for a unit that is not ready, and nobody else wants something.
  running_ =
      !(t.waiting_o && !t.issue_ready_i && !t.halt_i && !t.invalidate_i && !calm_ && random().chance(95));
  t.run_i = running_;
}

void CoreBench::sample() {
  auto& t = top();
  if (fresh_) sample_retirement();
  if (running_) {
    ++clocks_;
    count();
    ldm_read_ = false;
    if (t.ldm_valid_o && t.ldm_ready_i) {
      const uint32_t address = t.ldm_addr_o * 4;
      if (t.ldm_write_o) {
        for (unsigned i = 0; i < 4; ++i) {
          if (t.ldm_strb_o >> i & 1) ldm_core_[address + i] = static_cast<uint8_t>(t.ldm_wdata_o >> (8 * i));
        }
      } else {
        ldm_read_ = true;
        std::memcpy(&ldm_data_, &ldm_core_[address], 4);
      }
    }
    if (t.issue_valid_o && t.issue_ready_i) {
      done_.push_back({command(), unit_answer_});
      unit_asked_ = false;
    }
    check_laws();
  } else {
    ++slept_;
    if (t.fetch_valid_o || t.win_valid_o || t.ldm_valid_o || !t.issue_valid_o)
      fail("it says that it waits, but something moves");
  }
  fresh_ = running_;
}

// What is offered stays until it is taken; only a command is taken back by a halt.
void CoreBench::check_laws() {
  auto& t = top();
  Offer now;
  now.line = t.fetch_line_o;
  now.local_payload = {t.ldm_write_o, t.ldm_addr_o, t.ldm_wdata_o, t.ldm_strb_o};
  now.window_payload = {t.win_write_o, t.win_addr_o,
                        static_cast<uint64_t>(t.win_size_o) << 32 | t.win_wdata_o, t.win_pointer_o};
  now.command = command();
  if (offer_.fetch && (!t.fetch_valid_o || now.line != offer_.line)) fail("a fetch did not stand still");
  if (offer_.local && (!t.ldm_valid_o || now.local_payload != offer_.local_payload))
    fail("an access to local memory did not stand still");
  if (offer_.window && (!t.win_valid_o || now.window_payload != offer_.window_payload))
    fail("a window access did not stand still");
  if (offer_.unit && (!t.issue_valid_o || !(now.command == offer_.command)))
    fail("a command did not stand still");
  now.fetch = t.fetch_valid_o && !t.refill_valid_i;
  now.local = t.ldm_valid_o && !t.ldm_ready_i;
  now.window = t.win_valid_o && !t.win_done_i;
  now.unit = t.issue_valid_o && !t.issue_ready_i && !t.halt_i;
  offer_ = now;
}

// The cycles that the core should count. The first one after reset does not count, nor does any after it has
// stopped.
void CoreBench::count() {
  auto& t = top();
  if (t.issue_valid_o && !t.issue_ready_i && !t.halt_i) {
    const unsigned unit = command().unit;
    ++counts_[unit < 4 ? 5 + unit : 9];
  }
}

void CoreBench::sample_retirement() {
  auto& t = top();
  if (!t.rvfi_valid) return;
  if (faulted_) fail("an instruction after the fault");
  iss::cpe::Retirement expected;
  const auto status = hart_.step(expected);
  if (t.rvfi_trap) {
    if (status != iss::cpe::Hart::Status::kFault)
      fail("a fault, but not in the model: pc " + fmt::format("{:08x}", t.rvfi_pc));
    faulted_ = true;
    return;
  }
  iss::cpe::Retirement got{
      t.rvfi_pc,        t.rvfi_next_pc,  t.rvfi_insn,      static_cast<uint8_t>(t.rvfi_rd),
      t.rvfi_rd_wdata,  t.rvfi_mem_addr, t.rvfi_mem_rmask, t.rvfi_mem_wmask,
      t.rvfi_mem_rdata, t.rvfi_mem_wdata};
  if (status != iss::cpe::Hart::Status::kRetired) {
    fail(fmt::format("the model has stopped ({}), the core: {}", text(hart_.fault()), text(got)));
  }
  if (!same(expected, got)) fail(fmt::format("different\n  model {}\n  core  {}", text(expected), text(got)));
  ++instructions_;
  retired_at_ = bench_.cycle();
}

Environment::Answer CoreBench::issue(const Command& command) {
  if (done_.empty()) fail("a command that never reached its unit");
  const Done done = done_.front();
  done_.pop_front();
  if (done.command != command) {
    fail(fmt::format("command: model {} {} {:08x} {:08x}, core {} {} {:08x} {:08x}", command.unit, command.op,
                     command.rs1, command.rs2, done.command.unit, done.command.op, done.command.rs1,
                     done.command.rs2));
  }
  return done.answer;
}

// Of the counters the model knows none: it takes what the core has read. Cycles are checked all the same:
// this record is seen one cycle after its instruction, and the first cycle has not been counted.
uint32_t CoreBench::counter(unsigned number, bool high) {
  const uint32_t value = top().rvfi_rd_wdata;
  if (number == 0 && top().rvfi_rd != 0) {
    const uint64_t expected = clocks_ - 2;
    if (value != static_cast<uint32_t>(high ? expected >> 32 : expected))
      fail(fmt::format("cycle counter {}, not {}", value, expected));
  }
  return value;
}

uint32_t CoreBench::read_counter(unsigned number) {
  top().counter_select_i = static_cast<uint8_t>(number);
  bench_.settle();
  return top().counter_o;
}

void CoreBench::check_counters() {
  uint64_t sum = 0;
  for (unsigned i = 1; i <= 10; ++i) {
    const uint32_t value = read_counter(i);
    sum += value;
    if (i >= 5 && i <= 9 && value != counts_[i])
      fail(fmt::format("counter {}: {}, not {}", i, value, counts_[i]));
  }
  if (read_counter(1) != hart_.instructions()) fail("counter of instructions");
  if (read_counter(0) != static_cast<uint32_t>(sum))
    fail(fmt::format("{} cycles, but {} accounted for", read_counter(0), sum));
}

void CoreBench::compare_memory() {
  if (ldm_core_ != ldm_model_) fail("local memory differs");
  if (!(global_core_ == global_model_)) fail("global memory differs");
  if (!done_.empty()) fail("a command too much");
}

Fault CoreBench::run_to_fault(uint64_t limit) {
  auto& t = top();
  for (uint64_t i = 0; !faulted_; ++i) {
    if (i == limit)
      fail(fmt::format("no fault after {} cycles; fetch {} window {} issue {}", limit, t.fetch_valid_o,
                       t.win_valid_o, t.issue_valid_o));
    bench_.step();
  }
  bench_.until([&] { return t.halted_o; }, 1000, "halted after a fault");
  const verif::Field field(t.fault_o, 0, kFaultWidth);
  const Fault fault{static_cast<Cause>(field.get(wires::cpe::fault::kCause)),
                    static_cast<Access>(field.get(wires::cpe::fault::kAccess)),
                    field.get(wires::cpe::fault::kDma) != 0,
                    static_cast<uint32_t>(field.get(wires::cpe::fault::kPc)),
                    static_cast<uint16_t>(field.get(wires::cpe::fault::kSegment)),
                    field.get(wires::cpe::fault::kOffset)};
  if (!t.fault_valid_o) fail("no fault at the port");
  if (!(fault == hart_.fault()))
    fail(fmt::format("record\n  model {}\n  core  {}", text(hart_.fault()), text(fault)));
  if (t.pc_o != fault.pc) fail(fmt::format("pc {:08x} after a fault", t.pc_o));
  check_counters();
  compare_memory();
  // It stands still, whatever happens around it.
  const uint32_t cycles = read_counter(0);
  bench_.steps(20);
  if (!t.halted_o || !t.fault_valid_o || t.fetch_valid_o || read_counter(0) != cycles)
    fail("it moves after a fault");
  return fault;
}

void CoreBench::halt() {
  auto& t = top();
  t.halt_i = 1;
  bench_.until([&] { return t.halted_o; }, 3000, "halt");
  if (!faulted_) {
    bench_.steps(2);
    if (t.pc_o != hart_.pc()) fail(fmt::format("halted at {:08x}, the model at {:08x}", t.pc_o, hart_.pc()));
    if (t.fault_valid_o) fail("halted with a fault");
    compare_memory();
    if (read_counter(1) != hart_.instructions()) fail("counter of instructions");
  }
  t.halt_i = random().chance(50);
  bench_.steps(20);
  if (!t.halted_o || t.fetch_valid_o || t.ldm_valid_o || t.issue_valid_o || t.win_valid_o)
    fail("it moves after a halt");
  t.halt_i = 0;
}

}  // namespace swai::cpe
