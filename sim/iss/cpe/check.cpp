// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/check.hpp"

#include <algorithm>
#include <utility>

#include "sim/iss/cpe/units.hpp"

namespace swai::iss::cpe {

namespace {

// So many commands of a line are under way at most, in any hardware.
constexpr std::array<size_t, Check::kLines> kMost = {8, 4, 4, 5, 5, 5, 5};

}  // namespace

bool Finding::is_like(const Finding& other) const {
  return kind == other.kind && late.pc == other.late.pc && early.pc == other.early.pc &&
         line.writer == other.line.writer;
}

void add_finding(std::vector<Finding>& findings, const Finding& finding) {
  for (Finding& known : findings) {
    if (!known.is_like(finding)) continue;
    known.cpes |= finding.cpes;
    known.times += finding.times;
    return;
  }
  findings.push_back(finding);
}

void Check::forget() {
  for (auto& line : lines_) line.clear();
  under_way_ = 0;
}

std::vector<Finding> Check::take_findings() { return std::exchange(findings_, {}); }

void Check::found(Finding::Kind kind, const Finding::Party& late, const Finding::Party& early, Span bytes) {
  add_finding(
      findings_,
      {.kind = kind, .late = late, .early = early, .bytes = bytes, .cpes = uint32_t{1} << cpe_, .times = 1});
}

void Check::read(const Finding::Party& reader, const Memory::Dirty& line) {
  add_finding(
      findings_,
      {.kind = Finding::kNotCleaned, .late = reader, .line = line, .cpes = uint32_t{1} << cpe_, .times = 1});
}

void Check::accessed(uint32_t pc, const Hart::MemoryAccess& access) {
  const uint32_t at = access.address - kLdmBase;
  if (at >= kLdmBytes) return;
  const Finding::Party core{.is_core = true, .pc = pc};
  const Span span{at, at + access.bytes};
  const bool writes = access.write;
  for (const auto& line : lines_) {
    for (const UnderWay& early : line) {
      const Finding::Kind kind = writes ? Finding::kTwoWriters : Finding::kTooEarly;
      if (const auto bytes = early.uses.writes.common(span)) found(kind, core, early.party, *bytes);
      if (const auto bytes = early.uses.late_writes.common(span)) found(kind, core, early.party, *bytes);
      if (!writes) continue;
      if (const auto bytes = early.uses.reads.common(span)) {
        found(Finding::kOverwrites, core, early.party, *bytes);
      }
    }
  }
}

void Check::taken(const Command& command, uint32_t answer, Footprint uses) {
  UnderWay it{.party = {.unit = command.unit, .op = command.op, .ticket = answer, .pc = command.pc},
              .uses = std::move(uses)};
  switch (command.unit) {
    case unit::kControl:
      // Waits for all engines.
      if (command.op == control_op::kDone) forget();
      return;
    case unit::kDma:
      if (command.op == dma_op::kLoad || command.op == dma_op::kStore) begin(kDma, std::move(it));
      if (command.op == dma_op::kWait || (command.op == dma_op::kPoll && answer != 0)) {
        complete(kDma, command.rs1);
      }
      return;
    case unit::kRow:
    case unit::kColumn: {
      const bool row = command.unit == unit::kRow;
      const Line sends = row ? kRowSends : kColumnSends;
      const Line receives = row ? kRowReceives : kColumnReceives;
      if (command.op == channel_op::kSend) begin(sends, std::move(it));
      if (command.op == channel_op::kReceive) begin(receives, std::move(it));
      if (command.op == channel_op::kWaitSend) complete(sends, command.rs1);
      if (command.op == channel_op::kWaitReceive) complete(receives, command.rs1);
      return;
    }
    case unit::kSystolic:
      if (command.op == systolic_op::kRun) begin(kSystolic, std::move(it));
      if (command.op == systolic_op::kWait || (command.op == systolic_op::kPoll && answer != 0)) {
        complete(kSystolic, command.rs1);
      }
      return;
    case unit::kVector:
      it.overlaps = vector_mode::kOverlap.get(command.rs1) != 0;
      if (command.op == vector_op::kRun) begin(kVector, std::move(it));
      if (command.op == vector_op::kWait || (command.op == vector_op::kPoll && answer != 0)) {
        complete(kVector, command.rs1);
      }
      return;
    default:
      return;
  }
}

void Check::begin(Line line, UnderWay command) {
  auto& before = lines_[line];
  if (before.size() == kMost[line]) complete(line, before.front().party.ticket);
  for (const LdmBytes* writes : {&command.uses.writes, &command.uses.late_writes}) {
    if (const auto bytes = writes->common(command.uses.reads_late)) {
      found(Finding::kOwnOperands, command.party, command.party, *bytes);
    }
  }
  look_at(line, command);
  before.push_back(std::move(command));
  ++under_way_;
}

void Check::complete(Line line, uint32_t ticket) {
  auto& commands = lines_[line];
  while (!commands.empty() && reached(ticket, commands.front().party.ticket)) {
    commands.pop_front();
    --under_way_;
  }
}

void Check::look_at(Line line, const UnderWay& late) {
  for (size_t i = 0; i < kLines; ++i) {
    const auto& commands = lines_[i];
    if (i != line) {
      for (const UnderWay& early : commands) compare(early, late, false);
      continue;
    }
    switch (line) {
      case kDma:
        for (const UnderWay& early : commands) compare(early, late, false);
        break;
      case kSystolic:
        // Results are stored in order, behind the reads of the runs before; operands are read ahead.
        for (const UnderWay& early : commands) compare(early, late, true);
        break;
      case kVector:
        // One that does not overlap begins when all before it have stored everything.
        if (!late.overlaps) break;
        for (size_t n = commands.size(); n > 0; --n) {
          compare(commands[n - 1], late, true);
          if (!commands[n - 1].overlaps) break;
        }
        break;
      default:
        // Sends only read; what is received is written in order.
        break;
    }
  }
}

// In order: the unit writes results behind what earlier commands read, and behind their results.
void Check::compare(const UnderWay& early, const UnderWay& late, bool in_order) {
  const Footprint& first = early.uses;
  const Footprint& second = late.uses;
  const auto meet = [&](Finding::Kind kind, const LdmBytes& a, const LdmBytes& b) {
    if (const auto bytes = a.common(b)) found(kind, late.party, early.party, *bytes);
  };
  meet(Finding::kTooEarly, second.reads, first.writes);
  meet(Finding::kTooEarly, second.reads, first.late_writes);
  meet(Finding::kTwoWriters, second.writes, first.late_writes);
  if (in_order) return;
  meet(Finding::kOverwrites, second.writes, first.reads);
  meet(Finding::kOverwrites, second.late_writes, first.reads);
  meet(Finding::kTwoWriters, second.writes, first.writes);
  meet(Finding::kTwoWriters, second.late_writes, first.writes);
  meet(Finding::kTwoWriters, second.late_writes, first.late_writes);
}

}  // namespace swai::iss::cpe
