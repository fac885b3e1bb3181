// SPDX-License-Identifier: Apache-2.0
// The vector unit at the real local memory: how many elements a cycle, and random commands against the model.

#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <optional>
#include <vector>

#include "Vtb_vector_ldm.h"
#include "sim/common/field.hpp"
#include "sim/iss/cpe/units.hpp"
#include "sim/iss/cpe/vector.hpp"
#include "verif/rtl/cpe/vector/vector_program.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::cpe {
namespace {

using iss::cpe::Command;
using iss::cpe::kLdmBase;
using iss::cpe::kLdmBytes;
using verif::check;
using verif::Field;
using namespace isa;

constexpr uint64_t kPatience = 100'000;  // cycles

class LdmBench : public verif::Bench<Vtb_vector_ldm>, private verif::Agent {
 public:
  explicit LdmBench(uint64_t seed) : Bench(seed), memory(kLdmBytes), model(memory), stalls_(random()) {
    add(*this);
    auto& t = top();
    t.halt_i = 0;
    t.issue_valid_i = 0;
    t.line_we_i = 0;
    t.a_valid_i = 0;
    reset();
    for (size_t at = 0; at < memory.size(); at += 4) {
      const uint32_t word = random_fp32(random());
      std::memcpy(&memory[at], &word, 4);
    }
    for (uint32_t at = 0; at < kLdmBytes; at += 64) {
      t.line_we_i = 1;
      t.line_waddr_i = at;
      Field(t.line_wdata_i, 0, 512).set_bytes({&memory[at], 64});
      tick();
    }
    t.line_we_i = 0;
  }

  std::function<std::optional<Command>()> next = [] { return std::nullopt; };
  bool prompt = true;  // the core never hesitates, the access port is silent

  void finish() {
    until([&] { return !command_ && !top().busy_o && !top().a_valid_i; }, kPatience, "all runs");
    check(!top().fault_valid_o, "a fault");
    auto& t = top();
    for (uint32_t at = 0; at < kLdmBytes; at += 8) {
      t.a_valid_i = 1;
      t.a_addr_i = at / 8;
      tick();
      t.a_valid_i = 0;
      settle();
      uint64_t expected = 0;
      std::memcpy(&expected, &memory[at], 8);
      check(t.a_rdata_o == expected,
            fmt::format("at {:#x} {:016x}, expected {:016x}", at, t.a_rdata_o, expected));
    }
  }

  std::vector<uint8_t> memory;  // the model's
  iss::cpe::Vector model;
  uint64_t groups = 0, conflicts = 0;

 private:
  void drive() override {
    auto& t = top();
    if (!command_ && (prompt || stalls_.go())) command_ = next();
    Field issue(t.issue_i, 0, 107);
    issue.scramble(random());
    t.issue_valid_i = command_.has_value();
    if (command_) {
      issue.set(0, 32, command_->pc);
      issue.set(32, 32, command_->rs2);
      issue.set(64, 32, command_->rs1);
      issue.set(96, 7, command_->op);
      issue.set(103, 4, command_->unit);
    }
    if (!t.a_valid_i && !prompt && random().chance(30)) {
      t.a_valid_i = 1;
      t.a_addr_i = static_cast<uint16_t>(random().below(kLdmBytes / 8));
    }
  }

  void sample() override {
    auto& t = top();
    groups += t.event_group_o;
    conflicts += t.event_conflict_o;
    accessed_ = t.a_valid_i && t.a_ready_o;
    if (command_ && t.issue_ready_o) {
      const auto answer = model.issue(command_->op, command_->rs1, command_->rs2, command_->pc);
      check((answer.kind == iss::cpe::Environment::Answer::kBad) == static_cast<bool>(t.issue_bad_o),
            "refused");
      command_.reset();
    }
    if (accessed_) t.a_valid_i = 0;  // from the coming cycle on
  }

