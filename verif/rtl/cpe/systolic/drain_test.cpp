// SPDX-License-Identifier: Apache-2.0
// Accumulators and drain of the systolic unit: random sums and jobs against a few lines of C++.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "Vtb_drain.h"
#include "sim/common/field.hpp"
#include "sim/common/random.hpp"
#include "sim/iss/cpe/fp32.hpp"
#include "sim/iss/cpe/units.hpp"
#include "verif/rtl/cpe/systolic/ldm_port.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::cpe {
namespace {

namespace fp32 = iss::cpe::fp32;
using namespace isa;
using verif::check;
using verif::Field;

constexpr unsigned kLdmBytes = 128 * 1024;
constexpr unsigned kInputs = 32 * 1024;  // the first part of local memory holds factors, the rest results
constexpr unsigned kRows = 256;
constexpr uint32_t kMinusZero = 0x80000000;
constexpr uint64_t kLdmBase = 0x1000'0000;

using Row = std::array<uint32_t, 8>;

struct Job {
  unsigned half = 0, tiles = 1, rows = 1;
  number::Kind result = number::kInt32;
  bool row_factors = false, bias = false, clamp = false, last = false;
  int32_t out = 0, row_stride = 0, tile_stride = 0;
  uint32_t factors = 0, biases = 0, factors_of_rows = 0, least = 0, largest = 0, pc = 0;
};

class DrainBench : public verif::Bench<Vtb_drain> {
 public:
  explicit DrainBench(uint64_t seed)
      : Bench(seed),
        actual(kLdmBytes),
        port({"d"},
             {.valid = &top().d_valid_o,
              .ready = &top().d_ready_i,
              .addr = &top().d_addr_o,
              .rdata = &top().d_rdata_i,
              .write = &top().d_write_o,
              .wdata = &top().d_wdata_o,
              .strb = &top().d_strb_o},
             actual, random()) {
    for (unsigned i = 0; i < kLdmBytes; i += 4) {
      const uint32_t value = i < kInputs ? random_float() : static_cast<uint32_t>(random().next());
      std::memcpy(&actual[i], &value, 4);
    }
    expected = actual;
    add(port);
    idle();
    reset();
  }

  void idle() {
    top().halt_i = 0;
    top().sum_valid_i = 0;
    top().job_valid_i = 0;
    Field(top().sum_data_i, 0, 256).scramble(random());
  }

  void step() {
    Bench::step();
    done += top().done_o;
  }

  uint32_t random_float() {
    auto& random = this->random();
    if (random.chance(5)) {
      static constexpr uint32_t kSpecial[] = {0,          kMinusZero, 0x7f800000, 0xff800000, 0x7fc00000,
                                              0xffc01234, 1,          0x80000001, 0x7f7fffff, 0x00800000};
      return kSpecial[random.below(std::size(kSpecial))];
    }
    if (random.chance(10)) return static_cast<uint32_t>(random.next());
    const auto exponent = static_cast<uint32_t>(random.between(100, 132));
    const auto value = static_cast<uint32_t>(random.next() & 0x807fffff) | exponent << 23;
    // Halves between two results, and numbers near them.
    return random.chance(50) ? value & ~uint32_t{0} << random.below(23) : value;
  }

