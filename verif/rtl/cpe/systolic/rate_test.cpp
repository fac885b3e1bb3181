// SPDX-License-Identifier: Apache-2.0
// How fast the systolic unit is at a real local memory, and how fast both are simulated. Results are
// compared, too.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "Vtb_systolic_ldm.h"
#include "sim/common/random.hpp"
#include "sim/iss/cpe/systolic.hpp"
#include "verif/rtl/cpe/systolic/run.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::cpe {
namespace {

using namespace isa;
namespace op = isa::systolic_op;
using verif::check;

struct Rate {
  uint64_t cycles = 0, rows = 0, weights = 0, activations = 0, drain = 0;
  double nanoseconds = 0;  // of this machine, for each cycle
};

class RateBench : public verif::Bench<Vtb_systolic_ldm> {
 public:
  explicit RateBench(uint64_t seed) : Bench(seed), memory(map::kBytes), model(memory) {
    auto& t = top();
    t.issue_valid_i = 0;
    t.issue_op_i = 0;
    t.issue_rs1_i = 0;
    t.issue_rs2_i = 0;
    t.other_valid_i = 0;
    t.other_addr_i = 0;
    t.a_valid_i = 0;
    t.a_write_i = 1;
    t.a_addr_i = 0;
    t.a_wdata_i = 0;
    reset();
    model.reset();
    for (auto& byte : memory) byte = static_cast<uint8_t>(random().next());
  }

  // The memory as it is here.
  void load() {
    auto& t = top();
    t.a_valid_i = 1;
    t.a_write_i = 1;
    for (unsigned at = 0; at < map::kBytes; at += 8) {
      t.a_addr_i = at / 8;
      std::memcpy(&t.a_wdata_i, &memory[at], 8);
      tick();
    }
    t.a_valid_i = 0;
    tick();
  }

  void compare() {
    auto& t = top();
    t.a_valid_i = 1;
    t.a_write_i = 0;
    for (unsigned at = 0; at < map::kBytes; at += 8) {
      t.a_addr_i = at / 8;
      tick();
      settle();
      check(std::memcmp(&t.a_rdata_o, &memory[at], 8) == 0, fmt::format("wrong results near {:#x}", at));
    }
    t.a_valid_i = 0;
    tick();
  }

  void count() {
    const auto& t = top();
    rate_.rows += t.event_row_o;
    rate_.weights += t.event_wait_weights_o;
    rate_.activations += t.event_wait_activations_o;
    rate_.drain += t.event_wait_drain_o;
    ++rate_.cycles;
  }

  void issue(const Command& command) {
    auto& t = top();
    t.issue_valid_i = 1;
    t.issue_op_i = command.op;
    t.issue_rs1_i = command.rs1;
    t.issue_rs2_i = command.rs2;
    settle();
    for (;; settle()) {
      const bool ready = t.issue_ready_o;
      count();
      if (ready) break;
      tick();
    }
    check(!t.issue_bad_o, "a command was refused");
    model.issue(command.op, command.rs1, command.rs2, 0);
    tick();
    t.issue_valid_i = 0;
  }

  // The same run again and again, without a pause.
  Rate measure(const Run& run, unsigned times) {
    load();
    for (const auto& setting : run.settings()) issue(setting);
    rate_ = {};
    const std::clock_t start = std::clock();
    for (unsigned i = 0; i < times; ++i) issue(run.command());
    while (top().busy_o) {
      settle();
      count();
      tick();
    }
    rate_.nanoseconds =
        static_cast<double>(std::clock() - start) * 1e9 / CLOCKS_PER_SEC / static_cast<double>(rate_.cycles);
    check(!top().fault_valid_o, "a fault");
    compare();
    return rate_;
  }

  double idle_nanoseconds() {
    constexpr unsigned kCycles = 2'000'000;
    const std::clock_t start = std::clock();
    for (unsigned i = 0; i < kCycles; ++i) tick();
    return static_cast<double>(std::clock() - start) * 1e9 / CLOCKS_PER_SEC / kCycles;
  }

  std::vector<uint8_t> memory;
  iss::cpe::Systolic model;

