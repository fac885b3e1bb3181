// SPDX-License-Identifier: Apache-2.0
#include "sim/run/kernel/rtl_device.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "host/lib/elf.hpp"
#include "sim/iss/cpe/text.hpp"
#include "sim/iss/cpe/units.hpp"

namespace swai::kernel_run {
namespace {

using common::InputError;
namespace r = regs::cg;

constexpr uint64_t kReady = 100'000;           // cycles in which CPEs must have come to their daemon
constexpr uint32_t kReadCycles = 2;            // of a CPE, for each look at one of its registers
constexpr uint64_t kProgressEvery = 0x4'0000;  // cycles

// Counters of a CPE by number. What they are called; empty: not shown.
constexpr const char* kNames[] = {"",
                                  "instructions",
                                  "waiting for code",
                                  "waiting for local memory",
                                  "waiting for the window",
                                  "waiting for control, sync",
                                  "waiting for DMA",
                                  "waiting for row channel",
                                  "waiting for column channel",
                                  "waiting for another unit",
                                  "division",
                                  "DMA busy",
                                  "DMA lines",
                                  "row channel words",
                                  "column channel words",
                                  "local memory conflicts",
                                  "systolic rows",
                                  "systolic waits for weights",
                                  "systolic waits for activations",
                                  "systolic waits for drain",
                                  "vector groups",
                                  "vector waits for operands",
                                  "vector waits for stores"};

constexpr uint64_t kGroupCounters[] = {
    r::hbm_reads::kOffset, r::hbm_writes::kOffset,  r::hbm_hits::kOffset,  r::hbm_busy::kOffset,
    r::dslb_hits::kOffset, r::dslb_misses::kOffset, r::code_hits::kOffset, r::code_misses::kOffset,
    r::cpe_reads::kOffset, r::cpe_writes::kOffset};
enum GroupCounter : uint8_t {
  kHbmReads,
  kHbmWrites,
  kHbmHits,
  kHbmBusy,
  kDslbHits,
  kDslbMisses,
  kCodeHits,
  kCodeMisses,
  kCpeReads,
  kCpeWrites
};

double percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

// What a command waits for, from the instruction; null: nothing.
const char* waits_for(uint32_t insn) {
  namespace cpe = iss::cpe;
  const uint32_t opcode = insn & 0x7f;
  if (opcode != 0x0b && opcode != 0x2b) return nullptr;
  const unsigned unit = (opcode == 0x2b ? 8u : 0u) | (insn >> 12 & 7);
  const unsigned op = insn >> 25;
  if (unit == cpe::unit::kControl && op == cpe::control_op::kSync) return "to synchronise with other CPEs";
  if (unit == cpe::unit::kControl && op == cpe::control_op::kDone) return "for its engines at the end";
  if (unit == cpe::unit::kDma) return "for DMA";
  if (unit == cpe::unit::kSystolic) return "for the systolic unit";
  if (unit == cpe::unit::kVector) return "for the vector unit";
  if (unit == cpe::unit::kRow || unit == cpe::unit::kColumn) {
    const bool row = unit == cpe::unit::kRow;
    if (op == cpe::channel_op::kWaitSend) return row ? "for a send on its row" : "for a send on its column";
    if (op == cpe::channel_op::kWaitReceive)
      return row ? "for a receive on its row" : "for a receive on its column";
    return row ? "for room at its row channel" : "for room at its column channel";
  }
  return nullptr;
}

}  // namespace

RtlDevice::RtlDevice(const cg::GroupSim::Options& options, const TraceWindow& trace, bool progress)
    : sim_(options), driver_(sim_, 0), progress_(progress) {
  if (!trace.path.empty()) {
    trace_.reset(std::fopen(trace.path.c_str(), "w"));
    if (!trace_) throw InputError(fmt::format("{}: cannot write: {}", trace.path, std::strerror(errno)));
    sim_.set_observer([this, trace](unsigned id, bool trap, const iss::cpe::Retirement& record) {
      if (sim_.cycles() < trace.from || sim_.cycles() > trace.to) return;
      const unsigned cpe = (id >> 3 & 3) * columns() + (id & 7);
      fmt::print(trace_.get(), "{:>10} {}{}\n", sim_.cycles(), iss::cpe::trace_line(cpe, record),
                 trap ? " fault" : "");
    });
  }
  auto last = std::chrono::steady_clock::now();
  sim_.on_cycle = [this, last]() mutable {
    if (sim_.cycles() % kProgressEvery != 0) return;
    const auto now = std::chrono::steady_clock::now();
    progress_.ran(kProgressEvery, now - last);
    last = now;
    progress_.update(sim_.cycles(), fmt::format("launch {} runs", driver_.number()));
  };
}

void RtlDevice::start(uint64_t table, uint32_t entries, const Daemon& daemon, uint64_t limit) {
  if (limit > UINT32_MAX)
    throw InputError(fmt::format("--limit {}: the watchdog counts to {} at most", limit, UINT32_MAX));
  table_ = table;
  daemon_ = daemon;
  driver_.use_segments(table, entries);
  driver_.use_daemon(daemon.segment, daemon.pc);
  driver_.set_watchdog(static_cast<uint32_t>(limit));
  driver_.enable(driver_.all());
}

// A daemon that is none lets its CPEs be given up.
void RtlDevice::wait_asleep() {
  const bool asleep =
      driver_.wait([&] { return driver_.stopped() == 0 && driver_.asleep() == driver_.all(); }, kReady);
  if (asleep) return;
  std::string why;
  driver_.take_faults([&](unsigned cpe, const launch::Fault& fault) {
    if (!why.empty()) return;
    why = fmt::format(": CPE {}: {}, pc {:#x}", cpe, launch::text(fault.cause), fault.pc);
  });
  throw InputError("the daemon does not wait for launches" + why);
}

RtlDevice::Snapshot RtlDevice::snapshot() {
  Snapshot snapshot;
  for (unsigned cpe = 0; cpe < driver_.cpes(); ++cpe) {
    for (unsigned i = 0; i < kCounters; ++i) {
      snapshot.cpes.push_back(
          static_cast<uint32_t>(sim_.read(driver_.ldm_address(cpe) + regs::kCgAccessCounters + 8 * i)));
    }
  }
  for (const uint64_t offset : kGroupCounters) snapshot.group.push_back(group_register(offset));
  if (const array::Works* const works = sim_.works()) snapshot.working = works->any;
  return snapshot;
}

Outcome RtlDevice::launch(const Launch& launch) {
  wait_asleep();
  const Snapshot before = snapshot();
  driver_.prepare({.mask = launch.mask,
                   .code_segment = launch.code_segment,
                   .argument_segment = launch.argument_segment,
                   .owner = launch.context});
  const uint32_t number = driver_.start(launch.pc, launch.argument);
  driver_.wait_ended(number);
  progress_.clear();
  const auto result = driver_.result(number);
  Outcome outcome{.ok = !result.failed,
                  .ending = result.watchdog ? "watchdog"
                            : result.failed ? "failed"
                                            : "done",
                  .cycles = result.cycles};
  if (result.failed) {
    // All its CPEs have been reset, and their counters with them.
    outcome.faults.resize(driver_.cpes());
    outcome.states.resize(driver_.cpes());
    driver_.take_faults([&](unsigned cpe, const launch::Fault& fault) {
      outcome.failed |= uint32_t{1} << cpe;
      outcome.faults[cpe] = {.cause = static_cast<iss::cpe::Cause>(fault.cause),
                             .access = static_cast<iss::cpe::Access>(fault.access),
                             .dma = fault.dma,
                             .pc = fault.pc,
                             .segment = fault.segment,
                             .offset = fault.offset};
      outcome.states[cpe] = state(outcome.faults[cpe], launch);
    });
  } else {
    driver_.wait([&] { return driver_.asleep() == driver_.all(); }, kReady);
    add_counters(outcome, before, snapshot(), launch.mask, result.waited);
  }
  return outcome;
}

void RtlDevice::add_counters(Outcome& outcome, const Snapshot& before, const Snapshot& after, uint32_t mask,
                             uint32_t waited) {
  const uint64_t cycles = *outcome.cycles;
  const unsigned cpes = driver_.cpes();
  std::vector<std::vector<uint64_t>> values(kCounters, std::vector<uint64_t>(cpes));
  for (unsigned cpe = 0; cpe < cpes; ++cpe) {
    for (unsigned i = 0; i < kCounters; ++i) {
      uint32_t value = after.cpes[cpe * kCounters + i] - before.cpes[cpe * kCounters + i];
      // Each reading in between gave the sleeping CPE cycles in which it went on waiting for its launch.
      if (i == 0 || i == 5) value -= std::min<uint32_t>(value, kReadCycles * kCounters);
      values[i][cpe] = value;
    }
  }
  Counter asleep{"asleep", {}};
  for (const uint64_t counted : values[0]) asleep.by_cpe.push_back(cycles - std::min(cycles, counted));
  for (unsigned i = 1; i < kCounters; ++i) {
    outcome.counters.push_back({kNames[i], values[i]});
    if (i == 10) outcome.counters.push_back(asleep);
  }

  const auto sum = [&](unsigned counter) {
    uint64_t total = 0;
    for (unsigned cpe = 0; cpe < cpes; ++cpe) {
      if ((mask >> cpe & 1) != 0) total += values[counter][cpe];
    }
    return total;
  };
  const auto taking_part = static_cast<uint64_t>(std::popcount(mask));
  const auto group = [&](GroupCounter counter) { return after.group[counter] - before.group[counter]; };
  const auto figure = [&](const char* name, double value, const char* unit) {
    outcome.figures.push_back({name, value, unit});
  };
  figure("waited in the queue", waited, "cycles");
  figure("core: instructions", percent(sum(1), cycles * taking_part), "% of all cycles");
  figure("DMA busy", percent(sum(11), cycles * taking_part), "%");
  figure("DMA, of 64 bytes a cycle", percent(sum(12), cycles), "%");
  figure("row words per CPE and cycle", percent(sum(13), cycles * taking_part), "%");
  figure("column words per CPE and cycle", percent(sum(14), cycles * taking_part), "%");
  figure("local memory conflicts", percent(sum(15), cycles * taking_part), "%");
  figure("systolic unit: rows", percent(sum(16), cycles * taking_part), "% of all cycles");
  figure("vector unit: groups of 8", percent(sum(20), cycles * taking_part), "% of all cycles");
  if (before.working)
    figure("no engine works",
           percent(cycles - std::min<uint64_t>(cycles, *after.working - *before.working), cycles), "%");
  const uint64_t lines = group(kHbmReads) + group(kHbmWrites);
  figure("HBM, of 64 bytes a cycle", percent(lines, cycles), "%");
  figure("HBM busy", percent(std::min(group(kHbmBusy), cycles), cycles), "%");
  figure("HBM row hits", percent(group(kHbmHits), lines), "%");
  figure("segment look-ups that hit", percent(group(kDslbHits), group(kDslbHits) + group(kDslbMisses)), "%");
  figure("shared code cache hits", percent(group(kCodeHits), group(kCodeHits) + group(kCodeMisses)), "%");
  figure("CPE reads of memory", static_cast<double>(group(kCpeReads)), "");
  figure("CPE writes of memory", static_cast<double>(group(kCpeWrites)), "");
}

// What a CPE did that was stopped from outside: its instruction tells.
std::string RtlDevice::state(const Fault& fault, const Launch& launch) {
  if (fault.cause != iss::cpe::Cause::kWatchdog && fault.cause != iss::cpe::Cause::kKilled)
    return iss::cpe::text(fault);
  const uint32_t space = fault.pc >> 28;
  const uint16_t number = space == iss::cpe::space::kKernel ? launch.code_segment : daemon_.segment;
  uint64_t entry = 0;
  uint32_t insn = 0;
  sim_.peek(table_ + 8 * uint64_t{number}, {reinterpret_cast<uint8_t*>(&entry), sizeof entry});
  sim_.peek(segment::decode(entry).base + (fault.pc & 0x0fff'ffff),
            {reinterpret_cast<uint8_t*>(&insn), sizeof insn});
  const char* what = waits_for(insn);
  if (what == nullptr) return fmt::format("runs at {:#x}", fault.pc);
  return fmt::format("waits at {:#x} {}", fault.pc, what);
}

}  // namespace swai::kernel_run
