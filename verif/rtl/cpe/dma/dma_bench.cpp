// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/cpe/dma/dma_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "wires.hpp"

namespace swai::cpe {

using verif::check;
using verif::Field;

namespace {

constexpr unsigned kIssueBits = wires::cpe::issue::kBits;
constexpr unsigned kRequestBits = wires::cpe::mem_req::kBits;
constexpr unsigned kAccessRead = 2;
constexpr unsigned kAccessWrite = 3;
// After its last answer a transfer counts as complete in the next cycle, one transfer a cycle.
constexpr uint64_t kLatestComplete = 10;
#ifdef DMA_SERIAL
constexpr bool kSerial = true;  // commands wait for the transfer before them
#else
constexpr bool kSerial = false;
#endif

Memories random_memories(verif::Random& random) {
  Memories memories;
  memories.ldm.resize(kLdmBytes);
  // The first and the last offsets that there are, and two somewhere.
  constexpr uint64_t kSegmentBytes = 192 * 1024;
  const uint64_t bases[] = {0, kOffsets - kSegmentBytes, random.below(kOffsets / 2) & ~uint64_t{4095},
                            random.below(kOffsets / 2) & ~uint64_t{4095}};
  for (const uint64_t base : bases) {
    const auto number = static_cast<uint16_t>(random.below(0x4000) * 4 + memories.segments.size());
    memories.segments.push_back({number, base, std::vector<uint8_t>(kSegmentBytes)});
    for (auto& byte : memories.segments.back().bytes) byte = static_cast<uint8_t>(random.next());
  }
  for (auto& byte : memories.ldm) byte = static_cast<uint8_t>(random.next());
  return memories;
}

}  // namespace

DmaBench::DmaBench(uint64_t seed)
    : Bench(seed),
      actual(random_memories(random())),
      model(actual),
      issue_stalls_(random()),
      ready_stalls_(random()),
      answer_stalls_(random()),
      line_stalls_(random()) {
  add(*this);
  restart();
  fill_ldm();
}

void DmaBench::restart() {
  top().halt_i = 0;
  top().ends_i = 0;
  top().issue_valid_i = 0;
  top().rsp_valid_i = 0;
  top().mem_ready_i = 0;
  top().line_go_i = 0;
  top().e_valid_i = 0;
  top().a_valid_i = 0;
  reset();
  model.stopped(actual);
  command_.reset();
  open_.clear();
  answering_.reset();
  fault_.reset();
  failed_tickets_.clear();
  foreground_.clear();
  offered_ = false;
  was_halted_ = false;
  reading_ = {};
  last_answers_.clear();
  told_.reset();
  check(!top().busy_o && !top().foreground_o && top().quiet_o && !top().fault_valid_o,
        "not idle after reset");
}

FaultRecord DmaBench::record_of(const Piece& piece, uint8_t cause) {
  return {.cause = cause,
          .access = static_cast<uint8_t>(piece.write ? kAccessWrite : kAccessRead),
          .dma = true,
          .pc = piece.pc,
          .segment = piece.segment,
          .offset = piece.offset};
}

FaultRecord DmaBench::expected_fault() const {
  if (fault_) return fault_->record;
  check(leaves_offsets(), "a fault, but nothing failed");
  return record_of(model.pieces.front(), kCauseLimit);
}

void DmaBench::end_launch() {
  check(!command_ && !top().busy_o, "a launch ends while something is under way");
  ends_ = true;
  model.end_launch();
}

void DmaBench::drive() {
  auto& t = top();
  auto& random = this->random();
  if (!command_ && (prompt || issue_stalls_.go())) command_ = next();
  Field issue(t.issue_i, 0, kIssueBits);
  issue.scramble(random);
  t.issue_valid_i = command_.has_value();
  t.ends_i = std::exchange(ends_, false);
  if (command_) {
    issue.set(wires::cpe::issue::kPc, command_->pc);
    issue.set(wires::cpe::issue::kRs2, command_->rs2);
    issue.set(wires::cpe::issue::kRs1, command_->rs1);
    issue.set(wires::cpe::issue::kOp, command_->op);
    issue.set(wires::cpe::issue::kTarget, isa::unit::kDma);
  }
  t.mem_ready_i = prompt || ready_stalls_.go();
  t.line_go_i = prompt || line_stalls_.go();
  for (unsigned i = 0; i < 2; ++i) {
    if (reading_[i]) continue;
    reading_[i] = !prompt && random.chance(50);
    Field(t.e_valid_i, i, 1).set(reading_[i]);
    Field(t.e_addr_i, 12 * i, 12).scramble(random);
  }
  drive_answer();
}

void DmaBench::drive_answer() {
  auto& t = top();
  auto& random = this->random();
  answering_.reset();
  if (latency != 0) {
    if (!open_.empty() && cycle() - open_.front().since >= latency) answering_ = 0;
  } else if (!open_.empty() && answer_stalls_.go()) {
    answering_ = random.chance(50) ? 0 : random.below(open_.size());
  }
  t.rsp_valid_i = answering_.has_value();
  Field rsp(t.rsp_i, 0, 522);
  if (!prompt) rsp.scramble(random);
  if (!answering_) return;
  auto& open = open_[*answering_];
  if (random.chance(fail_percent))
    open.cause = static_cast<uint8_t>(random.between(kCauseNoSegment, kCausePoison));
  rsp.set(wires::cpe::mem_rsp::kCause, open.cause);
  rsp.set(wires::cpe::mem_rsp::kTag, open.tag);
  rsp.set(wires::cpe::mem_rsp::kKind, wires::cpe::mem_kind::kMemDma);
  if (open.piece.write || open.cause != kNoCause) return;
  for (unsigned i = 0; i < open.piece.bytes; ++i) {
    const uint8_t* byte = actual.at(open.piece.segment, open.piece.offset + i);
    rsp.set(8 * ((open.piece.ldm + i) % kLine), 8, *byte);
  }
}

void DmaBench::sample() {
  sample_answer();
  sample_foreground();
  sample_memory();
  sample_issue();
  sample_request();
  check(top().quiet_o == !outstanding(), "quiet_o");
  if (answering_) {
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(*answering_));
    answering_.reset();
  }
  if (top().mem_valid_o && top().mem_ready_i) offered_ = false;
  was_halted_ = top().halt_i;
}

