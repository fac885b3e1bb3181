// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/group/channel/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/common/field.hpp"

namespace swai::channel {

using verif::check;
using verif::Field;

namespace {

template <typename Port>
uint8_t* word_of(Port& port, unsigned i) {
  return reinterpret_cast<uint8_t*>(&port) + 32 * i;
}

template <typename Port>
bool bit_of(const Port& port, unsigned i) {
  return (port >> i & 1) != 0;
}

template <typename Port>
void set_bit(Port& port, unsigned i, bool value) {
  port = static_cast<Port>((port & ~(Port{1} << i)) | (Port{value} << i));
}

}  // namespace

Row::Row(uint64_t seed) : bench_(seed) {
  Vtb_channel& pins = top();
  pins.engine_rst_ni = 0xff;
  pins.halt_i = 0;
  pins.participants_i = 0;
  pins.issue_valid_i = 0;
  pins.s_ready_i = 0;
  pins.r_ready_i = 0;
  Field(pins.issue_op_i, 0, 56).scramble(random());
  Field(pins.issue_rs1_i, 0, 256).scramble(random());
  Field(pins.issue_rs2_i, 0, 256).scramble(random());
  Field(pins.s_rdata_i, 0, 2048).scramble(random());
  bench_.reset();
  positions_ = pins.positions_o;
  for (unsigned i = 0; i < positions_; ++i) cpes_.emplace_back(random());
  for (Cpe& cpe : cpes_) cpe.memory = cpe.expected_memory = random_memory(random());
  bench_.add(*this);
}

void Row::full_speed() {
  stalling_ = false;
  for (Cpe& cpe : cpes_) {
    cpe.issue_stalls.never();
    cpe.read_stalls.never();
    cpe.write_stalls.never();
  }
}

void Row::start(const Schedule& schedule) {
  std::array<Memory, kPositions> memories;
  for (unsigned i = 0; i < positions_; ++i) {
    memories[i] = random_memory(random());
    cpes_[i].memory = cpes_[i].expected_memory = memories[i];
  }
  Outcome result = outcome(schedule, memories);
  top().participants_i = schedule.participants;
  for (unsigned i = 0; i < positions_; ++i) {
    cpes_[i].program.assign(schedule.programs[i].begin(), schedule.programs[i].end());
    // Tickets count on from what was begun before.
    for (Step& step : cpes_[i].program) {
      step.ticket += static_cast<uint32_t>(step.kind == Step::kWaitSend ? cpes_[i].send_ends.size()
                                                                        : cpes_[i].receive_ends.size());
    }
    for (const Write& write : result.writes[i]) cpes_[i].expected_memory[write.at] = write.data;
    cpes_[i].writes = std::move(result.writes[i]);
  }
  still_ = 0;
}

bool Row::finished() const {
  if (const_cast<Row*>(this)->top().busy_o != 0) return false;
  return std::all_of(cpes_.begin(), cpes_.end(), [](const Cpe& cpe) { return cpe.program.empty(); });
}

bool Row::complete() const {
  return finished() && std::all_of(cpes_.begin(), cpes_.end(),
                                   [](const Cpe& cpe) { return cpe.writes.empty() && cpe.reads.empty(); });
}

void Row::compare_memories() const {
  for (unsigned i = 0; i < positions_; ++i) {
    for (unsigned w = 0; w < kWords; ++w) {
      check(cpes_[i].memory[w] == cpes_[i].expected_memory[w], fmt::format("CPE {}: word {} is wrong", i, w));
    }
  }
}

void Row::halt(uint8_t mask) {
  halt_ |= mask;
  for (unsigned i = 0; i < positions_; ++i) {
    if (mask >> i & 1) cpes_[i].program.clear();
  }
}

void Row::reset_engines() {
  // Halt and reset together last two cycles or more, see cpe_channel.
  const bool halted = std::all_of(cpes_.begin(), cpes_.end(), [](const Cpe& cpe) { return cpe.halted != 0; });
  top().engine_rst_ni = 0;
  bench_.steps(random().between(halted ? 1 : 2, 3));
  top().engine_rst_ni = 0xff;
  halt_ = 0;
  for (Cpe& cpe : cpes_) {
    cpe.program.clear();
    cpe.issuing = false;
    cpe.reads.clear();
    cpe.writes.clear();
    cpe.send_ends.clear();
    cpe.receive_ends.clear();
    cpe.sent = 0;
    cpe.written = 0;
    cpe.read_waits = false;
    cpe.write_waits = false;
    cpe.wait_is_over = false;
    cpe.fresh = -1;
    cpe.halted = 0;
  }
}

void Row::drive() {
  Vtb_channel& pins = top();
  pins.halt_i = halt_;
  for (unsigned i = 0; i < positions_; ++i) {
    Cpe& cpe = cpes_[i];
    if (bit_of(halt_, i) || !bit_of(pins.engine_rst_ni, i))
      cpe.issuing = false;
    else if (!cpe.issuing)
      cpe.issuing = !cpe.program.empty() && cpe.issue_stalls.go();
    set_bit(pins.issue_valid_i, i, cpe.issuing);
    Field op(pins.issue_op_i, 7 * i, 7);
    Field rs1(pins.issue_rs1_i, 32 * i, 32);
    Field rs2(pins.issue_rs2_i, 32 * i, 32);
    if (cpe.issuing) {
      op.set(cpe.program.front().kind);
      rs1.set(cpe.program.front().rs1());
      rs2.set(cpe.program.front().rs2());
    } else if (stalling_) {
      op.scramble(random());
      rs1.scramble(random());
      rs2.scramble(random());
    }
    set_bit(pins.s_ready_i, i, cpe.read_stalls.go() && !random().chance(conflicts_));
    set_bit(pins.r_ready_i, i, cpe.write_stalls.go() && !random().chance(conflicts_));
    if (cpe.fresh >= 0) {
      std::memcpy(word_of(pins.s_rdata_i, i), cpe.memory[static_cast<unsigned>(cpe.fresh)].data(), 32);
    } else if (stalling_) {
      Field(pins.s_rdata_i, 256 * i, 256).scramble(random());
    }
    cpe.fresh = -1;
  }
}

void Row::sample() {
  ++still_;
  for (unsigned i = 0; i < positions_; ++i) {
    if (!bit_of(top().engine_rst_ni, i)) continue;
    sample_halted(i);
    if (bit_of(top().event_sent_o, i)) {
      ++words_sent_;
      ++cpes_[i].sent;
      still_ = 0;
    }
    if (bit_of(top().event_received_o, i)) {
      ++words_received_;
      still_ = 0;
    }
    sample_issue(i);
    sample_memory(i);
  }
}

// What has moved when halt_i comes is nobody's business any more, but then nothing moves.
void Row::sample_halted(unsigned i) {
  Cpe& cpe = cpes_[i];
  cpe.halted = bit_of(top().halt_i, i) ? cpe.halted + 1 : 0;
  if (cpe.halted < 2) return;
  const bool moves = bit_of(top().busy_o, i) || bit_of(top().s_valid_o, i) || bit_of(top().r_valid_o, i) ||
                     bit_of(top().event_sent_o, i) || bit_of(top().event_received_o, i);
  check(!moves, fmt::format("CPE {} moves though it is halted", i));
}

void Row::sample_issue(unsigned i) {
  Cpe& cpe = cpes_[i];
  const bool ready = bit_of(top().issue_ready_o, i);
  if (!cpe.issuing) {
    cpe.wait_is_over = false;
    return;
  }
  const Step& step = cpe.program.front();
  check(!bit_of(top().issue_bad_o, i), fmt::format("CPE {}: a good command is refused", i));
  if (step.kind == Step::kWaitSend || step.kind == Step::kWaitReceive) {
    const bool send = step.kind == Step::kWaitSend;
    const auto& ends = send ? cpe.send_ends : cpe.receive_ends;
    // Sample comes before the words of this cycle are counted in `written`, so this is what the engine has in
    // its registers.
    const uint64_t done = send ? cpe.sent - bit_of(top().event_sent_o, i) : cpe.written;
    const uint32_t ticket = step.ticket;
    const bool over =
        static_cast<int32_t>(ticket) <= 0 || (ticket <= ends.size() && done >= ends[ticket - 1]);
    check(ready == over, fmt::format("CPE {}: the wait for {} {} is {}", i, send ? "send" : "receive", ticket,
                                     ready ? "over too early" : "not over"));
  }
  if (!ready) return;
  if (step.kind == Step::kSend || step.kind == Step::kReceive) {
    auto& ends = step.kind == Step::kSend ? cpe.send_ends : cpe.receive_ends;
    ends.push_back((ends.empty() ? 0 : ends.back()) + step.words);
    const auto ticket = static_cast<uint32_t>(Field(top().issue_rdata_o, 32 * i, 32).get());
    check(ticket == ends.size(), fmt::format("CPE {}: ticket {} instead of {}", i, ticket, ends.size()));
    if (step.kind == Step::kSend) {
      for (unsigned w = 0; w < step.words; ++w) cpe.reads.push_back(step.at + w);
    }
  }
  cpe.issued_at[step.kind] = bench_.cycle();
  cpe.program.pop_front();
  cpe.issuing = false;
  still_ = 0;
}

void Row::sample_memory(unsigned i) {
  Cpe& cpe = cpes_[i];
  const bool halted = bit_of(top().halt_i, i);
  const bool reads = bit_of(top().s_valid_o, i);
  check(reads || !cpe.read_waits || halted, fmt::format("CPE {}: a read was withdrawn", i));
  cpe.read_waits = reads && !bit_of(top().s_ready_i, i);
  if (reads) {
    const auto at = static_cast<unsigned>(Field(top().s_addr_o, 12 * i, 12).get());
    check(!cpe.reads.empty() && cpe.reads.front() == at, fmt::format("CPE {} reads word {}", i, at));
    if (!cpe.read_waits) {
      cpe.reads.pop_front();
      cpe.fresh = static_cast<int>(at);
    }
  }
  const bool writes = bit_of(top().r_valid_o, i);
  check(writes || !cpe.write_waits || halted, fmt::format("CPE {}: a write was withdrawn", i));
  cpe.write_waits = writes && !bit_of(top().r_ready_i, i);
  if (writes) {
    const auto at = static_cast<unsigned>(Field(top().r_addr_o, 12 * i, 12).get());
    Word data;
    std::memcpy(data.data(), word_of(top().r_wdata_o, i), 32);
    check(!cpe.writes.empty(), fmt::format("CPE {} writes word {}: nobody sent it anything", i, at));
    const Write& next = cpe.writes.front();
    check(next.at == at, fmt::format("CPE {} writes word {} instead of {}", i, at, next.at));
    check(next.data == data, fmt::format("CPE {} writes wrong data to word {}", i, at));
    if (!cpe.write_waits) {
      cpe.memory[at] = data;
      cpe.writes.pop_front();
      ++cpe.written;
      still_ = 0;
    }
  }
}

}  // namespace swai::channel
