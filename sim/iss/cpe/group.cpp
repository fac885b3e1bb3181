#include "sim/iss/cpe/group.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "sim/iss/cpe/text.hpp"

namespace swai::iss::cpe {

namespace {

constexpr unsigned kRestarts = 3;

template <typename F>
void for_each(uint32_t mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<unsigned>(std::countr_zero(mask)));
}

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
      ldm_(size_t{rows} * columns * kLdmBytes),
      records_(rows * columns),
      restarts_(rows * columns),
      used_(rows * columns) {
  if (rows == 0 || rows > 4 || columns == 0 || columns > 8 || options.turn == 0) {
    throw std::invalid_argument("a core group has 1 to 4 rows and 1 to 8 columns");
  }
  const auto ldm = [&](unsigned cpe) { return std::span(ldm_).subspan(size_t{cpe} * kLdmBytes, kLdmBytes); };
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
        Cpe::Surroundings{code_, port_, sync_, channels_[row], channels_[rows + column]}, ldm(number), number,
        columns, identity));
  }
}

void Group::boot(const Daemon& daemon, uint32_t mask) {
  daemon_ = daemon;
  port_.set_daemon_segment(daemon.segment);
  code_.invalidate();
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
  if (launch.code_segment != launch_.code_segment || launch.context != launch_.context) code_.invalidate();
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
  for_each(launch.mask, [&](unsigned i) { cpes_[i]->give(launch); });
  used_.assign(used_.size(), 0);
}

Result Group::launch(const Launch& launch) {
  Result result{.faults = std::vector<Fault>(size()), .instructions = std::vector<uint64_t>(size())};
  if ((launch.mask & ~enabled_) != 0) {
    result.ending = Ending::kRefused;
    return result;
  }
  prepare(launch);
  result.ending = run(launch.mask);
  if (!result.ok()) {
    for (unsigned i = 0; i < size(); ++i) result.states.push_back(describe(i));
  }
  for_each(launch.mask, [&](unsigned i) {
    if (!cpes_[i]->stopped() && !cpes_[i]->finished()) cpes_[i]->stop(Cause::kWatchdog);
  });
  return conclude(launch.mask, std::move(result));
}

// Collects what the CPEs of the launch have done, and restarts them if one failed.
Result Group::conclude(uint32_t mask, Result result) {
  for_each(mask, [&](unsigned i) {
    Cpe& cpe = *cpes_[i];
    result.instructions[i] = cpe.launch_instructions();
    if (lost(cpe)) {
      record(i);
      result.faults[i] = cpe.fault();
      result.failed |= uint32_t{1} << i;
    }
    cpe.withdraw();
  });
  if (result.failed != 0) {
    for_each(mask & enabled_, [&](unsigned i) { cpes_[i]->reset(daemon_.pc); });
  }
  return result;
}

// It will not come to the end of the launch: it has stopped in it, or before it could take it.
bool Group::lost(const Cpe& cpe) { return cpe.stopped() && (cpe.failed_launch() || !cpe.finished()); }

Ending Group::run(uint32_t mask) {
  while (true) {
    uint32_t left = 0;
    bool failed = false;
    bool over = false;
    for_each(mask, [&](unsigned i) {
      const Cpe& cpe = *cpes_[i];
      failed = failed || lost(cpe);
      if (lost(cpe) || cpe.finished()) return;
      left |= uint32_t{1} << i;
      over = over || (limit_ != 0 && used_[i] >= limit_);
    });
    if (left == 0) return failed ? Ending::kFailed : Ending::kDone;
    if (over) return Ending::kLimit;
    if (!turn(left)) return Ending::kDeadlock;
  }
}

// Each CPE has its turn. False: none of those in the mask could do anything, nor will they: only they could
// help each other.
bool Group::turn(uint32_t mask) {
  bool moved = false;
  for_each(enabled_, [&](unsigned i) {
    Cpe& cpe = *cpes_[i];
    if (cpe.stopped()) return;
    uint64_t limit = turn_;
    if (limit_ != 0) limit = std::min(limit, limit_ - std::min(limit_, used_[i]));
    const uint64_t taken = cpe.taken();
    const uint64_t count = cpe.run(limit, observer_);
    used_[i] += count;
    if ((mask >> i & 1) != 0) moved = moved || count != 0 || cpe.stopped();
    if (cpe.taken() != taken) restarts_[i] = 0;
    if (!cpe.stopped()) return;
    record(i);
    if (!cpe.failed_launch()) restart_or_give_up(i);
  });
  return moved;
}

void Group::record(unsigned cpe) {
  if (records_[cpe].cause == Cause::kNone) records_[cpe] = cpes_[cpe]->fault();
}

void Group::restart_or_give_up(unsigned cpe) {
  if (restarts_[cpe] == kRestarts) {
    enabled_ &= ~(uint32_t{1} << cpe);  // still stopped, with its fault
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