  // Sums of `count` rows of a half: each is overwritten, then rows are added, in any order and again and
  // again.
  void fill(unsigned half, unsigned count) {
    auto& random = this->random();
    std::vector<bool> known(count, false);
    unsigned left = count;
    unsigned row = 0;
    const unsigned adds = static_cast<unsigned>(random.below(count + 10));
    const unsigned busy = static_cast<unsigned>(random.chance(50) ? 100 : 60);
    for (unsigned extra = 0; left > 0 || extra < adds;) {
      top().sum_valid_i = random.chance(busy);
      if (!random.chance(30))
        row = static_cast<unsigned>(random.chance(80) ? (row + 1) % count : random.below(count));
      // Sums of 0 leave the bias as it is.
      const bool first = !known[row] || random.chance(5), none = random.chance(30);
      Field data(top().sum_data_i, 0, 256);
      data.scramble(random);
      if (random.chance(80)) {
        for (unsigned n = 0; n < 8; ++n) {
          const auto sum = static_cast<int32_t>(random.next()) >> random.below(32);
          data.set(32 * n, 32, first && none ? 0 : static_cast<uint32_t>(sum));
        }
      }
      top().sum_half_i = half;
      top().sum_row_i = row;
      top().sum_first_i = first;
      if (top().sum_valid_i != 0) {
        for (unsigned n = 0; n < 8; ++n) {
          auto& sum = sums[half][row][n];
          sum = (first ? 0 : sum) + static_cast<uint32_t>(data.get(32 * n, 32));
        }
        if (!known[row]) --left;
        known[row] = true;
        extra += left == 0;
      }
      step();
    }
    top().sum_valid_i = 0;
  }

  void offer(const Job& job) {
    auto& t = top();
    t.job_valid_i = 1;
    t.job_half_i = job.half;
    t.job_tiles_i = job.tiles;
    t.job_rows_i = job.rows;
    t.job_result_i = job.result;
    t.job_row_factors_i = job.row_factors;
    t.job_bias_i = job.bias;
    t.job_clamp_i = job.clamp;
    t.job_out_i = static_cast<uint32_t>(job.out) & 0x3ffff;
    t.job_row_stride_i = static_cast<uint32_t>(job.row_stride) & 0x3ffff;
    t.job_tile_stride_i = static_cast<uint32_t>(job.tile_stride) & 0x3ffff;
    t.job_factors_i = job.factors;
    t.job_biases_i = job.biases;
    t.job_factors_of_rows_i = job.factors_of_rows;
    t.job_least_i = job.least;
    t.job_largest_i = job.largest;
    t.job_pc_i = job.pc;
    t.job_last_i = job.last;
    settle();
    for (unsigned waited = 0; t.job_ready_o == 0; ++waited) {
      check(waited < 100000, "the drain takes no job");
      step();
    }
    step();
    t.job_valid_i = 0;
    check((t.half_busy_o >> job.half & 1) != 0, "half_busy_o does not follow the job");
    check(t.busy_o, "busy_o does not follow the job");
  }

  uint32_t input(uint32_t at) const {
    uint32_t value = 0;
    std::memcpy(&value, &actual[at], 4);
    return value;
  }

  // What the drain must make of a job; the address of the first row that lies outside, or -1.
  int32_t model(const Job& job) {
    for (unsigned tile = 0; tile < job.tiles; ++tile) {
      for (unsigned row = 0; row < job.rows; ++row) {
        const int32_t at = job.out + static_cast<int32_t>(tile) * job.tile_stride +
                           static_cast<int32_t>(row) * job.row_stride;
        if (at < 0 || at >= static_cast<int32_t>(kLdmBytes)) return at & 0x3ffff;
        for (unsigned n = 0; n < 8; ++n) {
          const uint32_t sum = sums[job.half][tile * job.rows + row][n];
          const auto to = static_cast<size_t>(at + static_cast<int32_t>(n * iss::cpe::bytes_of(job.result)));
          if (job.result == number::kInt32) {
            std::memcpy(&expected[to], &sum, 4);
            continue;
          }
          uint32_t factor = input(job.factors + 32 * tile + 4 * n);
          if (job.row_factors) factor = fp32::mul(factor, input(job.factors_of_rows + 4 * row));
          const uint32_t bias = job.bias ? input(job.biases + 32 * tile + 4 * n) : kMinusZero;
          uint32_t value = fp32::fma(fp32::of_int32(static_cast<int32_t>(sum)), factor, bias);
          if (job.clamp) value = fp32::min(fp32::max(value, job.least), job.largest);
          if (job.result == number::kFp32) std::memcpy(&expected[to], &value, 4);
          const uint16_t half = fp32::to_fp16(value);
          if (job.result == number::kFp16) std::memcpy(&expected[to], &half, 2);
          if (job.result == number::kInt8) expected[to] = static_cast<uint8_t>(fp32::to_int8(value));
        }
      }
    }
    return -1;
  }

