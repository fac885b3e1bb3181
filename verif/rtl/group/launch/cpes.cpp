// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/group/launch/cpes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swai::cg {
namespace {

namespace space = cpe::isa::space;
using namespace cpe::isa::control_op;

constexpr uint32_t kUnknown = ~0U;
constexpr unsigned kCauseIllegal = 1;
constexpr unsigned kCauseCommand = 5;
constexpr unsigned kCauseLimit = 9;

bool bit(uint64_t value, unsigned at) { return (value >> at & 1) != 0; }

}  // namespace

Cpes::Cpes(Vtb_launch& top, Random& random) : top_(top), random_(random), cpes_(kCpes) {}

void Cpes::raise(unsigned i, bool dma, unsigned cause) {
  Cpe& cpe = cpes_[i];
  cpe.fault = {.cause = cause,
               .access = static_cast<unsigned>(random_.below(4)),
               .dma = dma,
               .pc = cpe.pc,
               .segment = static_cast<uint16_t>(random_.next()),
               .offset = random_.next() & 0xffff'ffff'ffff};
  (dma ? cpe.dma_fault : cpe.core_fault) = true;
  ++faults_;
}

void Cpes::ask(unsigned i, unsigned op, uint32_t rs1, uint32_t by) {
  Cpe& cpe = cpes_[i];
  cpe.pc = by << 28 | (cpe.pc & 0xfff'ffff);
  cpe.state = State::kIssue;
  cpe.op = op;
  cpe.rs1 = rs1;
  cpe.waiting = false;
}

// What a core does when it has done the last thing.
void Cpes::go_on(unsigned i) {
  Cpe& cpe = cpes_[i];
  const auto some = [&] { return static_cast<unsigned>(random_.below(habits.longest + 1)); };
  cpe.pc = static_cast<uint32_t>(random_.next());
  if (!cpe.in_kernel) {
    if (random_.chance(habits.daemon_fault)) {
      cpe.state = State::kBusy;
      cpe.left = some();
      raise(i, false, kCauseIllegal);
    } else if (random_.chance(habits.bad_command)) {
      cpe.bad = true;
      const auto op = static_cast<unsigned>(random_.below(20));
      ask(i, op, 1, op == kLaunch || random_.chance(50) ? space::kKernel : space::kDaemon);
    } else {
      ask(i, kLaunch);
    }
    return;
  }
  if (random_.chance(habits.kernel_fault)) {
    cpe.state = State::kBusy;
    cpe.left = some();
    const bool dma = random_.chance(50);
    raise(i, dma, dma ? kCauseLimit : kCauseIllegal);
    if (random_.chance(10)) {
      const Fault first = cpe.fault;  // both at once: the DMA's counts
      raise(i, !dma, kCauseIllegal);
      --faults_;
      if (dma) cpe.fault = first;
    }
    return;
  }
  if (random_.chance(habits.hang)) {
    cpe.state = State::kBusy;
    cpe.hangs = true;
    return;
  }
  if (random_.chance(habits.bad_command)) {
    static constexpr struct {
      unsigned op;
      uint32_t rs1;
      uint32_t by = space::kKernel;
    } kBad[] = {{kLaunch, 0}, {kLaunch, 0, space::kDaemon}, {kSync, 0}, {kSync, 3}, {kSync, 6}, {kSync, 7},
                {kSync, 8},   {kSync, 0x8000'0001},         {4, 0},     {127, 1},   {kDone, 0}};
    cpe.bad = true;
    const auto& bad = kBad[random_.below(std::size(kBad))];
    ask(i, bad.op, bad.rs1, bad.by);
    return;
  }
  if (random_.chance(20)) cpe.engines = std::max(cpe.engines, some());
  if (random_.chance(20)) {
    ask(i, kArgument);
  } else if (random_.chance(40)) {
    cpe.state = State::kBusy;
    cpe.left = some();
  } else if (cpe.syncs < (cpe.argument & 3)) {
    // All CPEs of a launch must come to the same barriers: its argument says which.
    ++cpe.syncs;
    ask(i, kSync, 1U << (cpe.argument >> (2 * cpe.syncs) & 3) % 3, space::kKernel);
  } else {
    ask(i, kDone);
  }
}

void Cpes::drive() {
  const auto word = [](auto& port, unsigned i, unsigned width) { return Field(port, i * width, width); };
  const auto flag = [&](auto& port, unsigned i, bool value) { word(port, i, 1).set(value); };
  for (unsigned i = 0; i < kCpes; ++i) {
    Cpe& cpe = cpes_[i];
    const bool issue = cpe.state == State::kIssue;
    flag(top_.issue_valid_i, i, issue);
    word(top_.issue_op_i, i, 7).set(issue ? cpe.op : random_.below(128));
    word(top_.issue_rs1_i, i, 32).set(issue ? cpe.rs1 : random_.next() & 0xffff'ffff);
    flag(top_.waiting_i, i, issue && cpe.waiting);
    flag(top_.halted_i, i, cpe.state == State::kHalted);
    flag(top_.engines_busy_i, i, cpe.engines != 0);
    flag(top_.core_fault_valid_i, i, cpe.core_fault);
    flag(top_.dma_fault_valid_i, i, cpe.dma_fault);
    for (auto* port : {&top_.core_fault_i, &top_.dma_fault_i}) {
      Field field(*port, i * kFaultBits, kFaultBits);
      field.scramble(random_);
      if (port == &top_.core_fault_i ? cpe.core_fault && !cpe.dma_fault : cpe.dma_fault) {
        field.set(wires::cpe::fault::kOffset, cpe.fault.offset);
        field.set(wires::cpe::fault::kSegment, cpe.fault.segment);
        field.set(wires::cpe::fault::kPc, cpe.fault.pc);
        field.set(wires::cpe::fault::kDma, cpe.fault.dma);
        field.set(wires::cpe::fault::kAccess, cpe.fault.access);
        field.set(wires::cpe::fault::kCause, cpe.fault.cause);
      }
    }
    flag(top_.quiet_i, i, cpe.quiet());
    word(top_.pc_i, i, 32).set(cpe.pc);
    flag(top_.nudge_i, i, random_.chance(habits.nudge));
    const bool ready = random_.chance(30);
    flag(top_.access_ready_i, i, ready);
    word(top_.access_rdata_i, i, 64).set(random_.next());
  }
}

// A port whose answer depends on the request: after the inputs have settled.
void Cpes::sample() {
  if (top_.access_valid_o != 0) {
    const Field access(top_.access_o, 0, 91);
    const uint64_t addr = access.get(wires::cpe::access_req::kAddr);
    for (unsigned i = 0; i < kCpes; ++i) {
      if (!bit(top_.access_valid_o, i)) continue;
      Field(top_.access_rdata_i, i * 64, 64).set(memory(i, addr));
      check(bit(top_.enable_o, i), fmt::format("CPE {} sleeps through an access", i));
      if (bit(top_.access_ready_i, i) && access.get(wires::cpe::access_req::kWrite) != 0)
        on_access_write(i, addr, access.get(wires::cpe::access_req::kData),
                        access.get(wires::cpe::access_req::kStrb));
    }
    top_.eval();
  }
  for (unsigned i = 0; i < kCpes; ++i) {
    Cpe& cpe = cpes_[i];
    if (!bit(top_.tile_rst_no, i)) {
      cpe = {};
      continue;
    }
    if (cpe.state == State::kHalted && cpe.drains != 0) --cpe.drains;  // answers come without the CPE's clock
    if (bit(top_.enable_o, i)) {
      edge(i);
      ++edges_;
      continue;
    }
    const bool rests = (cpe.state == State::kIssue && cpe.waiting && !bit(top_.issue_ready_o, i)) ||
                       cpe.state == State::kHalted;
    check(rests && cpe.engines == 0, fmt::format("CPE {} has no clock but something to do", i));
  }
}

void Cpes::edge(unsigned i) {
  Cpe& cpe = cpes_[i];
  const bool stop = bit(top_.stop_o, i);
  const unsigned longest = habits.longest;
  if (cpe.engines != 0) {
    --cpe.engines;
    // The last transfer fails.
    if (cpe.engines == 0 && cpe.in_kernel && !faulted(i) && !stop && random_.chance(habits.kernel_fault))
      raise(i, true, kCauseLimit);
  }
  switch (cpe.state) {
    case State::kReset:
      cpe.state = State::kBusy;
      cpe.left = static_cast<unsigned>(random_.below(2 * longest + 1));
      cpe.pc = top_.boot_pc_o;
      return;
    case State::kBusy:
      if (!stop) {
        if (cpe.hangs || cpe.core_fault || cpe.dma_fault) return;  // what the fault does has not arrived yet
        if (cpe.left != 0) --cpe.left;
        if (cpe.left == 0) go_on(i);
        return;
      }
      break;
    case State::kIssue:
      if (bit(top_.issue_ready_o, i)) {
        check(!stop, fmt::format("CPE {}: an answer after the stop", i));
        check(bit(top_.issue_bad_o, i) == cpe.bad,
              fmt::format("CPE {}: operation {} with {:#x} was {}", i, cpe.op, cpe.rs1,
                          cpe.bad ? "taken" : "refused"));
        const uint32_t rdata = static_cast<uint32_t>(Field(top_.issue_rdata_o, i * 32, 32).get());
        cpe.state = State::kBusy;
        cpe.left = static_cast<unsigned>(random_.below(4));
        if (cpe.bad) {
          raise(i, false, kCauseCommand);
        } else if (cpe.op == kLaunch) {
          on_taken(i, rdata);
          cpe.in_kernel = true;
          cpe.syncs = 0;
          cpe.argument = kUnknown;
          ask(i, kArgument);
        } else if (cpe.op == kArgument) {
          check(cpe.argument == kUnknown || cpe.argument == rdata,
                fmt::format("CPE {}: another argument", i));
          cpe.argument = rdata;
        } else if (cpe.op == kDone) {
          check(cpe.engines == 0, fmt::format("CPE {}: done before its engines are", i));
          cpe.in_kernel = false;
          on_done(i);
          if (random_.chance(50)) go_on(i);
        }
        return;
      }
      cpe.waiting = true;
      if (!stop) return;
      break;
    case State::kStopping:
      if (cpe.left != 0) {
        --cpe.left;
        return;
      }
      cpe.state = State::kHalted;
      cpe.drains = static_cast<unsigned>(random_.below(longest + 1));
      return;
    case State::kHalted:
      return;
  }
  // Stopped: at the next border of an instruction.
  cpe.state = State::kStopping;
  cpe.left = static_cast<unsigned>(random_.below(longest + 1));
  cpe.pc = static_cast<uint32_t>(random_.next());
}

}  // namespace swai::cg
