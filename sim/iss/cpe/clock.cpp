// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/clock.hpp"

#include <algorithm>

#include "sim/iss/cpe/channel.hpp"
#include "sim/iss/cpe/costs.hpp"
#include "sim/iss/cpe/hbm_time.hpp"

namespace swai::iss::cpe {

void Clock::forget_notes() {
  notes_.clear();
  products_.clear();
  elements_.clear();
}

void Clock::reset() {
  forget_notes();
  core_ = 0;
  asleep_ = time_;
  waits_ = {};
  ends_ = {};
  moving_.clear();
}

void Clock::catch_up(uint64_t core) {
  forget_notes();
  time_ += core - core_;
  core_ = core;
}

void Clock::wait_until(uint64_t time, Reason reason) {
  if (time <= time_) return;
  waits_[reason] += time - time_;
  time_ = time;
}

void Clock::wait_for_code(uint64_t cycles) { wait_until(time_ + cycles, kForCode); }

void Clock::release(uint64_t time) {
  if (time <= time_) return;
  asleep_ += time - time_;
  time_ = time;
}

namespace {

bool is_send(Clock::Line line) { return line == Clock::kRowSends || line == Clock::kColumnSends; }
bool is_row(Clock::Line line) { return line == Clock::kRowSends || line == Clock::kRowReceives; }

Clock::Reason reason_of(Clock::Line line) {
  switch (line) {
    case Clock::kDma:
      return Clock::kForDma;
    case Clock::kRowSends:
    case Clock::kRowReceives:
      return Clock::kForRow;
    case Clock::kColumnSends:
    case Clock::kColumnReceives:
      return Clock::kForColumn;
    default:
      return Clock::kForUnits;
  }
}

}  // namespace

uint64_t Clock::end_of(Line line, uint32_t ticket) const {
  if (line < ends_.size()) return ends_[line].of(ticket);
  if (is_row(line)) return around_.row.end_of(around_.row_position, is_send(line), ticket);
  return around_.column.end_of(around_.column_position, is_send(line), ticket);
}

// The next note waits for transfers that are not through.
bool Clock::is_stuck() const {
  if (moving_.empty()) return false;
  const Note& note = notes_.all[notes_.at];
  const auto left = [&](uint32_t ticket) {
    return static_cast<int32_t>(ticket - moving_.front().ticket) >= 0;
  };
  switch (note.kind) {
    case Note::kDone:
      return true;
    case Note::kTransfer:
      return left(note.ticket - costs::kDmaTransfers);
    case Note::kWait:
      return note.line == kDma && left(note.ticket);
    default:
      return false;
  }
}

// Never: there is none, or lines of the DMA engine come first.
uint64_t Clock::next_note() const {
  if (!has_notes_left() || is_stuck()) return kNever;
  const uint64_t time = time_ + (notes_.all[notes_.at].core - core_);
  return !moving_.empty() && dma_free_ < time ? kNever : time;
}

uint64_t Clock::next() const {
  const uint64_t note = next_note();
  return note == kNever && !moving_.empty() ? dma_free_ : note;
}

void Clock::go_on_alone() {
  while (next_note() != kNever && notes_.all[notes_.at].kind != Note::kAccess) go_through_note();
}

void Clock::go_on() {
  if (next_note() == kNever) {
    move_lines();
  } else {
    go_through_note();
  }
  go_on_alone();
}

void Clock::go_through_note() {
  const Note& note = notes_.take();
  time_ += note.core - core_;
  core_ = note.core;
  last_note_ = time_;
  switch (note.kind) {
    case Note::kDone:
      for (const Line line : {kDma, kSystolic, kVector}) wait_until(ends_[line].last(), reason_of(line));
      for (const bool send : {true, false}) {
        wait_until(around_.row.last_end(around_.row_position, send), kForRow);
        wait_until(around_.column.last_end(around_.column_position, send), kForColumn);
      }
      break;
    case Note::kTransfer:
      transfer(note);
      break;
    case Note::kProduct:
      product(note.ticket, products_.take());
      break;
    case Note::kElements:
      elements(note.ticket, elements_.take());
      break;
    case Note::kChannel: {
      Channel& channel = is_row(note.line) ? around_.row : around_.column;
      const unsigned position = is_row(note.line) ? around_.row_position : around_.column_position;
      wait_until(end_of(note.line, note.ticket - Channel::kQueue), reason_of(note.line));
      channel.issued(position, is_send(note.line), note.ticket, time_);
      break;
    }
    case Note::kWait:
      wait_until(end_of(note.line, note.ticket), reason_of(note.line));
      break;
    case Note::kAccess:
      access(note);
      break;
  }
}

void Clock::access(const Note& note) {
  const auto& [lines, first, write, hops] = note.transfer;
  uint64_t served = time_;
  if (hops != 0) served = around_.hbm.take_far_lines(time_ + 1, lines, write);
  for (uint32_t n = 0; hops == 0 && n < lines; ++n)
    served = std::max(served, around_.hbm.take_line(time_ + 1, first + n, write));
  wait_until(served + (write ? costs::kWrite : costs::kRead) + costs::far(hops) + costs::kWindow, kForWindow);
}

void Clock::transfer(const Note& note) {
  wait_until(ends_[kDma].of(note.ticket - costs::kDmaTransfers), kForDma);
  if (moving_.empty()) dma_free_ = std::max(dma_free_, time_ + costs::kDmaStart);
  moving_.push_back({.ticket = note.ticket,
                     .lines = note.transfer.lines,
                     .write = note.transfer.write,
                     .hops = note.transfer.hops});
}

// As many lines as the engine has under way at once; the next ones when these are answered.
void Clock::move_lines() {
  Moving& first = moving_.front();
  const uint64_t latency = (first.write ? costs::kWrite : costs::kRead) + costs::far(first.hops);
  const uint32_t lines = std::min(first.lines, costs::kDmaTags);
  const uint64_t served = lines == 0        ? dma_free_
                          : first.hops == 0 ? around_.hbm.take_lines(dma_free_, lines, first.write)
                                            : around_.hbm.take_far_lines(dma_free_, lines, first.write);
  first.lines -= lines;
  dma_free_ =
      served + std::max<uint64_t>(1, lines * (latency + 1) / costs::kDmaTags - (lines == 0 ? 0 : lines - 1));
  if (first.lines != 0) return;
  ends_[kDma].set(first.ticket, served + latency + (first.write ? 0 : costs::kRowOpens) + costs::kDmaEnd);
  moving_.pop_front();
}

// Two runs fit in: the one that computes and the next.
void Clock::product(uint32_t ticket, const Product& run) {
  wait_until(array_before_, kForUnits);
  // The weights of a run are fetched while the one before computes.
  uint64_t time = std::max(time_ + costs::kSystolicFill, array_free_);
  array_before_ = array_free_;
  unsigned half = run.half;
  for (uint32_t block = 1; block <= run.blocks; ++block, half ^= 1) {
    const bool last = block == run.blocks;
    time = std::max(time, half_free_[half]) + (last ? run.last_array : run.array);
    const uint64_t drain = last ? run.last_drain : run.drain;
    if (drain == 0) continue;
    drain_free_ = std::max(drain_free_, time) + drain;
    half_free_[half] = drain_free_;
  }
  array_free_ = time;
  const uint64_t end = (run.last_drain != 0 ? drain_free_ : time) + costs::kSystolicEnd;
  ends_[kSystolic].set(ticket, end);
}

void Clock::elements(uint32_t ticket, const Elements& run) {
  Ends& ends = ends_[kVector];
  wait_until(ends.of(ticket - costs::kVectorRuns), kForUnits);
  const uint64_t stored = ends.last();
  const uint64_t from = run.overlap ? time_ : std::max(time_, stored);
  lanes_free_ = std::max(from + costs::kVectorFill, lanes_free_) + run.lanes;
  ends.set(ticket, lanes_free_ + run.end);
}

}  // namespace swai::iss::cpe
