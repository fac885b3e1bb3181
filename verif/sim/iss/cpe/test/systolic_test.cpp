// SPDX-License-Identifier: Apache-2.0
// The model of the systolic unit against plain matrix products: matrices are laid out in local memory in
// every way that it can read, and what it leaves there is compared.
#include <optional>

#include "sim/iss/cpe/fp32.hpp"
#include "verif/sim/iss/cpe/test/bench.hpp"

namespace swai::iss::cpe {
namespace {

using Answer = Environment::Answer;
namespace op = systolic_op;

constexpr uint32_t kPc = 0x5000'0040;

// Hands out pieces of local memory.
struct Places {
  uint32_t next = 0;
  uint32_t take(uint32_t bytes, uint32_t multiple) {
    const uint32_t at = (next + multiple - 1) / multiple * multiple;
    next = at + bytes;
    return at;
  }
};

struct SystolicBench {
  verif::Random& random;
  std::vector<uint8_t> ldm = std::vector<uint8_t>(kLdmBytes);
  Systolic unit{ldm};

  explicit SystolicBench(verif::Random& source) : random(source) {
    for (uint8_t& byte : ldm) byte = static_cast<uint8_t>(random.next());
  }
  Answer issue(uint8_t op, uint32_t rs1 = 0, uint32_t rs2 = 0) { return unit.issue(op, rs1, rs2, kPc); }
  void set(uint8_t op, uint32_t rs1, uint32_t rs2 = 0) { REQUIRE(issue(op, rs1, rs2).kind == Answer::kDone); }
  template <typename T>
  T get(int64_t at) const {
    T value;
    std::memcpy(&value, &ldm.at(static_cast<size_t>(at)), sizeof value);
    return value;
  }
  template <typename T>
  void put(int64_t at, T value) {
    std::memcpy(&ldm.at(static_cast<size_t>(at)), &value, sizeof value);
  }
};

// One product: sizes, layout, and the matrices as they lie in local memory.
struct Product {
  SystolicBench& bench;
  verif::Random& random = bench.random;
  uint32_t rows, k_tiles, column_tiles, block;
  weights::Kind weights;
  bool by_column = false;
  std::vector<std::vector<int32_t>> x, w, scale;  // [m][k], [k][n], of weights; w less zero

  Product(SystolicBench& source, weights::Kind kind)
      : bench(source),
        rows(static_cast<uint32_t>(random.between(1, random.chance(70) ? 40 : 256))),
        k_tiles(static_cast<uint32_t>(random.between(1, 6))),
        column_tiles(static_cast<uint32_t>(random.between(1, 5))),
        block(static_cast<uint32_t>(random.between(1, std::min<uint64_t>(256 / rows, 6)))),
        weights(kind) {}

  uint32_t columns() const { return 8 * column_tiles; }
  uint32_t depth() const { return 8 * k_tiles; }
  uint32_t gap(uint32_t multiple) {
    return static_cast<uint32_t>(multiple * (random.chance(50) ? 0 : random.below(3)));
  }