uint64_t DmaBench::some_time_ago() const { return cycle() - std::min(cycle(), kLatestComplete); }

bool DmaBench::is_complete(uint32_t ticket, uint64_t since) const {
  if (static_cast<int32_t>(model.begun() - ticket) < 0) return false;
  if (told_ && static_cast<int32_t>(*told_ - ticket) >= 0) return true;
  const auto reaches = [&](const Piece& piece) { return static_cast<int32_t>(ticket - piece.ticket) >= 0; };
  if (!model.pieces.empty() && reaches(model.pieces.front())) return false;
  for (const auto& open : open_) {
    if (reaches(open.piece)) return false;
  }
  for (const auto& [number, when] : last_answers_) {
    if (static_cast<int32_t>(ticket - number) >= 0 && when > since) return false;
  }
  return true;
}

void DmaBench::sample_issue() {
  auto& t = top();
  if (!command_) return;
  if (!t.issue_ready_o) {
    const bool waits = command_->op == kWait && (stopping() || !is_complete(command_->rs1, some_time_ago()));
    const bool moves = command_->op == kLoad || command_->op == kStore;
    const bool sets = command_->op == kGlobal || command_->op == kShape || command_->op == kClass;
    const bool full = kSerial ? (moves || sets) && (t.busy_o || t.halt_i) : moves;
    check(waits || full, fmt::format("command {} is not taken", command_->op));
    check(kSerial || !full || !model.is_bad(*command_), "a bad command waits");
    return;
  }
  const Command command = *command_;
  command_.reset();
  const auto answer = model.take(command);
  check(t.issue_bad_o == answer.bad, fmt::format("command {} refused: {}", command.op, t.issue_bad_o));
  if (answer.waits) {
    const bool done = command.op == kWait || t.issue_rdata_o == 1;
    check(command.op == kWait || t.issue_rdata_o <= 1, "a poll gives neither 0 nor 1");
    if (done) {
      // Answers of this very cycle do not count yet: they are still open here.
      check(is_complete(answer.ticket, cycle()),
            fmt::format("{} counts as complete too early", answer.ticket));
      for (const uint32_t bad : failed_tickets_) {
        check(static_cast<int32_t>(answer.ticket - bad) < 0, "a transfer that failed counts as complete");
      }
      model.complete(answer.ticket, actual);
      if (!told_ || static_cast<int32_t>(answer.ticket - *told_) > 0) told_ = answer.ticket;
    } else {
      check(stopping() || !is_complete(answer.ticket, some_time_ago()),
            fmt::format("{} does not count as complete", answer.ticket));
    }
  } else if (!answer.bad && (command.op == kLoad || command.op == kStore)) {
    check(t.issue_rdata_o == answer.data,
          fmt::format("ticket {} of transfer {}", t.issue_rdata_o, answer.data));
    if (!model.background()) foreground_.push_back(answer.data);
  }
  on_taken(command, answer, t.issue_rdata_o);
}