 private:
  Rate rate_;
};

void print(const std::string& what, const Rate& rate, double steps) {
  fmt::print(
      "{}: {} cycles, {:.4f} a cycle; waits: weights {}, activations {}, drain {}; {:.0f} ns a cycle\n", what,
      rate.cycles, steps / static_cast<double>(rate.cycles), rate.weights, rate.activations, rate.drain,
      rate.nanoseconds);
}

// X 256 x 8 KT packed by k tiles, from 0 on; weights from 0x1'0000 on; results from 0x1'4000 on.
Run dense(uint32_t rows, uint32_t k_tiles, uint32_t column_tiles) {
  Run run;
  run.rows = rows;
  run.k_tiles = k_tiles;
  run.column_tiles = column_tiles;
  run.activations_row = 8;
  run.activations_k = static_cast<int32_t>(8 * rows);
  run.weights = 0x10000;
  run.weights_row = 8;
  run.weights_k = 64;
  run.weights_column = static_cast<int32_t>(64 * k_tiles);
  run.result = number::kInt32;
  run.out = 0x14000;
  run.out_row = 32;
  run.out_column = static_cast<int32_t>(32 * rows);
  return run;
}

void test_rate(uint64_t seed, uint64_t) {
  constexpr unsigned kTimes = 20;
  {
    RateBench bench(seed);
    Run run = dense(256, 32, 4);
    const auto rows = static_cast<double>(run.steps() * kTimes);
    const auto inner = bench.measure(run, kTimes);
    print("int8, 256 rows, 32 k tiles, 4 column tiles, int32: rows", inner, rows);
    check(rows / static_cast<double>(inner.cycles) > 0.98, "the inner loop is too slow");
    run.result = number::kInt8;
    run.out_row = 8;
    run.out_column = 8 * 256;
    run.factors = run.biases = run.row_factors = 0x1f000;
    run.bias = run.clamp = true;
    for (const bool row_factors : {false, true}) {
      run.use_row_factors = row_factors;
      RateBench other(seed);
      print(row_factors ? "the same with row factors, to int8: rows" : "the same, bias, clamp, to int8: rows",
            other.measure(run, kTimes), rows);
    }
    run.use_row_factors = false;
    run.by_column = true;
    run.weights_row = 256;
    run.weights_k = 8;
    run.weights_column = 2048;
    RateBench other(seed);
    print("the same by column: rows", other.measure(run, kTimes), rows);
  }
  for (const uint32_t rows : {8U, 16U, 64U}) {
    RateBench bench(seed);
    Run run = dense(rows, 32, 8);
    run.weights = 0x18000;
    run.out = 0x10000;
    print(fmt::format("int8, {} rows, 32 k tiles, 8 column tiles, int32: rows", rows),
          bench.measure(run, kTimes), static_cast<double>(run.steps() * kTimes));
  }
  for (const uint32_t rows : {1U, 4U}) {
    RateBench bench(seed);
    Run run = dense(rows, 48, 32);
    run.kind = weights::kInt4;
    run.block = 16;
    run.weights = 0x4000;
    run.weights_k = 32;
    run.weights_column = 32 * 48;
    run.scales = 0x12000;
    run.group = 4;
    run.scales_column = 16 * 12;
    run.out = 0x1c000;
    const uint64_t tiles = uint64_t{kTimes} * 32 * 48;
    print(fmt::format("int4, {} row(s), 48 k tiles, 32 column tiles, groups of 4: tiles", rows),
          bench.measure(run, kTimes), static_cast<double>(tiles));
  }
  {
    // The same GEMM dense and with a fifth of its 1x4 blocks: 160 k, 4 column tiles.
    constexpr unsigned kK = 160;
    RateBench bench(seed);
    Run run = dense(256, kK / 8, 4);
    run.weights = 0xc000;
    run.out_row = run.out_column = 0;
    run.result = number::kInt8;
    run.out_row = 8;
    run.out_column = 8 * 256;
    run.factors = run.biases = 0x1f000;
    const auto slow = bench.measure(run, kTimes);
    print("dense, 256 rows, 160 k, 4 column tiles: rows", slow, static_cast<double>(run.steps() * kTimes));
    RateBench other(seed);
    run.kind = weights::kSparse;
    run.k_tiles = kK / 8 / 5;
    run.activations_row = 256;
    run.weights_k = map::kSparseTile;
    run.weights_column = static_cast<int32_t>(run.k_tiles * map::kSparseTile);
    for (unsigned tile = 0; tile < 4 * run.k_tiles; ++tile) {
      for (unsigned i = 0; i < 16; ++i) {
        const auto index = static_cast<uint16_t>(other.random().below(kK));
        std::memcpy(&other.memory[static_cast<size_t>(run.weights) + tile * map::kSparseTile + 2 * i], &index,
                    2);
      }
    }
    const auto fast = other.measure(run, kTimes);
    print("a fifth of its 1x4 blocks: rows", fast, static_cast<double>(run.steps() * kTimes));
    fmt::print("sparse: {:.2f} times as fast\n",
               static_cast<double>(slow.cycles) / static_cast<double>(fast.cycles));
  }
}

// Nanoseconds of this machine for each simulated cycle of unit and memory.
void test_speed(uint64_t seed, uint64_t) {
  RateBench bench(seed);
  fmt::print("idle: {:.0f} ns a cycle\n", bench.idle_nanoseconds());
  print("int8, 256 rows, inner loop: rows", bench.measure(dense(256, 32, 4), 60), 256.0 * 32 * 4 * 60);
}

std::vector<verif::TestCase> tests() { return {{"rate", test_rate}, {"speed", test_speed}}; }

}  // namespace
}  // namespace swai::cpe

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::cpe::tests()); }
