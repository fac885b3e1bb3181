// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/cpe/systolic/systolic_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "sim/common/field.hpp"

namespace swai::cpe {

namespace op = iss::cpe::systolic_op;
using iss::cpe::Environment;
using verif::check;
using verif::Field;

namespace {

constexpr uint64_t kLongest = kSlower * 1'000'000;  // cycles for anything: twelve long runs take half of it
constexpr size_t kRemembered = 4;                   // runs, for messages
constexpr unsigned kAfter = 60;                     // cycles in which a unit that stands still is watched

}  // namespace

SystolicBench::SystolicBench(uint64_t seed)
    : Bench(seed),
      actual(map::kBytes),
      expected(map::kBytes),
      model(expected),
      issue_stalls_(random()),
      x_("activations",
         {.valid = &top().x_valid_o,
          .ready = &top().x_ready_i,
          .addr = &top().x_addr_o,
          .rdata = &top().x_rdata_i},
         actual, random()),
      w_("weights",
         {.valid = &top().w_valid_o,
          .ready = &top().w_ready_i,
          .addr = &top().w_addr_o,
          .rdata = &top().w_rdata_i},
         actual, random()),
      d_("drain",
         {.valid = &top().d_valid_o,
          .ready = &top().d_ready_i,
          .addr = &top().d_addr_o,
          .rdata = &top().d_rdata_i,
          .write = &top().d_write_o,
          .wdata = &top().d_wdata_o,
          .strb = &top().d_strb_o},
         actual, random()) {
  fill_memory(actual, random());
  for (auto* port : ports()) add(*port);
  add(*this);
  restart();
}

void SystolicBench::prompt() {
  issue_stalls_.never();
  for (auto* port : ports()) port->stalls().never();
}

void SystolicBench::quiet(bool quiet) {
  for (auto* port : ports()) port->quiet = quiet;
}

void SystolicBench::restart() {
  top().halt_i = 0;
  top().issue_valid_i = 0;
  for (auto* port : ports()) port->restart();
  quiet(false);
  reset();
  model.reset();
  expected = actual;
  script_.clear();
  current_.reset();
  set_ = {};
  planned_ = 0;
  rows = 0;
  rows_before_ = model.rows();
  check(!top().busy_o && !top().fault_valid_o, "not idle after reset");
  run(first_run());
}

void SystolicBench::run(const Run& run) {
  auto settings = run.settings();
  for (size_t i = settings.size(); i > 1; --i) std::swap(settings[i - 1], settings[random().below(i)]);
  for (const auto& setting : settings) {
    auto& before = set_[setting.op];
    if (before && *before == setting && random().chance(80)) continue;
    before = setting;
    script_.push_back({.command = setting, .legal = true});
  }
  script_.push_back({.command = run.command(), .legal = true});
  ++planned_;
  history_.push_back(run);
  if (history_.size() > kRemembered) history_.pop_front();
}

void SystolicBench::drive() {
  auto& t = top();
  auto& random = this->random();
  if (!current_ && !script_.empty() && issue_stalls_.go()) {
    current_ = script_.front();
    script_.pop_front();
    current_->command.pc = static_cast<uint32_t>(random.next());
  }
  t.issue_valid_i = current_.has_value();
  if (current_) {
    const Command& command = current_->command;
    t.issue_target_i = command.unit;
    t.issue_op_i = command.op;
    t.issue_rs1_i = command.rs1;
    t.issue_rs2_i = command.rs2;
    t.issue_pc_i = command.pc;
  } else {
    t.issue_target_i = random.below(16);
    t.issue_op_i = random.below(128);
    t.issue_rs1_i = static_cast<uint32_t>(random.next());
    t.issue_rs2_i = static_cast<uint32_t>(random.next());
    t.issue_pc_i = static_cast<uint32_t>(random.next());
  }
}

void SystolicBench::sample() {
  const auto& t = top();
  rows += t.event_row_o;
  waits_weights += t.event_wait_weights_o;
  waits_activations += t.event_wait_activations_o;
  waits_drain += t.event_wait_drain_o;
  check(!t.fault_valid_o || failed(), "a fault that nothing explains");
  if (current_ && t.issue_ready_o) taken();
}

void SystolicBench::taken() {
  const auto [command, legal] = *std::exchange(current_, std::nullopt);
  // What comes after a run that fails has no effect, and nobody asks.
  if (failed()) return;
  const auto& t = top();
  const auto answer = model.issue(command.op, command.rs1, command.rs2, command.pc);
  const bool bad = answer.kind == Environment::Answer::kBad;
  check(bad == t.issue_bad_o, fmt::format("command {} with {:#x}, {:#x} refused: {}", command.op, command.rs1,
                                          command.rs2, t.issue_bad_o));
  if (bad) {
    check(!legal, fmt::format("command {} with {:#x}, {:#x} of a legal run is refused", command.op,
                              command.rs1, command.rs2));
    ++refused;
    return;
  }
  switch (command.op) {
    case op::kRun:
      ++runs;
      check(t.issue_rdata_o == answer.data,
            fmt::format("ticket {} instead of {}", t.issue_rdata_o, answer.data));
      break;
    case op::kWait:
      ++waits;
      check(answer.kind == Environment::Answer::kDone, "a wait for a run that was not begun came to an end");
      if (command.rs1 == model.begun()) compare();
      break;
    case op::kPoll:
      polled_ = t.issue_rdata_o;
      check(t.issue_rdata_o <= answer.data,
            "a poll gives neither 0 nor 1, or a run is complete that was not begun");
      if (t.issue_rdata_o == 1 && command.rs1 == model.begun()) compare();
      break;
    default:
      break;
  }
}

void SystolicBench::compare() const {
  if (actual == expected) return;
  const auto at = static_cast<size_t>(std::ranges::mismatch(actual, expected).in1 - actual.begin());
  std::string message =
      fmt::format("byte {:#x} is {:#04x} instead of {:#04x} after run {}; the last runs of the script:", at,
                  actual[at], expected[at], model.begun());
  for (const auto& run : history_) message += "\n  " + run.text();
  check(false, message);
}

void SystolicBench::finish() {
  until([&] { return failed() || (!asking() && !top().busy_o); }, kLongest, "runs");
  if (failed()) return;
  poll(model.begun());
  until([&] { return !asking(); }, kLongest, "a poll");
  check(polled_ == 1, "not idle, but a run is not complete");
  compare();
  check(rows == model.rows() - rows_before_,
        fmt::format("{} rows entered the array instead of {}", rows, model.rows() - rows_before_));
}

void SystolicBench::expect_fault() {
  const auto& t = top();
  const auto& fault = model.fault();
  until([&] { return t.fault_valid_o; }, kLongest,
        "a fault; the last run of the script: " + history_.back().text());
  const iss::cpe::Fault shown{.cause = static_cast<iss::cpe::Cause>(t.fault_cause_o),
                              .access = static_cast<iss::cpe::Access>(t.fault_access_o),
                              .dma = t.fault_dma_o != 0,
                              .pc = t.fault_pc_o,
                              .segment = t.fault_segment_o,
                              .offset = t.fault_offset_o};
  check(shown == fault,
        fmt::format(
            "fault at {:#x} (access {}) instead of {:#x} (access {}), pc {:#x}, {:#x}; the last run: {}",
            shown.offset, static_cast<unsigned>(shown.access), fault.offset,
            static_cast<unsigned>(fault.access), shown.pc, fault.pc, history_.back().text()));
  ++faults;
  step();
  quiet(true);
  steps(kAfter);
  compare();
  check(t.fault_valid_o, "the fault goes away");
}

void SystolicBench::halt() {
  top().halt_i = 1;
  step();
  quiet(true);
  step();
  const auto before = actual;
  check(!top().busy_o, "busy while halted");
  steps(kAfter);
  check(!top().busy_o, "busy while halted");
  check(current_.has_value() || script_.empty() || !top().issue_ready_o, "a command is taken while halted");
  // Only results were written.
  check(std::equal(actual.begin(), actual.begin() + map::kOutput, expected.begin()) &&
            std::equal(actual.begin() + map::kHigh, actual.end(), expected.begin() + map::kHigh),
        "something but results was written");
}

}  // namespace swai::cpe