// foreground_o holds from the cycle after the command until the transfer counts as complete, like its ticket;
// after a failure no transfer does.
void DmaBench::sample_foreground() {
  auto& t = top();
  std::erase_if(foreground_, [&](uint32_t ticket) { return is_complete(ticket, some_time_ago()); });
  if (t.foreground_o) {
    check(t.busy_o && (stopping() || !foreground_.empty()), "foreground, but no such transfer is under way");
  } else {
    for (const uint32_t ticket : foreground_)
      check(is_complete(ticket, cycle()), fmt::format("transfer {} is in the foreground", ticket));
    background_cycles += t.busy_o;
  }
}

// The line port of the local memory.
void DmaBench::sample_memory() {
  auto& t = top();
  if (t.line_we_o) {
    check(answering_.has_value(), "a line write without an answer");
    const auto& piece = open_[*answering_].piece;
    check(!piece.write && open_[*answering_].cause == kNoCause, "a line write that nothing asks for");
    check(t.line_waddr_o == piece.ldm && t.line_wbytes_o == piece.bytes, "a line write goes astray");
    const Field data(t.line_wdata_o, 0, 512);
    for (unsigned i = 0; i < piece.bytes; ++i) {
      const unsigned at = piece.ldm + i;
      actual.ldm[at] = static_cast<uint8_t>(data.get(8 * (at % kLine), 8));
    }
    loaded += piece.bytes;
  } else if (answering_) {
    const auto& open = open_[*answering_];
    check(open.piece.write || open.cause != kNoCause, "an answer was not written");
  }
  if (t.line_re_o && t.line_re_ready_o) {
    check(t.line_rbytes_o >= 1 && t.line_rbytes_o <= kLine && t.line_raddr_o + t.line_rbytes_o <= kLdmBytes,
          "a line read is not legal");
  }
  for (unsigned i = 0; i < 2; ++i) {
    if (Field(t.e_ready_o, i, 1).get() == 1) reading_[i] = false;
  }
}

// The local memory's access port: nothing else is at work.
void DmaBench::fill_ldm() {
  auto& t = top();
  for (uint32_t at = 0; at < kLdmBytes; at += 8) {
    t.a_valid_i = 1;
    t.a_write_i = 1;
    t.a_addr_i = static_cast<uint16_t>(at / 8);
    std::memcpy(&t.a_wdata_i, &actual.ldm[at], 8);
    settle();
    check(t.a_ready_o, "the access port waits");
    tick();
  }
  t.a_valid_i = 0;
}

