// SPDX-License-Identifier: Apache-2.0
// The launches of a group, one after the other. group_registers.cpp has what the processor sees of them.
#include "sim/iss/cpe/group_unit.hpp"

#include <algorithm>
#include <utility>

#include "abi/launch.hpp"
#include "sim/iss/cpe/costs.hpp"

namespace swai::iss::cpe {

namespace {

// Cycles of launch hardware (docs/hardware/launch.md): from the queue to the offer, one more when code is
// forgotten; from the end to the next launch.
constexpr uint64_t kToOffer = 1;
constexpr uint64_t kToNext = 1;
// Of the restart after a failure: halt, reset.
constexpr uint64_t kRestart = 9;

constexpr uint64_t kMostCycles = (uint64_t{1} << 30) - 1;

}  // namespace

GroupUnit::GroupUnit(unsigned rows, unsigned columns, Memory& memory, const Options& options, Outside outside)
    : group_(rows, columns, memory,
             {.number = options.number, .turn = options.turn, .workers = options.workers}),
      options_(options),
      outside_(std::move(outside)) {
  if (outside_.mistakes) group_.look_for_mistakes();
}

void GroupUnit::reset() {
  group_.abandon(~uint32_t{0}, Cause::kKilled);
  // While it is known whose they are.
  if (outside_.mistakes) outside_.mistakes(group_, group_.take_findings());
  group_.disable(~uint32_t{0});
  group_.invalidate_code();
  group_.clear_faults();
  now_ = {};
  before_ = {.faults = group_.faults(), .reads = group_.lines_read(), .writes = group_.lines_written()};
  group_.set_daemon(now_.daemon);
  group_.set_segment_table(0, 0);
}

bool GroupUnit::can_start() const {
  return !now_.running && !now_.queue.empty() && (now_.doomed != 0 || !now_.held);
}

bool GroupUnit::busy() const {
  if (can_start()) return true;
  if (now_.running && (now_.kill || now_.watchdog != 0)) return true;
  return !now_.stuck && (now_.running || group_.asleep() != (~group_.stopped() & now_.enable));
}

uint64_t GroupUnit::run(uint64_t cycles) {
  uint64_t used = 0;
  while (used < cycles && busy()) {
    const uint64_t step = this->step(cycles - used);
    used += step;
    time_ += step;
  }
  return used;
}

uint64_t GroupUnit::step(uint64_t limit) {
  if (can_start()) return start();
  uint64_t used = 0;
  if (now_.running && now_.kill) {
    // Nobody moves any more.
  } else if (now_.stuck) {
    const uint64_t left = now_.watchdog - std::min<uint64_t>(now_.watchdog, now_.cycles);
    used = std::min(limit, std::max<uint64_t>(left, 1));
  } else {
    if (now_.ahead == 0) {
      const Group::Turn turn = group_.turn();
      now_.stuck = turn.moved == 0;
      now_.ahead = turn.cycles;
    }
    used = std::min(limit, now_.ahead);
    now_.ahead -= used;
  }
  tell_fault();
  if (!now_.running) return used;
  now_.cycles += used;
  if (now_.ahead != 0 && !now_.kill) return used;
  bool by_watchdog = false;
  if (const uint32_t unfinished = group_.unfinished(); unfinished != 0) {
    by_watchdog = now_.watchdog != 0 && now_.cycles >= now_.watchdog;
    if (!by_watchdog && !now_.kill) return used;
    group_.abandon(unfinished, by_watchdog ? Cause::kWatchdog : Cause::kKilled);
    tell_fault();
  }
  const bool failed = !group_.finish().ok();
  if (outside_.mistakes) outside_.mistakes(group_, group_.take_findings());
  now_.running = false;
  now_.ahead = 0;
  now_.cycles += costs::kToEnd;
  end(failed, by_watchdog);
  if (failed && now_.hold) now_.held = true;
  return used + costs::kToEnd + kToNext + (failed ? kRestart : 0);
}

// What need not run, or cannot, ends at once.
uint64_t GroupUnit::start() {
  const Queued next = std::move(now_.queue.front());
  now_.queue.pop_front();
  const bool flushed = now_.doomed != 0;
  if (flushed) --now_.doomed;
  ++now_.started;
  now_.notify = next.notify;
  now_.waited = std::max<uint64_t>(time_ - next.came, 1);
  now_.cycles = 0;
  now_.ahead = 0;
  now_.kill = false;
  now_.stuck = false;
  const bool refused = flushed || (next.launch.mask & group_.stopped()) != 0 || !group_.begin(next.launch);
  now_.running = !refused && next.launch.mask != 0;
  if (!now_.running) {
    end(refused, false);
    if (refused && !flushed && now_.hold) now_.held = true;
  }
  return now_.running ? kToOffer : kToOffer + kToNext;
}

void GroupUnit::end(bool failed, bool by_watchdog) {
  namespace reg = regs::cg::launch_cycles;
  const uint64_t cycles = std::min(now_.cycles, kMostCycles);
  now_.ended = now_.started;
  now_.results[now_.ended % kResults] = reg::kRun.put(cycles) | reg::kWatchdog.put(by_watchdog) |
                                        reg::kFailed.put(failed) | reg::kWaited.put(now_.waited);
  ++now_.launches;
  if (failed) ++now_.failures;
  outside_.done(launch::encode_done({.sequence = now_.ended,
                                     .failed = failed,
                                     .watchdog = by_watchdog,
                                     .cycles = static_cast<uint32_t>(cycles)}),
                now_.notify);
}

void GroupUnit::tell_fault() {
  const bool fault = now_.cpe_fault_enable && pending() != 0;
  const bool rises = fault && !now_.fault;
  now_.fault = fault;
  if (rises) outside_.fault();
}

}  // namespace swai::iss::cpe