  void lay_out(Places& places) {
    if (weights == weights::kSparse) {
      lay_out_sparse(places);
      return;
    }
    by_column = random.chance(50);
    const bool by_rows = random.chance(50);  // all k of a row together, or all rows of a k tile
    const uint32_t row_stride = (by_rows ? depth() : 8) + gap(8);
    const uint32_t k_stride = by_rows ? 8 : rows * row_stride;
    const uint32_t at = places.take(rows * row_stride + k_tiles * k_stride, 8);
    bench.set(op::kActivations, kLdmBase + at, k_stride << 16 | row_stride);
    x.assign(rows, std::vector<int32_t>(depth()));
    for (uint32_t m = 0; m < rows; ++m) {
      for (uint32_t k = 0; k < depth(); ++k)
        x[m][k] = bench.get<int8_t>(at + k / 8 * k_stride + m * row_stride + k % 8);
    }
    w.assign(depth(), std::vector<int32_t>(columns()));
    scale.assign(depth(), std::vector<int32_t>(columns(), 1));
    weights == weights::kInt8 ? lay_out_int8(places) : lay_out_int4(places);
  }
  void lay_out_int8(Places& places) {
    const uint32_t row_stride = 8 + gap(8);
    const uint32_t k_stride = 8 * row_stride + gap(8);
    const auto column_stride = static_cast<int32_t>(k_tiles * k_stride + gap(8));
    const uint32_t at = places.take(column_tiles * static_cast<uint32_t>(column_stride), 8);
    const bool backwards = random.chance(30);
    const int64_t first = backwards ? at + (column_tiles - 1) * static_cast<uint32_t>(column_stride) : at;
    const int64_t step = backwards ? -column_stride : column_stride;
    columns_stride = static_cast<uint32_t>(step);
    bench.set(op::kWeights, kLdmBase + static_cast<uint32_t>(first), k_stride << 16 | row_stride);
    for (uint32_t k = 0; k < depth(); ++k) {
      for (uint32_t n = 0; n < columns(); ++n) {
        const uint32_t r = by_column ? n % 8 : k % 8;
        const uint32_t c = by_column ? k % 8 : n % 8;
        w[k][n] = bench.get<int8_t>(first + n / 8 * step + k / 8 * k_stride + r * row_stride + c);
      }
    }
  }
  void lay_out_int4(Places& places) {
    const uint32_t k_stride = 32 + gap(32);
    const uint32_t column_stride = k_tiles * k_stride + gap(32);
    const uint32_t at = places.take(column_tiles * column_stride, 32);
    const auto group = static_cast<uint32_t>(random.between(1, 8));
    const uint32_t groups = (k_tiles + group - 1) / group;
    const uint32_t scales_stride = 16 * groups + gap(16);
    const uint32_t scales = places.take(column_tiles * scales_stride, 16);
    columns_stride = column_stride;
    bench.set(op::kWeights, kLdmBase + at, k_stride << 16);
    bench.set(op::kGroups, kLdmBase + scales, scales_stride << 8 | group);
    for (uint32_t k = 0; k < depth(); ++k) {
      for (uint32_t n = 0; n < columns(); ++n) {
        const uint32_t nibble = by_column ? n % 8 * 8 + k % 8 : k % 8 * 8 + n % 8;
        const auto byte = bench.get<uint8_t>(at + n / 8 * column_stride + k / 8 * k_stride + nibble / 2);
        const uint32_t of_group = scales + n / 8 * scales_stride + k / 8 / group * 16 + n % 8;
        scale[k][n] = bench.get<uint8_t>(of_group);
        w[k][n] = (nibble % 2 != 0 ? byte >> 4 : byte & 15) - (bench.get<uint8_t>(of_group + 8) & 15);
      }
    }
  }
  // Blocks anywhere among many more k than the tiles hold; some of them twice.
  void lay_out_sparse(Places& places) {
    const auto all = static_cast<uint32_t>(random.between(1, 200));
    const uint32_t stride = (rows + 31) / 32 * 32 + gap(32);
    const uint32_t activations = places.take(all * stride, 32);
    const uint32_t k_stride = 96 + gap(32);
    columns_stride = k_tiles * k_stride + gap(32);
    const uint32_t at = places.take(column_tiles * columns_stride, 32);
    bench.set(op::kActivations, kLdmBase + activations, stride);
    bench.set(op::kWeights, kLdmBase + at, k_stride << 16);
    x.assign(rows, std::vector<int32_t>(all));
    for (uint32_t m = 0; m < rows; ++m) {
      for (uint32_t k = 0; k < all; ++k) x[m][k] = bench.get<int8_t>(activations + k * stride + m);
    }
    w.assign(all, std::vector<int32_t>(columns()));
    scale.assign(all, std::vector<int32_t>(columns(), 1));
    for (uint32_t tile = 0; tile < column_tiles * k_tiles; ++tile) {
      const uint32_t base = at + tile / k_tiles * columns_stride + tile % k_tiles * k_stride;
      for (uint32_t entry = 0; entry < 16; ++entry) {
        const auto k = static_cast<uint16_t>(random.below(all));
        bench.put(base + 2 * entry, k);
        for (uint32_t c = 0; c < 4; ++c) {
          const uint32_t n = tile / k_tiles * 8 + entry / 8 * 4 + c;
          w[k][n] += bench.get<int8_t>(base + 32 + entry * 4 + c);
        }
      }
    }
  }
  int32_t expect(uint32_t m, uint32_t n) const {
    int64_t sum = 0;
    for (size_t k = 0; k < w.size(); ++k) sum += int64_t{x[m][k]} * w[k][n] * scale[k][n];
    return static_cast<int32_t>(sum);
  }
  void size(uint32_t of_block) const {
    bench.set(op::kSize, column_tiles << 16 | k_tiles, of_block << 16 | rows);
  }
  uint32_t mode() const { return weights | (by_column ? 4u : 0u); }

