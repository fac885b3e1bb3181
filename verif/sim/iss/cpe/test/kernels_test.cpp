// SPDX-License-Identifier: Apache-2.0
// The kernels of the systolic and the vector unit against plain loops. They run on the functional model; the
// environment variable SWAI_CPE_RUN names another program with the same command line.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "abi/kernel_arguments.hpp"
#include "host/tools/flash/flash_file.hpp"
#include "sim/common/random.hpp"
#include "sim/iss/cpe/fp32.hpp"
#include "sim/iss/cpe/special.hpp"
#include "verif/firmware/test_tools.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai {
namespace {

namespace fp32 = iss::cpe::fp32;
constexpr uint32_t kMinusZero = fp32::kSign;
constexpr uint32_t kCpes = 32;
constexpr uint32_t kFp32 = 0, kFp16 = 2, kInt8 = 3;

// A launch of a kernel with buffers in files.
class Run {
 public:
  Run(std::string module, std::string kernel, uint32_t mask = ~uint32_t{0})
      : module_(std::move(module)), kernel_(std::move(kernel)), mask_(mask) {}

  Run& word(uint32_t value) {
    arguments_ += fmt::format(" {}", value);
    return *this;
  }
  Run& null() { return word(0).word(0); }
  template <typename T>
  Run& in(const std::vector<T>& values) {
    const std::string name = folder_ / fmt::format("in{}", buffers_++);
    flash::write_file(name, {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)});
    arguments_ += " buf:=" + name;
    return *this;
  }
  // The first one is what go() returns.
  template <typename T>
  Run& out(const std::vector<T>& before) {
    dumps_ += fmt::format(" --dump {}:{}", buffers_, folder_ / fmt::format("out{}", outs_++));
    return in(before);
  }
  void go() {
    const char* other = std::getenv("SWAI_CPE_RUN");
    const Finished finished = run_command(fmt::format(
        "{} build/cpe-kernels/{}.elf --daemon build/cpe-kernels/daemon.elf --kernel {} --mask {:#x} "
        "--args{}{}",
        other != nullptr ? other : "build/iss-cpe-run", module_, kernel_, mask_, arguments_, dumps_));
    REQUIRE_MESSAGE(finished.code == 0, finished.error);
  }
  template <typename T>
  std::vector<T> result(unsigned number = 0) const {
    const flash::Bytes bytes = flash::read_file(folder_ / fmt::format("out{}", number));
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

 private:
  std::string module_, kernel_;
  uint32_t mask_;
  TempFolder folder_;
  std::string arguments_, dumps_;
  unsigned buffers_ = 0, outs_ = 0;
};

struct Numbers {
  verif::Random random{test_seed()};