  void compare() const {
    for (unsigned i = 0; i < kLdmBytes; ++i) {
      check(actual[i] == expected[i],
            fmt::format("byte {:#x} is {:#04x} instead of {:#04x}", i, actual[i], expected[i]));
    }
  }

  std::vector<uint8_t> actual, expected;
  LdmPort port;
  std::array<std::array<Row, kRows>, 2> sums{};
  uint64_t done = 0;
};

Job random_job(DrainBench& bench, unsigned half) {
  auto& random = bench.random();
  Job job{.half = half};
  job.rows = static_cast<unsigned>(random.chance(10) ? kRows : random.chance(30) ? 1 : random.between(1, 40));
  const unsigned most = std::min(kRows / job.rows, 40U);
  job.tiles = static_cast<unsigned>(random.chance(5) ? kRows / job.rows : random.between(1, most));
  job.result = static_cast<number::Kind>(random.below(4));
  job.row_factors = random.chance(50);
  job.bias = random.chance(50);
  job.clamp = random.chance(50);
  job.last = random.chance(70);
  const auto unit = static_cast<int32_t>(8 * iss::cpe::bytes_of(job.result));
  const auto stride = [&](int32_t least) {
    return unit *
           static_cast<int32_t>(random.chance(50) ? least : least + static_cast<int32_t>(random.below(4)));
  };
  const bool rows_inside = random.chance(50);
  job.row_stride = stride(rows_inside ? 1 : static_cast<int32_t>(job.tiles));
  job.tile_stride = stride(rows_inside ? static_cast<int32_t>(job.rows) * job.row_stride / unit : 1);
  const auto reach = static_cast<int32_t>(job.rows - 1) * job.row_stride +
                     static_cast<int32_t>(job.tiles - 1) * job.tile_stride + unit;
  const auto space = static_cast<int32_t>(kLdmBytes - kInputs);
  if (reach > space) return random_job(bench, half);
  job.out = static_cast<int32_t>(kInputs) +
            unit * static_cast<int32_t>(random.below(static_cast<uint64_t>((space - reach) / unit + 1)));
  if (random.chance(20)) {  // backwards
    job.out += static_cast<int32_t>(job.tiles - 1) * job.tile_stride;
    job.tile_stride = -job.tile_stride;
  }
  const auto word = [&](unsigned words) {
    return 32 * static_cast<uint32_t>(random.below(kInputs / 32 - words));
  };
  job.factors = word(job.tiles);
  job.biases = word(job.tiles);
  job.factors_of_rows = word(kRows / 8);
  job.least = bench.random_float();
  job.largest = bench.random_float();
  job.pc = static_cast<uint32_t>(random.next());
  return job;
}

void wait_idle(DrainBench& bench) {
  for (unsigned waited = 0; bench.top().busy_o; ++waited) {
    check(waited < 100000, "the drain does not end");
    bench.step();
  }
  bench.step();
}

// Sums of one half while the other is drained.
void test_random(uint64_t seed, uint64_t cycles) {
  DrainBench bench(seed);
  uint64_t jobs = 0, last = 0;
  for (unsigned half = 0; bench.cycle() < cycles; half ^= bench.random().chance(90)) {
    const Job job = random_job(bench, half);
    for (unsigned waited = 0; (bench.top().half_busy_o >> half & 1) != 0; ++waited) {
      check(waited < 100000, "a half stays busy");
      bench.step();
    }
    bench.fill(half, job.tiles * job.rows);
    if (bench.random().chance(20)) bench.step();
    bench.offer(job);
    check(bench.model(job) == -1, "the job does not fit");
    ++jobs;
    last += job.last;
    if (bench.random().chance(5)) {
      wait_idle(bench);
      bench.compare();
    }
  }
  wait_idle(bench);
  bench.compare();
  check(bench.done == last, fmt::format("{} of {} jobs told that they are done", bench.done, last));
  fmt::print("{} jobs, {} rows written\n", jobs, bench.port.writes());
}

// Jobs that leave local memory, forwards or backwards: what comes before is written.
void test_faults(uint64_t seed, uint64_t cycles) {
  DrainBench bench(seed);
  auto& random = bench.random();
  unsigned reads = 0, writes = 0;
  while (bench.cycle() < cycles) {
    Job job = random_job(bench, static_cast<unsigned>(random.below(2)));
    const bool read = job.result != number::kInt32 && random.chance(50);
    int32_t factor_left = 0;
    if (read) {
      // The factors lie at the very end, and so must no result.
      const int32_t last = job.out + std::max(0, static_cast<int32_t>(job.tiles - 1) * job.tile_stride) +
                           static_cast<int32_t>(job.rows) * job.row_stride;
      if (last > static_cast<int32_t>(kLdmBytes - 32 * kRows)) continue;
      factor_left = static_cast<int32_t>(random.below(job.tiles));
      job.factors = kLdmBytes - 32 * static_cast<uint32_t>(factor_left);
    } else if (random.chance(50)) {
      job.out =
          static_cast<int32_t>(kLdmBytes) - static_cast<int32_t>(8 * iss::cpe::bytes_of(job.result)) *
                                                static_cast<int32_t>(random.below(job.rows * job.tiles + 1));
    } else {
      // Over the operands at once.
      const auto unit = static_cast<int32_t>(8 * iss::cpe::bytes_of(job.result));
      job.tile_stride = -(job.out / unit + 1) * unit;
    }
    bench.fill(job.half, job.rows * job.tiles);
    Job inside = job;
    if (read) inside.tiles = static_cast<unsigned>(factor_left);
    int32_t outside = bench.model(inside);
    const bool write = outside >= 0;
    if (read && !write) outside = static_cast<int32_t>(kLdmBytes);
    bench.offer(job);
    if (outside < 0) {
      wait_idle(bench);
    } else {
      for (unsigned waited = 0; !bench.top().fault_valid_o; ++waited) {
        check(waited < 100000, "no fault");
        bench.step();
      }
      check(bench.top().fault_offset_o == kLdmBase + static_cast<uint64_t>(outside), "the fault's address");
      check(bench.top().fault_write_o == write && bench.top().fault_pc_o == job.pc, "the fault's record");
      ++(write ? writes : reads);
      const uint64_t before = bench.port.writes();
      for (unsigned i = 0; i < 30; ++i) bench.step();
      check(bench.port.writes() <= before + 1 && bench.top().fault_valid_o && !bench.top().busy_o,
            "it goes on after the fault");
      bench.compare();
      bench.idle();
      bench.reset();
      bench.port.restart();
    }
  }
  bench.compare();
  fmt::print("{} reads and {} writes outside\n", reads, writes);
  check(reads > 5 && writes > 5, "too few faults");
}

// Rows per cycle of each number, with a memory that is always ready.
void test_rate(uint64_t seed, uint64_t) {
  static constexpr const char* kNames[] = {"fp32", "int32", "fp16", "int8"};
  for (unsigned result = 0; result < 4; ++result) {
    for (const bool row_factors : {false, true}) {
      if (row_factors && result == number::kInt32) continue;
      DrainBench bench(seed);
      bench.port.stalls().never();
      Job job{.half = 0,
              .tiles = 1,
              .rows = kRows,
              .result = static_cast<number::Kind>(result),
              .row_factors = row_factors};
      job.out = kInputs;
      job.row_stride = static_cast<int32_t>(8 * iss::cpe::bytes_of(job.result));
      bench.fill(0, kRows);
      const uint64_t from = bench.cycle();
      bench.offer(job);
      bench.model(job);
      wait_idle(bench);
      bench.compare();
      fmt::print("{}{}: {:.2f} cycles a row\n", kNames[result], row_factors ? " with row factors" : "",
                 static_cast<double>(bench.cycle() - from) / kRows);
    }
  }
}

std::vector<verif::TestCase> tests() {
  return {{"random", test_random}, {"faults", test_faults}, {"rate", test_rate}};
}

}  // namespace
}  // namespace swai::cpe

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::cpe::tests()); }