  uint32_t columns_stride = 0;
};

uint32_t scaled(int32_t sum, uint32_t factor, std::optional<uint32_t> row, std::optional<uint32_t> bias) {
  if (row) factor = fp32::mul(factor, *row);
  return fp32::fma(fp32::of_int32(sum), factor, bias.value_or(0x8000'0000));
}

constexpr weights::Kind kKinds[] = {weights::kInt8, weights::kInt4, weights::kSparse};

TEST_CASE("systolic unit: products of every layout, drained in every way") {
  verif::Random random(test_seed());
  for (unsigned round = 0; round < 300; ++round) {
    CAPTURE(round);
    SystolicBench bench(random);
    Product product(bench, kKinds[round % 3]);
    Places places{.next = static_cast<uint32_t>(32 * random.below(8))};
    product.lay_out(places);
    const auto result = static_cast<number::Kind>(random.below(4));
    const auto bytes = static_cast<uint32_t>(bytes_of(result));
    const uint32_t row_stride = 8 * bytes * static_cast<uint32_t>(random.between(1, 2));
    const uint32_t tile_stride = product.rows * row_stride;
    const uint32_t out = places.take(product.column_tiles * tile_stride, 8 * bytes);
    const uint32_t factors = places.take(4 * product.columns(), 32);
    const uint32_t biases = places.take(4 * product.columns(), 32);
    const uint32_t row_factors = places.take(4 * product.rows, 32);
    REQUIRE(places.next <= kLdmBytes);
    const auto some = [&](float scale) {
      return std::bit_cast<uint32_t>(scale *
                                     static_cast<float>(static_cast<int32_t>(random.below(2001)) - 1000));
    };
    for (uint32_t n = 0; n < product.columns(); ++n) {
      bench.put(factors + 4 * n, some(1e-6f));
      bench.put(biases + 4 * n, some(1e-2f));
    }
    for (uint32_t m = 0; m < product.rows; ++m) bench.put(row_factors + 4 * m, some(1e-3f));
    const bool with_rows = random.chance(50), with_bias = random.chance(50), clamp = random.chance(50);
    const uint32_t least = some(0.02f), largest = some(0.02f);
    bench.set(op::kColumns, product.columns_stride, tile_stride);
    bench.set(op::kOutput, kLdmBase + out, row_stride);
    bench.set(op::kFactors, kLdmBase + factors, kLdmBase + biases);
    bench.set(op::kRows, kLdmBase + row_factors);
    bench.set(op::kClamp, least, largest);
    product.size(product.block);
    std::vector<uint8_t> expected = bench.ldm;
    for (uint32_t m = 0; m < product.rows; ++m) {
      for (uint32_t n = 0; n < product.columns(); ++n) {
        uint8_t* const at = &expected[out + n / 8 * tile_stride + m * row_stride + n % 8 * bytes];
        int32_t sum = product.expect(m, n);
        uint32_t value =
            scaled(sum, bench.get<uint32_t>(factors + 4 * n),
                   with_rows ? std::optional(bench.get<uint32_t>(row_factors + 4 * m)) : std::nullopt,
                   with_bias ? std::optional(bench.get<uint32_t>(biases + 4 * n)) : std::nullopt);
        if (clamp) value = fp32::min(fp32::max(value, least), largest);
        const uint16_t half = fp32::to_fp16(value);
        const int8_t byte = fp32::to_int8(value);
        const void* const from = result == number::kInt32  ? static_cast<const void*>(&sum)
                                 : result == number::kFp16 ? static_cast<const void*>(&half)
                                 : result == number::kInt8 ? static_cast<const void*>(&byte)
                                                           : static_cast<const void*>(&value);
        std::memcpy(at, from, bytes);
      }
    }
    const uint32_t mode = product.mode() | static_cast<uint32_t>(random.below(2)) << 4 | 1u << 5 |
                          uint32_t{result} << 6 | uint32_t{with_rows} << 8 | uint32_t{with_bias} << 9 |
                          uint32_t{clamp} << 10;
    const Answer answer = bench.issue(op::kRun, mode);
    REQUIRE(answer.kind == Answer::kDone);
    CHECK(answer.data == 1);
    CHECK(bench.unit.fault() == Fault{});
    CHECK(bench.unit.rows() == uint64_t{product.rows} * product.k_tiles * product.column_tiles);
    CHECK(bench.ldm == expected);
  }
}

TEST_CASE("systolic unit: sums stay, in either half, and runs add to them") {
  verif::Random random(test_seed());
  for (unsigned round = 0; round < 100; ++round) {
    CAPTURE(round);
    SystolicBench bench(random);
    std::vector<int32_t> sums(2 * 256 * 8);
    for (unsigned run = 0; run < 6; ++run) {
      Product product(bench, kKinds[random.below(3)]);
      product.column_tiles = std::min(product.column_tiles, product.block);
      Places places;
      product.lay_out(places);
      REQUIRE(places.next <= kLdmBytes);
      bench.set(op::kColumns, product.columns_stride, 0);
      product.size(product.block);
      // The accumulators hold what they hold at first: nobody may rely on it.
      const bool keep = run > 1 && random.chance(60);
      const auto half = run < 2 ? run : static_cast<unsigned>(random.below(2));
      REQUIRE(bench.issue(op::kRun, product.mode() | (keep ? 8u : 0u) | half << 4).data == run + 1);
      for (uint32_t n = 0; n < product.columns(); ++n) {
        for (uint32_t m = 0; m < product.rows; ++m) {
          int32_t& sum = sums[(half * 256 + n / 8 * product.rows + m) * 8 + n % 8];
          sum = static_cast<int32_t>((keep ? static_cast<uint32_t>(sum) : 0) +
                                     static_cast<uint32_t>(product.expect(m, n)));
        }
      }
    }
    for (unsigned i = 0; i < sums.size(); ++i) {
      REQUIRE(bench.unit.sum(i / 2048, i / 8 % 256, i % 8) == sums[i]);
    }
  }
}

TEST_CASE("systolic unit: what is refused changes nothing") {
  verif::Random random(test_seed());
  SystolicBench bench(random);
  const auto bad = [&](uint8_t op, uint32_t rs1, uint32_t rs2 = 0) {
    CHECK(bench.issue(op, rs1, rs2).kind == Answer::kBad);
  };
  const auto good = [&](uint32_t mode) { CHECK(bench.issue(op::kRun, mode).kind == Answer::kDone); };
  constexpr uint32_t kDrain = 32, kKeep = 8, kInt32 = 1 << 6, kHalves = 2 << 6, kBytes = 3 << 6;
  bad(op::kRun, 0);
  for (const uint8_t op : {9, 15, 19, 127}) bad(op, kLdmBase);
  for (const uint8_t op :
       {op::kActivations, op::kWeights, op::kGroups, op::kOutput, op::kFactors, op::kRows}) {
    for (const uint32_t address : {0u, kLdmBase - 32, kLdmBase + kLdmBytes, 0x5000'0000u, kLdmBase + 4}) {
      bad(op, address, op == op::kFactors ? kLdmBase : 1 << 8);
    }
  }
  bad(op::kActivations, kLdmBase, 4);
  bad(op::kWeights, kLdmBase, 4 << 16);
  bad(op::kGroups, kLdmBase + 8, 1);
  bad(op::kGroups, kLdmBase, 0);
  bad(op::kGroups, kLdmBase, 8 << 8 | 1);
  bad(op::kGroups, kLdmBase, 0x2'0000 << 8 | 1);
  bad(op::kColumns, 4);
  bad(op::kColumns, 0, 0x2'0000);
  bad(op::kColumns, 0xfffd'fff8);
  bad(op::kOutput, kLdmBase, 12);
  bad(op::kFactors, kLdmBase, kLdmBase + 16);
  bad(op::kRows, kLdmBase + 16);
  for (const uint32_t size : {0u, 1u, 1u << 16}) bad(op::kSize, size, 1 << 16 | 1);
  for (const uint32_t size :
       {0u, 1u, 1u << 16, 1u << 16 | 257, 257u << 16 | 1, 2u << 16 | 129, 16u << 16 | 17})
    bad(op::kSize, 1 << 16 | 1, size);
  bad(op::kRun, 0);

  bench.set(op::kActivations, kLdmBase + 8, 8 << 16 | 8);
  bench.set(op::kWeights, kLdmBase + 8, 8);
  bench.set(op::kColumns, 0xfffe'0000);
  bench.set(op::kOutput, kLdmBase + 0x1000 + 8, 8);
  bench.set(op::kSize, 1 << 16 | 2, 1 << 16 | 4);
  good(0);
  good(kKeep);
  good(kDrain | kBytes);
  bad(op::kRun, kDrain | kHalves);
  bad(op::kRun, kDrain | kInt32);
  bad(op::kRun, 3);
  bad(op::kRun, 1 << 11);
  bad(op::kRun, 0x8000'0000);
  bad(op::kRun, 1);  // int4: weights not aligned, no groups
  bench.set(op::kWeights, kLdmBase, 8);
  bad(op::kRun, 1);
  bad(op::kRun, 2);  // sparse: activations not aligned
  bench.set(op::kGroups, kLdmBase + 16, 1);
  good(1);
  bench.set(op::kActivations, kLdmBase, 8);
  bad(op::kRun, 2);
  bench.set(op::kActivations, kLdmBase, 8 << 16);
  bad(op::kRun, 2 | 4);
  bench.set(op::kSize, 2 << 16 | 2, 1 << 16 | 4);
  bad(op::kRun, 0);
  bad(op::kRun, kDrain | kKeep | kBytes);

  CHECK(bench.issue(op::kWait, 4).kind == Answer::kDone);
  CHECK(bench.issue(op::kWait, 5).kind == Answer::kWait);
  CHECK(bench.issue(op::kPoll, 4).data == 1);
  CHECK(bench.issue(op::kPoll, 5).data == 0);
  CHECK(bench.unit.fault() == Fault{});
}

TEST_CASE("systolic unit: a run stops where it leaves local memory") {
  verif::Random random(test_seed());
  const auto fault = [](Access access, uint32_t address) {
    return Fault{.cause = Cause::kCommand, .access = access, .dma = true, .pc = kPc, .offset = address};
  };
  const auto prepare = [](SystolicBench& bench) {
    bench.set(op::kActivations, kLdmBase, 8);
    bench.set(op::kWeights, kLdmBase + 0x400, 64 << 16 | 8);
    bench.set(op::kOutput, kLdmBase + 0x1'0000, 32);
    bench.set(op::kColumns, 64, 32 * 16);
    bench.set(op::kFactors, kLdmBase, kLdmBase);
    bench.set(op::kRows, kLdmBase);
    bench.set(op::kSize, 4 << 16 | 1, 1 << 16 | 16);
  };
  constexpr uint32_t kInt32 = 1 << 5 | 1 << 6, kFp32 = 1 << 5;
  const auto check = [&](uint8_t op, uint32_t rs1, uint32_t rs2, uint32_t mode, Access access,
                         uint32_t address) {
    SystolicBench bench(random);
    prepare(bench);
    bench.set(op, rs1, rs2);
    CHECK(bench.issue(op::kRun, mode).kind == Answer::kDone);
    CHECK(bench.unit.fault() == fault(access, address));
    CHECK(bench.unit.possible_faults() == std::vector{fault(access, address)});
    bench.unit.reset();
    CHECK(bench.unit.fault() == Fault{});
  };
  constexpr uint32_t kEnd = kLdmBase + kLdmBytes;
  check(op::kActivations, kEnd - 8, 8, kInt32, Access::kRead, kEnd);
  check(op::kWeights, kEnd - 64, 8, kInt32, Access::kRead, kEnd);
  check(op::kOutput, kEnd - 64, 32, kInt32, Access::kWrite, kEnd);
  check(op::kOutput, kLdmBase + 96, static_cast<uint32_t>(-32), kInt32, Access::kWrite,
        kEnd + kLdmBytes - 32);
  check(op::kColumns, static_cast<uint32_t>(-512), 512, kInt32, Access::kRead, kEnd + kLdmBytes - 512);
  check(op::kFactors, kEnd - 64, kLdmBase, kFp32, Access::kRead, kEnd);
  check(op::kFactors, kLdmBase, kEnd - 96, kFp32 | 1 << 9, Access::kRead, kEnd);
  check(op::kRows, kEnd - 32, 0, kFp32 | 1 << 8, Access::kRead, kEnd);
}

}  // namespace
}  // namespace swai::iss::cpe