  verif::Stalls stalls_;
  std::optional<Command> command_;
  bool accessed_ = false;
};

void test_random(uint64_t seed, uint64_t cycles) {
  LdmBench bench(seed);
  bench.prompt = false;
  VectorProgram program(bench.random(), {.bad_percent = 1});
  bench.next = [&]() -> std::optional<Command> { return program.next(); };
  bench.steps(cycles);
  bench.next = [] { return std::nullopt; };
  bench.finish();
  fmt::print("{} runs, {} groups, {} cycles with conflicts\n", bench.model.begun(), bench.groups,
             bench.conflicts);
}

// What a run does, for the rates.
struct Work {
  const char* name;
  uint32_t mode;
  std::array<uint32_t, 4> numbers;  // a, b, c, result
  std::array<uint32_t, 4> kinds;
  double expected;  // elements a cycle
};

// Runs of some rows of 256, back to back; returns the elements a cycle between the first group and the last.
double rate(LdmBench& bench, const Work& work, std::array<uint32_t, 4> at, uint32_t rows, unsigned runs) {
  constexpr uint32_t kElements = 256;
  std::deque<Command> commands;
  const auto push = [&](uint8_t op, uint32_t rs1, uint32_t rs2) {
    commands.push_back({.unit = iss::cpe::unit::kVector, .op = op, .rs1 = rs1, .rs2 = rs2, .pc = 0});
  };
  for (uint8_t i = 0; i < 4; ++i) {
    const auto number = static_cast<iss::cpe::number::Kind>(work.numbers[i]);
    const auto stride = static_cast<uint32_t>(kElements * iss::cpe::bytes_of(number));
    push(i, kLdmBase + at[i], stride | work.numbers[i] << 18 | work.kinds[i] << 20);
  }
  push(vector_op::kReduce, kLdmBase + 120 * 1024, 4);
  push(vector_op::kSize, kElements, rows);
  for (unsigned run = 0; run < runs; ++run) push(vector_op::kRun, work.mode | 1U << 8, 0);
  bench.next = [&]() -> std::optional<Command> {
    if (commands.empty()) return std::nullopt;
    const Command command = commands.front();
    commands.pop_front();
    return command;
  };
  const uint64_t all = bench.groups + uint64_t{kElements} / 8 * rows * runs;
  const uint64_t before = bench.groups;
  bench.until([&] { return bench.groups > before; }, kPatience, "the first group");
  const uint64_t start = bench.cycle() - 1;
  bench.until([&] { return bench.groups == all; }, kPatience, "the last group");
  const double result =
      static_cast<double>(kElements) * rows * runs / static_cast<double>(bench.cycle() - start);
  bench.finish();
  return result;
}

void test_rate(uint64_t seed, uint64_t cycles) {
  using enum vector_function::Kind;
  constexpr auto kSum = vector_mode::kReduce.put(reduce::kSum),
                 kLargest = vector_mode::kReduce.put(reduce::kMax);
  constexpr auto kExp2 = vector_mode::kSpecial.put(special_function::kExp2),
                 kReciprocal = vector_mode::kSpecial.put(special_function::kReciprocal);
  constexpr uint32_t kF = 0, kI = 1, kB = 3;
  static const Work kWorks[] = {
      {"fma", kFma, {kF, kF, kF, kF}, {0, 0, 0, 0}, 0.95 * 8},
      {"fma, int8 to fp32", kFma, {kB, kB, kB, kF}, {0, 0, 0, 0}, 0.8 * 8},
      {"add", kAdd, {kF, kF, kF, kF}, {0, 0, 0, 0}, 0.95 * 8},
      {"multiply and sum up", kMul | kSum, {kF, kF, kF, kF}, {0, 0, 0, 3}, 0.95 * 8},
      {"scale int32, largest", kMul | kLargest, {kI, kF, kF, kF}, {0, 1, 0, 0}, 0.9 * 8},
      {"exp2, sum up, to int8", kAdd | kExp2 | kSum, {kF, kF, kF, kB}, {0, 0, 1, 0}, 0.95 * 4},
      {"reciprocal", kAdd | kReciprocal, {kF, kF, kF, kF}, {0, 0, 2, 0}, 0.95 * 4},
  };
  const auto runs = static_cast<unsigned>(cycles / 320);
  for (const auto& work : kWorks) {
    for (const bool aligned : {true, false}) {
      for (const uint32_t rows : {1U, 8U}) {
        LdmBench bench(seed);
        std::array<uint32_t, 4> at{};
        for (unsigned i = 0; i < 4; ++i) {
          at[i] = i * 24 * 1024 + (aligned ? 0 : static_cast<uint32_t>(bench.random().below(64)) * 32);
        }
        const double got = rate(bench, work, at, rows, std::max(1U, runs / rows));
        fmt::print("{:24} {} rows a run, {}: {:.3f} elements a cycle\n", work.name, rows,
                   aligned ? "all begin in one bank" : "begin anywhere       ", got);
        check(got >= work.expected, "too slow");
      }
    }
  }
}

std::vector<verif::TestCase> tests() { return {{"random", test_random}, {"rate", test_rate}}; }

}  // namespace
}  // namespace swai::cpe

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::cpe::tests()); }
