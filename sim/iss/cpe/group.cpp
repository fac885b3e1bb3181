// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/group.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>

#include "sim/iss/cpe/costs.hpp"
#include "sim/iss/cpe/earliest.hpp"
#include "sim/iss/cpe/masks.hpp"
#include "sim/iss/cpe/text.hpp"

namespace swai::iss::cpe {

namespace {

constexpr unsigned kRestarts = 3;

}  // namespace

const char* text(Ending ending) {
  switch (ending) {
    case Ending::kDone:
      return "done";
    case Ending::kFailed:
      return "failed";
    case Ending::kDeadlock:
      return "deadlock";
    case Ending::kLimit:
      return "instruction limit";
    case Ending::kRefused:
      return "refused";
  }
  return "";
}

Group::Group(unsigned rows, unsigned columns, Memory& memory) : Group(rows, columns, memory, Options{}) {}

Group::Group(unsigned rows, unsigned columns, Memory& memory, const Options& options)
    : rows_(rows),
      columns_(columns),
      turn_(options.turn),
      all_(static_cast<uint32_t>((uint64_t{1} << (rows * columns)) - 1)),
      port_(memory),
      code_(port_),
      sync_(rows, columns),
      memories_(static_cast<uint8_t*>(std::calloc(size_t{rows} * columns, kLdmBytes))),
      ldm_(memories_.get(), size_t{rows} * columns * kLdmBytes),
      records_(rows * columns),
      restarts_(rows * columns),
      used_(rows * columns),
      workers_(options.workers),
      worthwhile_(options.worthwhile) {
  if (rows == 0 || rows > 4 || columns == 0 || columns > 8 || options.turn == 0) {
    throw std::invalid_argument("a core group has 1 to 4 rows and 1 to 8 columns");
  }
  if (memories_ == nullptr) throw std::bad_alloc();
  const auto ldm = [&](unsigned cpe) { return ldm_.subspan(size_t{cpe} * kLdmBytes, kLdmBytes); };
  channels_.reserve(rows + columns);
  for (unsigned row = 0; row < rows; ++row) {
    std::vector<std::span<uint8_t>> ends;
    for (unsigned column = 0; column < columns; ++column) ends.push_back(ldm(row * columns + column));
    channels_.emplace_back(std::move(ends));
  }
  for (unsigned column = 0; column < columns; ++column) {
    std::vector<std::span<uint8_t>> ends;
    for (unsigned row = 0; row < rows; ++row) ends.push_back(ldm(row * columns + column));
    channels_.emplace_back(std::move(ends));
  }
  for (unsigned number = 0; number < rows * columns; ++number) {
    const unsigned row = number / columns;
    const unsigned column = number % columns;
    const Hart::Identity identity{.id = static_cast<uint8_t>(options.number << 5 | row << 3 | column),
                                  .config = rows | columns << 8 | kLdmBytes / 1024 << 16};
    cpes_.push_back(std::make_unique<Cpe>(
        Cpe::Surroundings{code_, port_, sync_, hbm_, channels_[row], channels_[rows + column]}, ldm(number),
        number, columns, identity));
  }
}

void Group::set_daemon(const Daemon& daemon) {
  daemon_ = daemon;
  port_.set_daemon_segment(daemon.segment);
}

void Group::boot(const Daemon& daemon, uint32_t mask) {
  set_daemon(daemon);
  invalidate_code();
  mask &= all_;
  for_each(mask, [&](unsigned i) {
    cpes_[i]->reset(daemon.pc);
    restarts_[i] = 0;
  });
  enabled_ |= mask;
}

void Group::disable(uint32_t mask) {
  for_each(mask & all_, [&](unsigned i) { cpes_[i]->reset(daemon_.pc); });
  enabled_ &= ~mask;
}

void Group::prepare(const Launch& launch) {
  if (launch.code_segment != launch_.code_segment || launch.context != launch_.context) invalidate_code();
  launch_ = launch;
  port_.set_launch(launch.code_segment, launch.argument_segment, launch.context);
  sync_.set_active(launch.mask);
  for (unsigned row = 0; row < rows_; ++row) {
    const uint32_t mask = launch.mask >> (row * columns_) & ((1u << columns_) - 1);
    channels_[row].set_participants(static_cast<uint8_t>(mask));
  }
  for (unsigned column = 0; column < columns_; ++column) {
    uint8_t mask = 0;
    for (unsigned row = 0; row < rows_; ++row) {
      mask |= static_cast<uint8_t>((launch.mask >> (row * columns_ + column) & 1) << row);
    }
    channels_[rows_ + column].set_participants(mask);
  }
  launched_ = time_;
  for_each(launch.mask, [&](unsigned i) {
    cpes_[i]->give(launch);
    cpes_[i]->clock().release(launched_);
  });
  used_.assign(used_.size(), 0);
  abandoned_ = 0;
}

bool Group::begin(const Launch& launch) {
  if ((launch.mask & ~enabled_) != 0) return false;
  prepare(launch);
  return true;
}

Result Group::launch(const Launch& launch) {
  if (!begin(launch)) {
    return {.ending = Ending::kRefused,
            .faults = std::vector<Fault>(size()),
            .instructions = std::vector<uint64_t>(size())};
  }
  const Ending ending = run();
  std::vector<std::string> states;
  if (ending != Ending::kDone) {
    for (unsigned i = 0; i < size(); ++i) states.push_back(describe(i));
  }
  abandon(unfinished(), Cause::kWatchdog);
  Result result = finish();
  result.ending = ending;
  result.states = std::move(states);
  return result;
}

// Collects what the CPEs of the launch have done, and restarts them if one failed.
Result Group::finish() {
  Result result{.faults = std::vector<Fault>(size()), .instructions = std::vector<uint64_t>(size())};
  for_each(launch_.mask, [&](unsigned i) {
    Cpe& cpe = *cpes_[i];
    result.instructions[i] = cpe.launch_instructions();
    if (lost(i)) {
      result.faults[i] = cpe.fault();
      result.failed |= uint32_t{1} << i;
    }
    cpe.withdraw();
  });
  result.cycles = time_ - launched_;
  if (result.failed != 0) {
    result.ending = Ending::kFailed;
    for_each(launch_.mask & enabled_, [&](unsigned i) { cpes_[i]->reset(daemon_.pc); });
  }
  return result;
}

// It will not come to the end of the launch: it has stopped in it, or before it could take it.
bool Group::lost(unsigned cpe) const {
  if ((abandoned_ >> cpe & 1) != 0) return true;
  const Cpe& it = *cpes_[cpe];
  return it.stopped() && (it.failed_launch() || !it.finished());
}

uint32_t Group::unfinished() const {
  uint32_t mask = 0;
  for_each(launch_.mask, [&](unsigned i) {
    if (!lost(i) && !cpes_[i]->finished()) mask |= uint32_t{1} << i;
  });
  return mask;
}

void Group::abandon(uint32_t mask, Cause cause) {
  for_each(mask & unfinished(), [&](unsigned i) {
    cpes_[i]->stop(cause);
    cpes_[i]->withdraw();
    record(i);
    abandoned_ |= uint32_t{1} << i;
  });
}

Ending Group::run() {
  while (true) {
    const uint32_t left = unfinished();
    bool failed = false;
    bool over = false;
    for_each(launch_.mask, [&](unsigned i) {
      failed = failed || lost(i);
      over = over || ((left >> i & 1) != 0 && limit_ != 0 && used_[i] >= limit_);
    });
    if (left == 0) return failed ? Ending::kFailed : Ending::kDone;
    if (over) return Ending::kLimit;
    // Only those that are left could help each other.
    if ((turn().moved & left) == 0) return Ending::kDeadlock;
  }
}

// CPEs run as if at the same time: what one does is there for the others when the round has ended.
Group::Turn Group::turn() {
  Turn turn;
  std::array<uint64_t, 32> counts{};
  std::array<uint64_t, 32> taken{};
  uint32_t ran = 0;
  for_each(enabled_, [&](unsigned i) {
    if (cpes_[i]->stopped()) return;
    ran |= uint32_t{1} << i;
    taken[i] = cpes_[i]->taken();
  });
  run_cpes(ran, counts);
  uint32_t moved = 0;
  for_each(ran, [&](unsigned i) { moved |= uint32_t{counts[i] != 0} << i; });
  tell_time(moved);
  for_each(ran, [&](unsigned i) {
    Cpe& cpe = *cpes_[i];
    cpe.commit();
    used_[i] += counts[i];
    if (counts[i] != 0 || cpe.stopped()) turn.moved |= uint32_t{1} << i;
    if (cpe.taken() != taken[i]) restarts_[i] = 0;
    if (!cpe.stopped()) return;
    record(i);
    if (!cpe.failed_launch()) restart_or_give_up(i);
  });
  bool others = sync_.release([&](uint32_t released) {
    uint64_t last = 0;
    for_each(released, [&](unsigned i) { last = std::max(last, cpes_[i]->clock().time()); });
    for_each(released, [&](unsigned i) { cpes_[i]->clock().release(last + costs::kBarrier); });
  });
  for (Channel& channel : channels_) others = channel.move() || others;
  if (others) turn.moved |= ran;
  const uint64_t before = time_;
  for_each(turn.moved, [&](unsigned i) { time_ = std::max(time_, cpes_[i]->clock().time()); });
  turn.cycles = time_ - before;
  return turn;
}

// New code makes all CPEs wait that run: nearly always they run the same. Without any, an instruction was
// fetched that nobody could execute.
void Group::wait_for_code(uint32_t mask) {
  uint64_t first = mask == 0 ? time_ : ~uint64_t{0};
  for_each(mask, [&](unsigned i) { first = std::min(first, cpes_[i]->clock().time()); });
  uint64_t time = first;
  for (const uint32_t line : code_.take_entered()) {
    time = hbm_.take_line(time, line, false) +
           (line != 0 && code_.was_entered(line - 1) ? costs::kCodeAhead : costs::kCodeMiss);
  }
  if (time != first) for_each(mask, [&](unsigned i) { cpes_[i]->clock().wait_for_code(time - first); });
}

// Goes through what CPEs have noted in the round, in the order of time.
void Group::tell_time(uint32_t mask) {
  wait_for_code(mask);
  uint32_t left = 0;  // that have notes
  for_each(mask, [&](unsigned i) { left |= uint32_t{cpes_[i]->clock().has_notes_left()} << i; });
  if (left != 0) go_through_notes(left);
  for_each(mask, [&](unsigned i) { cpes_[i]->clock().catch_up(cpes_[i]->hart().cycles()); });
}

// Of these CPEs. The DMA engines of others may have something to do, too.
void Group::go_through_notes(uint32_t left) {
  std::array<uint64_t, 32> times{};
  times.fill(Clock::kNever);
  uint64_t last = 0;  // note
  const auto look = [&](unsigned i) {
    const Clock& clock = cpes_[i]->clock();
    if ((left >> i & 1) == 0) return;
    last = std::max(last, clock.last_note());
    if (!clock.has_notes_left()) left &= ~(uint32_t{1} << i);
  };
  for_each(all_, [&](unsigned i) {
    Clock& clock = cpes_[i]->clock();
    clock.go_on_alone();
    times[i] = clock.next();
    look(i);
  });
  Earliest earliest(times);
  while (left != 0 || earliest.time() < last) {
    const unsigned first = earliest.first();
    Clock& clock = cpes_[first]->clock();
    clock.go_on();
    earliest.set(first, clock.next());
    look(first);
  }
}

void Group::run_cpes(uint32_t mask, std::array<uint64_t, 32>& counts) {
  const auto run = [&](unsigned i, Cpe::Company company) {
    uint64_t limit = turn_;
    if (limit_ != 0) limit = std::min(limit, limit_ - std::min(limit_, used_[i]));
    counts[i] += cpes_[i]->run(limit - counts[i], company, observer_);
  };
  for_each(mask, [&](unsigned i) {
    if (cpes_[i]->still_waits()) mask &= ~(uint32_t{1} << i);
  });
  run_together(mask, [&](unsigned i) { run(i, Cpe::Company::kOthers); });
  for_each(mask, [&](unsigned i) {
    if (cpes_[i]->wants_to_be_alone()) run(i, Cpe::Company::kNobody);
  });
}

void Group::run_together(uint32_t mask, const std::function<void(unsigned cpe)>& run) {
  const auto start = std::chrono::steady_clock::now();
  const bool share = workers_ != nullptr && workers_->count() > 1 && !observer_ && last_round_ >= worthwhile_;
  if (share) {
    workers_->run(size(), [&](unsigned i) {
      if ((mask >> i & 1) != 0) run(i);
    });
  } else {
    for_each(mask, run);
  }
  last_round_ = (std::chrono::steady_clock::now() - start) * (share ? workers_->count() : 1);
}

uint32_t Group::asleep() const {
  uint32_t mask = 0;
  for_each(enabled_, [&](unsigned i) {
    if (cpes_[i]->asleep()) mask |= uint32_t{1} << i;
  });
  return mask;
}

uint64_t Group::lines_read() const {
  uint64_t lines = 0;
  for (const auto& cpe : cpes_) lines += cpe->memory().lines_read();
  return lines;
}

uint64_t Group::lines_written() const {
  uint64_t lines = 0;
  for (const auto& cpe : cpes_) lines += cpe->memory().lines_written();
  return lines;
}

void Group::look_for_mistakes() {
  for (const auto& cpe : cpes_) cpe->look_for_mistakes();
}

std::vector<Finding> Group::take_findings() {
  std::vector<Finding> all;
  for (const auto& cpe : cpes_) {
    if (Check* const check = cpe->check()) {
      for (const Finding& finding : check->take_findings()) add_finding(all, finding);
    }
  }
  return all;
}

void Group::clear_faults(uint32_t mask) {
  for_each(mask & all_, [&](unsigned i) { records_[i] = {}; });
}

void Group::record(unsigned cpe) {
  ++faults_;
  if (records_[cpe].cause == Cause::kNone) records_[cpe] = cpes_[cpe]->fault();
}

void Group::restart_or_give_up(unsigned cpe) {
  if (restarts_[cpe] == kRestarts) {
    enabled_ &= ~(uint32_t{1} << cpe);  // still stopped, with its fault
    if (!cpes_[cpe]->finished()) abandoned_ |= uint32_t{1} << cpe;
    cpes_[cpe]->withdraw();
    return;
  }
  ++restarts_[cpe];
  cpes_[cpe]->reset(daemon_.pc);
}

std::string Group::describe(unsigned cpe) const {
  const Cpe& it = *cpes_.at(cpe);
  if ((enabled_ >> cpe & 1) != 0) return it.describe();
  return it.stopped() ? "given up: " + it.describe() : "in reset";
}

}  // namespace swai::iss::cpe