void DmaBench::compare_ldm() {
  auto& t = top();
  t.e_valid_i = 0;
  t.issue_valid_i = 0;
  t.rsp_valid_i = 0;
  t.a_write_i = 0;
  reading_ = {};
  for (uint32_t at = 0; at < kLdmBytes; at += 8) {
    t.a_valid_i = 1;
    t.a_addr_i = static_cast<uint16_t>(at / 8);
    settle();
    check(t.a_ready_o, "the access port waits");
    tick();
    settle();
    check(std::memcmp(&t.a_rdata_o, &actual.ldm[at], 8) == 0, "local memory is not what was written");
  }
  t.a_valid_i = 0;
}

void DmaBench::sample_answer() {
  auto& t = top();
  unsigned moved = 0;
  if (answering_) {
    auto& open = open_[*answering_];
    ++answers;
    if (open.cause == kNoCause) {
      moved = open.piece.bytes;
      for (unsigned i = 0; open.piece.write && i < moved; ++i) {
        *actual.at(open.piece.segment, open.piece.offset + i) = open.data[i];
      }
      if (open.piece.write) stored += moved;
    } else if (!fault_ || open.number < fault_->number) {
      fault_ = Failed{.number = open.number, .record = record_of(open.piece, open.cause)};
    }
    if (open.cause != kNoCause) failed_tickets_.push_back(open.piece.ticket);
    std::erase_if(last_answers_, [&](const auto& last) { return last.second < some_time_ago(); });
    last_answers_.emplace_back(open.piece.ticket, cycle());
  }
  check(t.event_bytes_o == moved, "event_bytes_o");
}

void DmaBench::sample_request() {
  auto& t = top();
  if (!t.mem_valid_o) {
    check(!offered_, "a request was withdrawn");
    return;
  }
  const Field mem(t.mem_o, 0, kRequestBits);
  std::array<uint8_t, 75> now{};
  for (unsigned i = 0; i < now.size(); ++i) {
    now[i] = static_cast<uint8_t>(mem.get(8 * i, std::min(8U, kRequestBits - 8 * i)));
  }
  if (offered_) {
    check(now == offer_, "a request changed while it waited");
  } else {
    check(!was_halted_, "a new request while halted");
    check(!t.fault_valid_o, "a new request after a fault");
  }
  offered_ = true;
  offer_ = now;
  if (!t.mem_ready_i) return;
  check(!model.pieces.empty(), "a request of no transfer");
  const Piece piece = model.pieces.front();
  check(!piece.outside, "a request for what no offset names");
  model.pieces.pop_front();
  check(mem.get(wires::cpe::mem_req::kBytes) == piece.bytes &&
            mem.get(wires::cpe::mem_req::kLane) == piece.ldm % kLine &&
            mem.get(wires::cpe::mem_req::kOffset) == piece.offset &&
            mem.get(wires::cpe::mem_req::kSegment) == piece.segment &&
            mem.get(wires::cpe::mem_req::kScalar) == 0 && mem.get(wires::cpe::mem_req::kWrite) == piece.write,
        fmt::format("a request of {} bytes at {:#x} is not the next piece, {} bytes at {:#x}",
                    mem.get(wires::cpe::mem_req::kBytes), mem.get(wires::cpe::mem_req::kOffset), piece.bytes,
                    piece.offset));
  Open open{.piece = piece,
            .tag = static_cast<uint8_t>(mem.get(wires::cpe::mem_req::kTag)),
            .number = requests++,
            .since = cycle(),
            .cause = 0,
            .data = {}};
  for (const auto& other : open_) check(other.tag != open.tag, fmt::format("tag {} is used twice", open.tag));
  for (unsigned i = 0; piece.write && i < piece.bytes; ++i) {
    open.data[i] = static_cast<uint8_t>(mem.get(8 * ((piece.ldm + i) % kLine), 8));
  }
  open_.push_back(open);
}

}  // namespace swai::cpe
