// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/cpe/vector/vector_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/iss/cpe/units.hpp"
#include "verif/rtl/cpe/vector/vector_program.hpp"

namespace swai::cpe {

using iss::cpe::Command;
using verif::check;
using verif::Field;
using Answer = iss::cpe::Environment::Answer;

VectorBench::VectorBench(uint64_t seed)
    : Bench(seed),
      memory(iss::cpe::kLdmBytes),
      model_memory(iss::cpe::kLdmBytes),
      model(model_memory),
      issue_stalls_(random()) {
  for (unsigned i = 0; i < kPorts; ++i) port_stalls_.emplace_back(random());
  add(*this);
  restart();
}

void VectorBench::restart() {
  command_.reset();
  offers_ = {};
  halted_ = was_halted_ = failed_ = false;
  auto& t = top();
  t.halt_i = 0;
  t.issue_valid_i = 0;
  t.ready_i = 0;
  reset();
  model.reset();
  for (size_t at = 0; at < memory.size(); at += 4) {
    // Integers and bytes find something between their limits, too.
    const uint32_t word = random_fp32(random());
    std::memcpy(&memory[at], &word, 4);
  }
  model_memory = memory;
}

void VectorBench::halt() {
  halted_ = true;
  command_.reset();
}

void VectorBench::drive() {
  auto& t = top();
  auto& random = this->random();
  t.halt_i = halted_;
  if (!command_ && !halted_ && (prompt || issue_stalls_.go())) command_ = next();
  Field issue(t.issue_i, 0, 107);
  issue.scramble(random);
  t.issue_valid_i = command_.has_value();
  if (command_) {
    issue.set(0, 32, command_->pc);
    issue.set(32, 32, command_->rs2);
    issue.set(64, 32, command_->rs1);
    issue.set(96, 7, command_->op);
    issue.set(103, 4, command_->unit);
  }
  settle();  // who asks is known now
  unsigned ready = 0;
  for (unsigned port = 0; port < kPorts; ++port) {
    const bool go = prompt || port_stalls_[port].go();
    if (go && (t.valid_o >> port & 1) != 0) ready |= 1U << port;
  }
  t.ready_i = static_cast<uint8_t>(ready);
  for (unsigned port = 0; port < 3; ++port) Field(t.rdata_i, 256 * port, 256).set_bytes(read_[port]);
}

void VectorBench::sample() {
  auto& t = top();
  for (unsigned port = 0; port < kPorts; ++port) sample_port(port);
  if (was_halted_) {
    check(!t.busy_o, "busy although halted");
    check(!t.issue_ready_o, "a command taken although halted");
  }
  was_halted_ = halted_;
  if (!halted_) sample_issue();
  groups += t.event_group_o;
  wait_operands += t.event_wait_operands_o;
  wait_store += t.event_wait_store_o;
}

void VectorBench::sample_port(unsigned port) {
  auto& t = top();
  const bool valid = (t.valid_o >> port & 1) != 0;
  const bool ready = (t.ready_i >> port & 1) != 0;
  auto& before = offers_[port];
  check(valid || !before, fmt::format("port {} takes back what it asked for", port));
  if (!valid) return;
  check(before || !was_halted_, fmt::format("port {} asks although halted", port));
  Offer offer{.addr = Field(t.addr_o, 12 * port, 12).get()};
  if (port == 3) {
    check(t.write_o, "the last port writes");
    std::array<uint8_t, 32> data{};
    Field(t.wdata_o, 0, 256).get_bytes(data);
    std::copy(data.begin(), data.end(), offer.rest.begin());
    std::memcpy(&offer.rest[32], &t.strb_o, 4);
  }
  check(!before || *before == offer, fmt::format("port {} changes what it asked for", port));
  before = offer;
  if (!ready) return;
  before.reset();
  uint8_t* word = &memory[offer.addr * 32];
  if (port < 3) {
    std::copy_n(word, 32, read_[port].begin());
    return;
  }
  for (unsigned i = 0; i < 32; ++i) {
    if (t.strb_o >> i & 1) word[i] = offer.rest[i];
  }
}

void VectorBench::sample_issue() {
  auto& t = top();
  if (!command_ || !t.issue_ready_o) return;
  const Command command = *command_;
  command_.reset();
  ++commands;
  const Answer answer = model.issue(command.op, command.rs1, command.rs2, command.pc);
  const std::string what = fmt::format("command {} ({:#x}, {:#x})", command.op, command.rs1, command.rs2);
  check((answer.kind == Answer::kBad) == static_cast<bool>(t.issue_bad_o),
        fmt::format("{} is {}", what, t.issue_bad_o ? "refused" : "taken"));
  refused += t.issue_bad_o;
  if (t.issue_bad_o) return;
  failed_ = model.fault().cause != iss::cpe::Cause::kNone;
  bool complete = false;  // the unit says that everything is
  switch (command.op) {
    case iss::cpe::vector_op::kRun:
      check(t.issue_rdata_o == answer.data, fmt::format("ticket {}, not {}", t.issue_rdata_o, answer.data));
      break;
    case iss::cpe::vector_op::kWait:
      complete = command.rs1 == model.begun();
      break;
    case iss::cpe::vector_op::kPoll:
      check(t.issue_rdata_o <= answer.data, what + ": complete before it began");
      complete = t.issue_rdata_o != 0 && command.rs1 == model.begun();
      break;
    default:
      break;
  }
  if (!complete) return;
  check(!failed_, what + ": complete in spite of a fault");
  compare();
}

void VectorBench::compare() {
  ++compared;
  if (memory == model_memory) return;
  const auto at = static_cast<size_t>(
      std::mismatch(memory.begin(), memory.end(), model_memory.begin()).first - memory.begin());
  uint32_t is = 0, expected = 0;
  std::memcpy(&is, &memory[at / 4 * 4], 4);
  std::memcpy(&expected, &model_memory[at / 4 * 4], 4);
  check(false, fmt::format("after run {}: at {:#x} {:#010x}, expected {:#010x}", model.begun(), at / 4 * 4,
                           is, expected));
}

void VectorBench::check_fault() {
  auto& t = top();
  const auto& fault = model.fault();
  const Field field(t.fault_o, 0, 104);
  const iss::cpe::Fault is = {.cause = static_cast<iss::cpe::Cause>(field.get(99, 5)),
                              .access = static_cast<iss::cpe::Access>(field.get(97, 2)),
                              .dma = field.get(96, 1) != 0,
                              .pc = static_cast<uint32_t>(field.get(64, 32)),
                              .segment = static_cast<uint16_t>(field.get(48, 16)),
                              .offset = field.get(0, 48)};
  check(t.fault_valid_o, "no fault");
  check(is == fault, fmt::format("a fault: access {} of {:#x} by {:#x}, expected access {} of {:#x} by {:#x}",
                                 static_cast<int>(is.access), is.offset, is.pc,
                                 static_cast<int>(fault.access), fault.offset, fault.pc));
}

}  // namespace swai::cpe
