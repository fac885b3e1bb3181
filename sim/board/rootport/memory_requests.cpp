// SPDX-License-Identifier: Apache-2.0
#include "sim/board/rootport/memory_requests.hpp"

#include <algorithm>

namespace swai::rootport {
namespace {

using State = Iommu::Transfer::State;

constexpr uint16_t kRootId = 0;

bool enabled(const Tlp& tlp, unsigned byte) {
  const unsigned word = byte / 4;
  const unsigned be = word == 0 ? tlp.first_be : word + 1u == tlp.length ? tlp.last_be : 0xFu;
  return (be >> byte % 4 & 1) != 0;
}

// The next run of enabled bytes from `from` on: [start, end), empty at the end of the payload.
struct Run {
  unsigned start;
  unsigned end;
};
Run next_run(const Tlp& tlp, unsigned from) {
  const unsigned all = tlp.length * 4u;
  while (from < all && !enabled(tlp, from)) ++from;
  unsigned end = from;
  while (end < all && enabled(tlp, end)) {
    // All of the doublewords between the first and the last one are enabled.
    end = end >= 4 && end < all - 4 ? all - 4 : end + 1;
  }
  return {from, end};
}

}  // namespace

MemoryRequests::MemoryRequests(Port port)
    : port_(std::move(port)), split_(port_.options.split_seed), reorder_(port_.options.reorder_seed) {}

void MemoryRequests::read(const Tlp& tlp, uint64_t cycle) {
  Read& read = reads_.push();
  read.cycle = cycle + port_.options.memory_latency;
  read.tlp = tlp;
}

// Begins the transfer, or looks whether it has got on.
State MemoryRequests::transfer(uint64_t cycle, Access access, uint64_t address, std::span<uint8_t> buffer) {
  if (!busy_) transfer_.begin(port_.iommu, cycle, access, address, buffer);
  const State state = transfer_.state();
  busy_ = state == State::kWaiting;
  return state;
}

bool MemoryRequests::write(const Tlp& tlp, uint64_t cycle) {
  for (;;) {
    const Run run = next_run(tlp, write_done_);
    if (run.start == run.end) break;
    const unsigned bytes = run.end - run.start;
    if (!busy_) std::copy_n(tlp.data.begin() + run.start, bytes, buffer_.begin());
    const State state = transfer(cycle, Access::kWrite, tlp.address + run.start, {buffer_.data(), bytes});
    if (state == State::kWaiting) return false;
    if (state == State::kFault) {
      ++port_.counters.refused_requests;
      break;
    }
    write_done_ = run.end;
  }
  write_done_ = 0;
  return true;
}

bool MemoryRequests::run(uint64_t cycle) {
  while (!reads_.empty() && reads_.front().cycle <= cycle) {
    if (!read_now(reads_.front().tlp, cycle)) return false;
    port_.release(reads_.front().tlp);
    reads_.pop();
  }
  while (!answers_.empty() && answers_.top().cycle <= cycle) {
    port_.send(answers_.top().tlp);
    answers_.pop();
  }
  return true;
}

bool MemoryRequests::read_now(const Tlp& request, uint64_t cycle) {
  FaultKnobs& faults = port_.faults;
  if (!busy_) {
    if (faults.next(Fault::kUnsupportedRead)) {
      refuse(request, CplStatus::kUnsupported, cycle);
      return true;
    }
    if (faults.next(Fault::kAbortRead)) {
      refuse(request, CplStatus::kAbort, cycle);
      return true;
    }
  }
  if (request.first_be == 0) {
    // A read of nothing asks only for an answer behind the writes before it.
    buffer_[0] = 0;
    answer(request, cycle);
    return true;
  }
  const State state = transfer(cycle, Access::kRead, request.address + request.first_byte(),
                               {buffer_.data(), request.byte_span()});
  if (state == State::kWaiting) return false;
  if (state == State::kDone) {
    answer(request, cycle);
  } else {
    ++port_.counters.refused_requests;
    refuse(request, CplStatus::kUnsupported, cycle);
  }
  return true;
}

void MemoryRequests::refuse(const Tlp& request, CplStatus status, uint64_t cycle) {
  queue(completion(request, status, kRootId), cycle, cycle);
}

void MemoryRequests::answer(const Tlp& request, uint64_t cycle) {
  const unsigned all = request.byte_span();
  const uint64_t address = request.address + request.first_byte();
  uint64_t not_before = cycle;
  for (unsigned done = 0; done < all;) {
    const unsigned bytes = piece(address + done, all - done);
    Tlp tlp = completion(request, done, {buffer_.data() + done, bytes}, kRootId);
    done += bytes;
    if (port_.faults.next(Fault::kDropCompletion)) continue;
    tlp.poisoned = port_.faults.next(Fault::kPoisonCompletion);
    not_before = queue(tlp, cycle, not_before);
  }
}

// How many bytes the next completion carries.
unsigned MemoryRequests::piece(uint64_t address, unsigned left) {
  const unsigned boundary = port_.options.completion_boundary;
  const auto behind = static_cast<unsigned>(address % boundary);
  const unsigned most = std::max(port_.options.max_payload / boundary, 1u);
  unsigned boundaries = most;
  if (port_.options.split == CompletionSplit::kBoundary) boundaries = 1;
  if (port_.options.split == CompletionSplit::kRandom)
    boundaries = 1 + static_cast<unsigned>(split_.below(most));
  return std::min(left, boundaries * boundary - behind);
}

// Returns the cycle in which it goes.
uint64_t MemoryRequests::queue(const Tlp& tlp, uint64_t cycle, uint64_t not_before) {
  if (port_.options.reorder == 0) {
    port_.send(tlp);
    return cycle;
  }
  const uint64_t when = std::max(not_before, cycle + reorder_.below(port_.options.reorder + 1));
  answers_.push({.cycle = when, .order = order_++, .tlp = tlp});
  return when;
}

uint64_t MemoryRequests::next_event() const {
  if (busy_) return 0;
  const uint64_t read = reads_.empty() ? UINT64_MAX : reads_.front().cycle;
  return std::min(read, answers_.empty() ? UINT64_MAX : answers_.top().cycle);
}

size_t MemoryRequests::clear() {
  const size_t lost = reads_.size() + answers_.size();
  reads_.clear();
  answers_ = {};
  transfer_.cancel();
  busy_ = false;
  write_done_ = 0;
  return lost;
}

}  // namespace swai::rootport
