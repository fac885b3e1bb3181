// SPDX-License-Identifier: Apache-2.0
// Cells, counters, memory and arithmetic of rtl/lib against what C++ computes.

#include <fmt/format.h>

#include <array>
#include <bit>
#include <span>
#include <vector>

#include "Vtb_cells.h"
#include "sim/common/field.hpp"
#include "sim/common/memory_model.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::verif {
namespace {

using CellsBench = Bench<Vtb_cells>;

void idle(Vtb_cells& top) {
  top.gate_en_i = 0;
  top.busy_i = 0;
  top.arst_ni = 1;
  top.ram_en_i = 0;
  top.pair_re_i = 0;
  top.pair_we_i = 0;
  top.take_i = 0;
  top.give_i = 0;
}

// Inputs of this bench are set just after a rising edge, as registers would set them.
void test_clock_gate(uint64_t seed, uint64_t cycles) {
  CellsBench bench(seed);
  auto& top = bench.top();
  idle(top);
  bench.reset();
  uint16_t free = 0, gated = 0, back = 0;
  unsigned edges = 0;
  for (uint64_t i = 0; i < cycles; ++i) {
    const bool enabled = bench.random().chance(i % 1000 < 500 ? 50 : 5);
    // A glitch of the enable in the high phase must not reach the clock.
    const auto high = top.gate_clk_o;
    for (int glitch = 0; glitch < 3; ++glitch) {
      top.gate_en_i = bench.random().chance(50);
      bench.settle();
      check(top.gate_clk_o == high, "the enable reached the clock in its high phase");
    }
    top.gate_en_i = enabled;
    top.clk_i = 0;
    bench.settle();
    check(top.gate_clk_o == 0, "the gated clock is high while the clock is low");
    bench.tick();
    check(top.gate_clk_o == (enabled ? 1 : 0), "the gated clock does not follow the enable");
    back = gated;
    if (enabled) gated = free;
    ++free;
    edges += enabled;
    check(top.free_o == free && top.gated_o == gated && top.back_o == back,
          "data between the gated and the free clock is wrong");
  }
  check(edges > cycles / 10, "the gate was hardly ever open");
}

void illegal_clock_gate(uint64_t seed, uint64_t) {
  CellsBench bench(seed);
  auto& top = bench.top();
  idle(top);
  bench.reset();
  top.clk_i = 0;
  bench.settle();
  top.gate_en_i = 1;
  top.clk_i = 1;
  bench.settle();
}

// The clock runs while its block is busy, three cycles longer, and at every edge in reset, also the only one.
void test_idle_clock(uint64_t seed, uint64_t cycles) {
  static constexpr unsigned kTail = 3;
  CellsBench bench(seed);
  auto& top = bench.top();
  idle(top);
  uint16_t edges = 0;
  unsigned left = 0;
  for (uint64_t i = 0; i < cycles; ++i) {
    if (i % 1000 == 0) {
      top.rst_ni = 0;
      bench.settle();
      bench.tick();
      top.rst_ni = 1;
      edges = 0;
      left = kTail;
    }
    const bool busy = bench.random().chance(i % 2000 < 1000 ? 50 : 10) && i % 1000 < 900;
    top.busy_i = busy;
    bench.settle();
    bench.tick();
    if (busy || left != 0) ++edges;
    left = busy ? kTail : left - std::min(left, 1U);
    check(top.idle_edges_o == edges, "the clock of an idle block does not run when it should, and only then");
  }
}

void test_sync(uint64_t seed, uint64_t cycles) {
  CellsBench bench(seed);
  auto& top = bench.top();
  idle(top);
  bench.reset();
  check(top.sync_o == 0b1010, "the reset value is wrong");
  unsigned first = 0b1010, second = 0b1010;
  for (uint64_t i = 0; i < cycles; ++i) {
    top.async_i = bench.random().below(16);
    bench.settle();
    check(top.sync_o == second, "the output follows the input without a clock");
    bench.tick();
    second = std::exchange(first, top.async_i);
    check(top.sync_o == second, "the output is not the input of two cycles ago");
  }
}

void test_reset_sync(uint64_t seed, uint64_t cycles) {
  CellsBench bench(seed);
  auto& top = bench.top();
  idle(top);
  bench.reset();
  for (uint64_t i = 0; i < cycles / 10; ++i) {
    top.arst_ni = 0;
    bench.settle();
    check(top.arst_sync_no == 0, "the reset waits for the clock");
    const auto length = bench.random().below(3);
    for (uint64_t c = 0; c < length; ++c) bench.tick();
    check(top.arst_sync_no == 0, "the reset ends by itself");
    top.arst_ni = 1;
    bench.settle();
    check(top.arst_sync_no == 0, "the reset ends without the clock");
    bench.tick();
    check(top.arst_sync_no == 0, "the reset ends at the first edge");
    bench.tick();
    check(top.arst_sync_no == 1, "the reset does not end at the second edge");
    bench.tick();
    check(top.arst_sync_no == 1, "the reset comes back");
  }
}

void test_counts(uint64_t seed, uint64_t cycles) {
  static constexpr std::array<unsigned, 6> kWidths = {1, 2, 13, 32, 33, 64};
  CellsBench bench(seed);
  auto& top = bench.top();
  idle(top);
  const auto compare = [&](uint64_t word) {
    top.word_i = word;
    bench.settle();
    for (unsigned w = 0; w < kWidths.size(); ++w) {
      const unsigned width = kWidths[w];
      const uint64_t part = width == 64 ? word : word & ((uint64_t{1} << width) - 1);
      const auto result = [&](uint64_t port) { return static_cast<int>((port >> (7 * w)) & 0x7f); };
      const int leading = std::countl_zero(part) - (64 - static_cast<int>(width));
      const int trailing = std::min(std::countr_zero(part), static_cast<int>(width));
      check(result(top.leading_o) == leading, fmt::format("leading zeros of {:#x} in {} bits", part, width));
      check(result(top.trailing_o) == trailing,
            fmt::format("trailing zeros of {:#x} in {} bits", part, width));
      check(result(top.ones_o) == std::popcount(part), fmt::format("ones of {:#x} in {} bits", part, width));
    }
  };
  compare(0);
  compare(~uint64_t{0});
  for (unsigned i = 0; i < 64; ++i) compare(uint64_t{1} << i);
  for (uint64_t i = 0; i < cycles; ++i) compare(bench.random().number());
}

struct Memory {
  unsigned depth, width, lane;
};

void test_ram(uint64_t seed, uint64_t cycles) {
  static constexpr std::array<Memory, 4> kMemories = {{{64, 64, 8}, {5, 512, 8}, {16, 48, 16}, {33, 20, 20}}};
  CellsBench bench(seed);
  auto& top = bench.top();
  auto& random = bench.random();
  idle(top);
  for (unsigned m = 0; m < kMemories.size(); ++m) {
    const Memory& memory = kMemories[m];
    const unsigned lanes = memory.width / memory.lane;
    std::vector<std::vector<uint64_t>> rows(memory.depth, std::vector<uint64_t>(lanes));
    std::vector<uint64_t> expected(lanes);
    bool expected_known = false;
    Field wdata(top.ram_wdata_i, 0, 512);
    Field rdata(top.ram_rdata_o, 0, 512);
    top.ram_select_i = m;
    for (uint64_t i = 0; i < cycles; ++i) {
      // First every row is written as a whole: what a memory holds after power-up is undefined.
      const bool filling = i < memory.depth;
      const bool enabled = filling || random.chance(80);
      const bool write = filling || random.chance(50);
      const auto row = static_cast<unsigned>(filling ? i : random.below(memory.depth));
      const uint64_t strobes = filling || random.chance(20) ? ~uint64_t{0} : random.next();
      wdata.scramble(random);
      top.ram_en_i = enabled ? 1U << m : 0;
      top.ram_we_i = write;
      top.ram_addr_i = row;
      top.ram_strb_i = strobes;
      bench.tick();
      if (enabled && write) {
        for (unsigned lane = 0; lane < lanes; ++lane) {
          if ((strobes >> lane) & 1) rows[row][lane] = wdata.get(lane * memory.lane, memory.lane);
        }
      } else if (enabled) {
        expected = rows[row];
        expected_known = true;
      }
      for (unsigned lane = 0; expected_known && lane < lanes; ++lane) {
        check(rdata.get(lane * memory.lane, memory.lane) == expected[lane],
              fmt::format("memory {}: lane {} reads wrongly", m, lane));
      }
    }
    top.ram_en_i = 0;
  }
}

void illegal_ram_address(uint64_t seed, uint64_t) {
  CellsBench bench(seed);
  auto& top = bench.top();
  idle(top);
  bench.tick();
  top.ram_en_i = 2;
  top.ram_we_i = 0;
  top.ram_addr_i = 5;
  bench.tick();
}

void test_ram_pair(uint64_t seed, uint64_t cycles) {
  static constexpr std::array<Memory, 2> kMemories = {{{64, 40, 40}, {5, 256, 256}}};
  CellsBench bench(seed);
  auto& top = bench.top();
  auto& random = bench.random();
  idle(top);
  for (unsigned m = 0; m < kMemories.size(); ++m) {
    using Row = std::vector<uint8_t>;
    const Memory& memory = kMemories[m];
    std::vector<Row> rows(memory.depth, Row(memory.width / 8));
    Row expected(memory.width / 8), got(memory.width / 8);
    bool expected_known = false;
    uint64_t same = 0;
    Field wdata(top.pair_wdata_i, 0, memory.width);
    const Field rdata(top.pair_rdata_o, 0, memory.width);
    top.pair_select_i = m;
    for (uint64_t i = 0; i < cycles; ++i) {
      const bool filling = i < memory.depth;
      const bool read = !filling && random.chance(60);
      const bool write = filling || random.chance(60);
      const auto to = static_cast<unsigned>(filling ? i : random.below(memory.depth));
      const auto from = static_cast<unsigned>(random.chance(30) ? to : random.below(memory.depth));
      wdata.scramble(random);
      top.pair_re_i = read ? 1U << m : 0;
      top.pair_we_i = write ? 1U << m : 0;
      top.pair_raddr_i = from;
      top.pair_waddr_i = to;
      bench.tick();
      if (read) {
        expected = rows[from];
        expected_known = true;
        same += write && from == to;
      }
      if (write) wdata.get_bytes(rows[to]);
      rdata.get_bytes(got);
      check(!expected_known || got == expected, fmt::format("memory {} reads wrongly", m));
    }
    check(same > cycles / 20, "hardly a row was read and written at once");
    top.pair_re_i = 0;
    top.pair_we_i = 0;
  }
}

void illegal_ram_pair_address(uint64_t seed, bool write) {
  CellsBench bench(seed);
  auto& top = bench.top();
  idle(top);
  bench.tick();
  top.pair_re_i = write ? 0 : 2;
  top.pair_we_i = write ? 2 : 0;
  top.pair_raddr_i = 5;
  top.pair_waddr_i = 6;
  bench.tick();
}

template <typename Signed, typename Unsigned>
uint64_t amo(common::MbusOp op, uint64_t old_bits, uint64_t operand_bits) {
  const auto x = static_cast<Unsigned>(old_bits), y = static_cast<Unsigned>(operand_bits);
  const auto sx = static_cast<Signed>(x), sy = static_cast<Signed>(y);
  switch (op) {
    case common::MbusOp::kAdd:
      return static_cast<Unsigned>(x + y);
    case common::MbusOp::kXor:
      return x ^ y;
    case common::MbusOp::kAnd:
      return x & y;
    case common::MbusOp::kOr:
      return x | y;
    case common::MbusOp::kMin:
      return static_cast<Unsigned>(sx < sy ? sx : sy);
    case common::MbusOp::kMax:
      return static_cast<Unsigned>(sx > sy ? sx : sy);
    case common::MbusOp::kMinu:
      return x < y ? x : y;
    case common::MbusOp::kMaxu:
      return x > y ? x : y;
    default:
      return y;
  }
}

void test_amo(uint64_t seed, uint64_t cycles) {
  CellsBench bench(seed);
  auto& top = bench.top();
  auto& random = bench.random();
  idle(top);
  for (uint64_t i = 0; i < cycles; ++i) {
    const auto op = static_cast<common::MbusOp>(random.below(13));
    const bool word = random.chance(50);
    const uint64_t old_value = random.number();
    const uint64_t operand = random.chance(10) ? old_value : random.number();
    top.amo_op_i = static_cast<CData>(op);
    top.amo_size_i = word ? 2 : 3;
    top.amo_old_i = old_value;
    top.amo_operand_i = operand;
    bench.settle();
    const uint64_t expected = word ? amo<int32_t, uint32_t>(op, old_value, operand)
                                   : amo<int64_t, uint64_t>(op, old_value, operand);
    const uint64_t mask = word ? 0xffff'ffff : ~uint64_t{0};
    check(
        (top.amo_new_o & mask) == expected,
        fmt::format("operation {} on {:#x} and {:#x}, {} bits: {:#x} instead of {:#x}", static_cast<int>(op),
                    old_value, operand, word ? 32 : 64, top.amo_new_o & mask, expected));
  }
}

void test_credit_counter(uint64_t seed, uint64_t cycles) {
  static constexpr std::array<unsigned, 3> kCredits = {1, 4, 7};
  CellsBench bench(seed);
  auto& top = bench.top();
  auto& random = bench.random();
  idle(top);
  bench.reset();
  std::array<unsigned, 3> credits = kCredits;
  for (uint64_t i = 0; i < cycles; ++i) {
    const unsigned appetite = i % 2000 < 1000 ? 60 : 30;  // mostly empty, then mostly full
    unsigned take = 0, give = 0;
    for (unsigned c = 0; c < credits.size(); ++c) {
      const bool takes = credits[c] != 0 && random.chance(appetite);
      const bool gives = credits[c] != kCredits[c] && random.chance(100 - appetite);
      take |= (takes ? 1U : 0) << c;
      give |= (gives ? 1U : 0) << c;
      credits[c] += (gives ? 1U : 0) - (takes ? 1U : 0);
    }
    top.take_i = take;
    top.give_i = give;
    bench.tick();
    for (unsigned c = 0; c < credits.size(); ++c) {
      check(((top.credits_o >> (3 * c)) & 7) == credits[c],
            fmt::format("counter of {}: wrong count", kCredits[c]));
      check(((top.avail_o >> c) & 1) == (credits[c] != 0),
            fmt::format("counter of {}: wrong avail", kCredits[c]));
    }
  }
}

void illegal_credits(uint64_t seed, bool take) {
  CellsBench bench(seed);
  auto& top = bench.top();
  idle(top);
  bench.reset();
  top.take_i = take ? 1 : 0;  // the first is the only one
  top.give_i = take ? 0 : 1;
  bench.tick();
  bench.tick();
}

std::vector<TestCase> tests() {
  return {
      {"clock-gate", test_clock_gate},
      {"idle-clock", test_idle_clock},
      {"sync", test_sync},
      {"reset-sync", test_reset_sync},
      {"counts", test_counts},
      {"ram", test_ram},
      {"ram-pair", test_ram_pair},
      {"amo", test_amo},
      {"credit-counter", test_credit_counter},
      {"illegal-clock-gate", illegal_clock_gate},
      {"illegal-ram-address", illegal_ram_address},
      {"illegal-ram-pair-read", [](uint64_t seed, uint64_t) { illegal_ram_pair_address(seed, false); }},
      {"illegal-ram-pair-write", [](uint64_t seed, uint64_t) { illegal_ram_pair_address(seed, true); }},
      {"illegal-credit-take", [](uint64_t seed, uint64_t) { illegal_credits(seed, true); }},
      {"illegal-credit-give", [](uint64_t seed, uint64_t) { illegal_credits(seed, false); }},
  };
}

}  // namespace
}  // namespace swai::verif

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::verif::tests()); }