  uint32_t between(uint32_t low, uint32_t high) { return static_cast<uint32_t>(random.between(low, high)); }
  template <typename T>
  std::vector<T> any(size_t count) {
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(random.next());
    return values;
  }
  std::vector<float> floats(size_t count, float largest) {
    std::vector<float> values(count);
    for (float& value : values) value = largest * (static_cast<float>(random.below(65536)) / 32768.0f - 1.0f);
    return values;
  }
};

uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

TEST_CASE("tile_gemm and sparse_gemm: the same product on every CPE") {
  Numbers numbers;
  for (unsigned round = 0; round < 4; ++round) {
    const uint32_t rows = numbers.between(1, 100), k_tiles = numbers.between(1, 8);
    const uint32_t column_tiles = numbers.between(1, 6), block = numbers.between(1, 256 / rows);
    CAPTURE(rows);
    CAPTURE(k_tiles);
    CAPTURE(column_tiles);
    CAPTURE(block);
    const uint32_t mask = 0x8000'0401, cpes[] = {0, 10, 31};
    const uint32_t depth = 40 * k_tiles, pitch = (rows + 31) / 32 * 32;
    for (const bool sparse : {false, true}) {
      CAPTURE(sparse);
      const auto x = numbers.any<int8_t>(sparse ? depth * pitch : k_tiles * rows * 8);
      auto w = numbers.any<int8_t>(column_tiles * k_tiles * (sparse ? 96 : 64));
      std::vector<uint32_t> expected(column_tiles * rows * 8);
      for (uint32_t nt = 0; nt < column_tiles; ++nt) {
        for (uint32_t kt = 0; kt < k_tiles; ++kt) {
          int8_t* const tile = &w[(nt * k_tiles + kt) * (sparse ? 96 : 64)];
          for (uint32_t n = 0; n < 8; ++n) {
            for (uint32_t i = 0; i < 8; ++i) {
              const uint32_t entry = n / 4 * 8 + i;
              const auto k = static_cast<uint16_t>(numbers.random.below(depth));
              if (sparse && n % 4 == 0) std::memcpy(tile + 2 * entry, &k, sizeof k);
              uint16_t index = 0;
              std::memcpy(&index, tile + 2 * entry, sizeof index);
              const int weight = sparse ? tile[32 + entry * 4 + n % 4] : tile[i * 8 + n];
              for (uint32_t m = 0; m < rows; ++m) {
                const int value = sparse ? x[index * pitch + m] : x[(kt * rows + m) * 8 + i];
                expected[(nt * rows + m) * 8 + n] += static_cast<uint32_t>(value * weight);
              }
            }
          }
        }
      }
      Run run(sparse ? "sparse" : "gemm", sparse ? "sparse_gemm" : "tile_gemm", mask);
      run.out(std::vector<uint32_t>(kCpes * expected.size(), 0x55aa)).in(x).in(w).word(rows);
      if (sparse) run.word(depth);
      run.word(k_tiles).word(column_tiles).word(block).word(numbers.between(1, 5));
      if (!sparse) run.word(0);
      run.go();
      const auto y = run.result<uint32_t>();
      for (const uint32_t cpe : cpes) {
        const auto own = y.begin() + static_cast<long>(cpe * expected.size());
        CHECK(std::equal(expected.begin(), expected.end(), own));
      }
      CHECK(y[expected.size()] == 0x55aa);
    }
  }
}

TEST_CASE("the inner loops without anything from memory, as a bench has them") {
  Run("gemm", "tile_gemm").null().null().null().word(256).word(16).word(8).word(1).word(3).word(0).go();
  Run("sparse", "sparse_gemm")
      .null()
      .null()
      .in(std::vector<int8_t>(4 * 4 * 96))
      .word(256)
      .word(160)
      .word(4)
      .word(4)
      .word(1)
      .word(3)
      .go();
  Run("axpy", "fma_loop").null().null().word(256).word(10).go();
}

TEST_CASE("gemm: whole groups, any number of rows, all results") {
  Numbers numbers;
  struct Shape {
    uint32_t rows, depth, columns;
  };
  std::vector<Shape> shapes = {{1, 8, 8}, {130, 520, 24}, {33, 264, 584}};
  for (unsigned i = 0; i < 3; ++i)
    shapes.push_back({numbers.between(1, 200), 8 * numbers.between(1, 70), 8 * numbers.between(1, 80)});
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Shape shape = shapes[i];
    CAPTURE(shape.rows);
    CAPTURE(shape.depth);
    CAPTURE(shape.columns);
    const auto x = numbers.any<int8_t>(shape.rows * shape.depth);
    const auto w = numbers.any<int8_t>(shape.depth * shape.columns);
    const auto factors = numbers.floats(shape.columns, 1e-4f);
    const auto biases = numbers.floats(shape.columns, 10.0f);
    const bool scaled = i % 3 != 0, biased = i % 2 != 0;
    const uint32_t format = std::array{kFp32, kInt8, kFp16}[i % 3];
    const uint32_t bytes = !scaled || format == kFp32 ? 4 : format == kFp16 ? 2 : 1;
    std::vector<uint8_t> expected(shape.rows * shape.columns * bytes);
    for (uint32_t m = 0; m < shape.rows; ++m) {
      for (uint32_t n = 0; n < shape.columns; ++n) {
        int32_t sum = 0;
        for (uint32_t k = 0; k < shape.depth; ++k) sum += x[m * shape.depth + k] * w[k * shape.columns + n];
        uint32_t value = static_cast<uint32_t>(sum);
        if (scaled) {
          value = fp32::fma(fp32::of_int32(sum), bits(factors[n]), biased ? bits(biases[n]) : kMinusZero);
          if (format == kFp16) value = fp32::to_fp16(value);
          if (format == kInt8) value = static_cast<uint8_t>(fp32::to_int8(value));
        }
        std::memcpy(&expected[(m * shape.columns + n) * bytes], &value, bytes);
      }
    }
    Run run("gemm", "gemm");
    run.out(std::vector<uint8_t>(expected.size(), 0x77)).in(x).in(w);
    scaled ? run.in(factors) : run.null();
    biased ? run.in(biases) : run.null();
    run.word(shape.rows).word(shape.depth).word(shape.columns).word(format).word(i == 0 ? 3 : 1).word(0).go();
    CHECK(run.result<uint8_t>() == expected);
  }
}

TEST_CASE("gemv: int4 weights with groups") {
  Numbers numbers;
  struct Shape {
    uint32_t depth, columns, mask;
  };
  for (const Shape& shape : {Shape{8 * numbers.between(1, 100), 8 * numbers.between(1, 200), ~uint32_t{0}},
                             Shape{2048, 512, ~uint32_t{0}}, Shape{4096, 40, 0x1001}, Shape{32, 800, 0x30}}) {
    CAPTURE(shape.depth);
    CAPTURE(shape.columns);
    const uint32_t tile_bytes = cpe::gemv_tile_bytes(shape.depth);
    const auto x = numbers.any<int8_t>(shape.depth);
    const auto w = numbers.any<uint8_t>(shape.columns / 8 * tile_bytes);
    const auto factors = numbers.floats(shape.columns, 1e-6f);
    for (const bool scaled : {true, false}) {
      std::vector<uint32_t> expected(shape.columns);
      for (uint32_t n = 0; n < shape.columns; ++n) {
        const uint8_t* const tile = &w[n / 8 * tile_bytes];
        int64_t sum = 0;
        for (uint32_t k = 0; k < shape.depth; ++k) {
          const uint8_t* const group = tile + shape.depth / 8 * 32 + k / 32 * 16;
          const uint32_t nibble = k / 8 * 64 + k % 8 * 8 + n % 8;
          const int q = tile[nibble / 2] >> 4 * (nibble % 2) & 15;
          sum += x[k] * (q - (group[8 + n % 8] & 15)) * group[n % 8];
        }
        const auto wrapped = static_cast<int32_t>(sum);
        expected[n] = scaled ? fp32::fma(fp32::of_int32(wrapped), bits(factors[n]), kMinusZero)
                             : static_cast<uint32_t>(wrapped);
      }
      Run run("gemv", "gemv", shape.mask);
      run.out(std::vector<uint32_t>(shape.columns)).in(x).in(w);
      scaled ? run.in(factors) : run.null();
      run.word(shape.depth).word(shape.columns).word(numbers.between(1, 2)).word(0).go();
      CHECK(run.result<uint32_t>() == expected);
    }
  }
}

TEST_CASE("softmax: probabilities to the bit, and near those in double precision") {
  Numbers numbers;
  for (const uint32_t mask : {~uint32_t{0}, uint32_t{0x11}}) {
    const uint32_t cpes = static_cast<uint32_t>(std::popcount(mask));
    const uint32_t rows = numbers.between(1, 20), columns = 8 * numbers.between(1, 40);
    const uint32_t batch = numbers.between(1, rows);
    CAPTURE(rows);
    CAPTURE(columns);
    CAPTURE(batch);
    const float scale = 1e-4f;
    std::vector<int32_t> scores(cpes * rows * columns);
    for (int32_t& score : scores) score = static_cast<int32_t>(numbers.random.below(400'000)) - 200'000;
    std::vector<int8_t> expected(scores.size());
    std::vector<uint32_t> sums(cpes * rows);
    std::vector<double> exact_sums(sums.size());
    for (size_t row = 0; row < sums.size(); ++row) {
      const int32_t* const s = &scores[row * columns];
      const int32_t largest = *std::max_element(s, s + columns);
      const uint32_t offset =
          fp32::fma(fp32::of_int32(largest), bits(scale), bits(-6.988684686772166f)) ^ fp32::kSign;
      std::vector<uint32_t> partial(4, kMinusZero);
      for (uint32_t first = 0; first < columns; first += 8) {
        uint32_t v[8];
        for (uint32_t i = 0; i < 8; ++i) {
          v[i] = iss::cpe::special::exp2(fp32::fma(fp32::of_int32(s[first + i]), bits(scale), offset));
          expected[row * columns + first + i] = fp32::to_int8(v[i]);
          exact_sums[row] += 127 * std::exp2((s[first + i] - largest) * double{scale});
          CHECK(std::abs(expected[row * columns + first + i] -
                         127 * std::exp2((s[first + i] - largest) * double{scale})) < 0.501);
        }
        for (const unsigned step : {4u, 2u, 1u}) {
          for (uint32_t i = 0; i < step; ++i) v[i] = fp32::add(v[2 * i], v[2 * i + 1]);
        }
        partial[first / 8 % 4] = fp32::add(partial[first / 8 % 4], v[0]);
      }
      sums[row] = fp32::add(fp32::add(partial[0], partial[1]), fp32::add(partial[2], partial[3]));
      CHECK(std::bit_cast<float>(sums[row]) == doctest::Approx(exact_sums[row]).epsilon(1e-5));
    }
    Run run("softmax", "softmax", mask);
    run.out(std::vector<int8_t>(scores.size())).out(std::vector<uint32_t>(sums.size())).in(scores);
    run.word(rows).word(columns).word(batch).word(bits(scale)).word(numbers.between(1, 3)).word(0).go();
    CHECK(run.result<int8_t>() == expected);
    CHECK(run.result<uint32_t>(1) == sums);
  }
}

TEST_CASE("axpy, and the vector unit's inner loop") {
  Numbers numbers;
  for (const uint32_t count : {1u, 777u, 200'003u}) {
    CAPTURE(count);
    const auto x = numbers.floats(count, 100.0f);
    const auto y = numbers.floats(count, 100.0f);
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < count; ++i) expected.push_back(fp32::fma(bits(x[i]), bits(-1.7f), bits(y[i])));
    Run run("axpy", "axpy", count < 1000 ? 0xff00 : ~uint32_t{0});
    run.out(y).in(x).word(count).word(bits(-1.7f)).go();
    CHECK(run.result<uint32_t>() == expected);
  }
  constexpr uint32_t kElements = 256;
  const auto abc = numbers.floats(3 * kElements, 10.0f);
  Run run("axpy", "fma_loop");
  run.out(std::vector<uint32_t>(kCpes * kElements)).in(abc).word(kElements).word(7).go();
  const auto result = run.result<uint32_t>();
  for (uint32_t i = 0; i < result.size(); ++i) {
    const uint32_t j = i % kElements;
    REQUIRE(result[i] == fp32::fma(bits(abc[j]), bits(abc[kElements + j]), bits(abc[2 * kElements + j])));
  }
}

}  // namespace
}  // namespace swai
