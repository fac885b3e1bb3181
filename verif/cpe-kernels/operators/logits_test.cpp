// SPDX-License-Identifier: Apache-2.0
// Operators that change logits before a token is chosen: to the bit, and what is refused.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cpe-kernels/operators/common/constants.hpp"
#include "cpe-kernels/operators/logits/plan.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"
#include "verif/cpe-kernels/operators/shapes.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::operators::test {
namespace {

using node::Refusal;

uint32_t some_columns(verif::Random& random) {
  return random.chance(15) ? 51'864 : some_size(random, 20'000);
}
uint32_t some_rows(verif::Random& random, uint32_t columns) {
  return std::min(some_size(random, std::max(20'000 / columns, 1u)), kPenalisedRows);
}

// With NaN and infinities among them, if there may be.
Tensor some_logits(verif::Random& random, Card& card, uint32_t rows, uint32_t columns, uint64_t specials) {
  const float special[] = {NAN, -INFINITY, INFINITY, kLargestFloat, -kLargestFloat};
  Tensor logits = card.tensor(rows, columns, 4, some_gap(random));
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t i = 0; i < columns; ++i) {
      const bool is_special = random.chance(specials);
      logits.set(row, i, is_special ? special[random.below(std::size(special))] : some_float(random) * 4);
    }
  }
  return logits;
}

Real penalised(Real x, uint32_t times, const SampleSettings& settings) {
  const Real by = fp32::less(x.bits, 0) ? Real(settings.repetition) : reciprocal(settings.repetition);
  return x * by + fma(static_cast<float>(times), -Real(settings.frequency), -Real(settings.presence));
}

}  // namespace

TEST_CASE("penalise: each column once, lists with repetitions and with what are no columns") {
  verif::Random random(test_seed());
  for (int round = 0; round < rounds(60); ++round) {
    Card card(random);
    const uint32_t columns = some_columns(random);
    const uint32_t rows = some_rows(random, columns);
    const uint32_t count = random.chance(10) ? 0 : some_size(random, 5'000);
    const bool shared = random.chance(30);
    Tensor to = some_logits(random, card, rows, columns, random.chance(50) ? 0 : 20);
    Tensor tokens = card.tensor(random.chance(30) ? 1 : rows, std::max(count, 1u), 4, some_gap(random));
    Tensor records = card.tensor(shared ? 1 : rows, sizeof(SampleSettings) / 4, 4, some_gap(random));
    const uint32_t different = some_size(random, columns);
    for (uint32_t row = 0; row < tokens.rows; ++row) {
      for (uint32_t i = 0; i < count; ++i) {
        const auto token = static_cast<uint32_t>(random.below(different));
        tokens.set(row, i, random.chance(95) ? token : columns + static_cast<uint32_t>(random.below(1000)));
      }
    }
    std::vector<SampleSettings> settings(records.rows);
    for (uint32_t row = 0; row < records.rows; ++row) {
      SampleSettings& record = settings[row];
      if (random.chance(70)) record.repetition = static_cast<float>(random.between(50, 200)) / 100;
      if (random.chance(50)) record.frequency = some_float(random);
      if (random.chance(50)) record.presence = some_float(random);
      std::memcpy(&records.image[records.offset + uint64_t{row} * records.stride], &record, sizeof record);
    }
    const PenaliseArgs args = {.to = to.at(),
                               .tokens = tokens.at(),
                               .settings = records.at(),
                               .rows = rows,
                               .columns = columns,
                               .count = count,
                               .to_stride = to.stride,
                               .tokens_stride = tokens.rows == 1 ? 0 : tokens.stride,
                               .settings_stride = shared ? 0 : records.stride};
    const uint32_t mask = some_mask(random, card.all());
    INFO(fmt::format("{} x {}, {} tokens, mask {:#x}", rows, columns, count, mask));
    const Result result = card.run(Operator::kPenalise, args, mask, {&to, &tokens, &records});
    REQUIRE_MESSAGE(result.ok(), card.describe(result));
    for (uint32_t row = 0; row < rows; ++row) {
      std::map<uint32_t, uint32_t> times;
      for (uint32_t i = 0; i < count; ++i) ++times[tokens.get<uint32_t>(tokens.rows == 1 ? 0 : row, i)];
      const SampleSettings& record = settings[shared ? 0 : row];
      if (is_neutral(record)) continue;
      for (const auto& [token, often] : times) {
        if (token >= columns) continue;
        const Real x(to.get<float>(row, token));
        const Real y = penalised(x, often, record);
        to.set(row, token, y.bits);
        const double exact =
            static_cast<double>(x.value()) * (x.value() < 0 ? record.repetition : 1.0 / record.repetition) -
            often * static_cast<double>(record.frequency) - record.presence;
        const double magnitude = std::abs(exact) + std::abs(often * record.frequency) +
                                 std::abs(record.presence) + std::abs(x.value());
        if (std::abs(exact) < 1e30) CHECK(std::abs(y.value() - exact) <= 1e-6 * magnitude);
      }
    }
    REQUIRE(card.difference(to) == "");
    REQUIRE(card.difference(tokens) == "");
  }
}

TEST_CASE("mask: bits, ranges, both; what is not masked stays as it is") {
  verif::Random random(test_seed() + 1);
  for (int round = 0; round < rounds(60); ++round) {
    Card card(random);
    const uint32_t columns = some_columns(random);
    const uint32_t rows = some_rows(random, columns);
    const uint32_t words = (columns + 31) / 32;
    const auto range_count = static_cast<uint32_t>(random.below(kMaxRanges + 1));
    Tensor to = card.tensor(rows, columns, 4, some_gap(random));  // garbage
    Tensor from = card.tensor(rows, columns, 4, some_gap(random));
    Tensor bits = card.tensor(random.chance(30) ? 1 : rows, words, 4, some_gap(random));
    Tensor ranges =
        card.tensor(random.chance(30) ? 1 : rows, std::max(range_count, 1u) * 2, 4, some_gap(random));
    const uint64_t density = std::array{0, 1, 30, 100}[random.below(4)];
    for (uint32_t row = 0; row < bits.rows; ++row) {
      for (uint32_t i = 0; i < words; ++i)
        bits.set(row, i, random.chance(density) ? static_cast<uint32_t>(random.next()) : 0);
      // Many that follow each other.
      const uint32_t from = static_cast<uint32_t>(random.below(words));
      for (uint32_t i = from; i < words && !random.chance(20); ++i) bits.set(row, i, ~0u);
    }
    for (uint32_t row = 0; row < ranges.rows; ++row) {
      for (uint32_t i = 0; i < range_count * 2; ++i) {
        const bool beyond = random.chance(10);
        ranges.set(row, i, beyond ? ~0u : static_cast<uint32_t>(random.below(columns + 5)));
      }
    }
    MaskArgs args = {.to = to.at(),
                     .from = from.at(),
                     .bits = bits.at(),
                     .ranges = ranges.at(),
                     .rows = rows,
                     .columns = columns,
                     .to_stride = to.stride,
                     .from_stride = from.stride,
                     .bits_stride = bits.rows == 1 ? 0 : bits.stride,
                     .ranges_stride = ranges.rows == 1 ? 0 : ranges.stride,
                     .range_count = range_count};
    const bool has_bits = random.chance(70);
    const bool has_ranges = random.chance(70);
    if (random.chance(50)) args.from = {};
    if (!has_bits) args.bits = {};
    if (!has_ranges) args.ranges = {};
    const uint32_t mask = some_mask(random, card.all());
    INFO(fmt::format("{} x {}, {} ranges, mask {:#x}", rows, columns, range_count, mask));
    const std::vector<Tensor*> tensors = {&to, &from, &bits, &ranges};
    const Result result = card.run(Operator::kMask, args, mask, tensors);
    REQUIRE_MESSAGE(result.ok(), card.describe(result));
    golden::mask(args, memory_of(tensors));
    REQUIRE(card.difference(to) == "");
  }
}

TEST_CASE("prefer_group: when all of it together is more probable than any column before it") {
  verif::Random random(test_seed() + 2);
  int preferred = 0;
  for (int round = 0; round < rounds(200); ++round) {
    Card card(random);
    const uint32_t columns = std::max(some_columns(random), 2u);
    const uint32_t rows = some_rows(random, columns);
    const uint32_t first = random.chance(50) ? static_cast<uint32_t>(random.between(1, columns - 1))
                                             : columns - std::min(some_size(random, 1'501), columns - 1);
    Tensor to = some_logits(random, card, rows, columns, random.chance(70) ? 0 : random.below(60));
    Tensor workspace = card.tensor(1, rows * pieces_of(first), 4);
    for (uint32_t row = 0; row < rows; ++row) {
      // Near the edge: sums of exponentials of about 1.
      const float less = std::log(static_cast<float>(columns - first)) + some_float(random) / 4;
      if (random.chance(70)) to.set(row, static_cast<uint32_t>(random.below(first)), 6.0f);
      for (uint32_t i = first; i < columns; ++i)
        if (random.chance(98)) to.set(row, i, 6 - less + some_float(random) / 8);
    }
    if (round == 0) {
      // One row that prefers the group for any seed.
      for (uint32_t i = 0; i < first; ++i) to.set(0, i, 0.0f);
      to.set(0, first, 5.0f);
    }
    const PreferGroupArgs args = {to.at(), workspace.at(), rows, columns, first, to.stride};
    const uint32_t mask = some_mask(random, card.all());
    INFO(fmt::format("{} x {} of {}, mask {:#x}", rows, first, columns, mask));
    const std::vector<Tensor*> tensors = {&to, &workspace};
    const Result result = card.run(Operator::kPreferGroup, args, mask, tensors);
    REQUIRE_MESSAGE(result.ok(), card.describe(result));
    const Tensor before = to;
    golden::prefer_group(args, memory_of(tensors));
    for (uint32_t row = 0; row < rows; ++row) {
      const auto finite = [&](uint32_t i) {
        const double x = before.get<float>(row, i);
        return std::isnan(x) ? -kLargestFloat : std::clamp<double>(x, -kLargestFloat, kLargestFloat);
      };
      double most = -kLargestFloat, sum = 0;
      for (uint32_t i = 0; i < first; ++i) most = std::max(most, finite(i));
      for (uint32_t i = first; i < columns; ++i) sum += std::exp(finite(i) - most);
      bool prefers = true;
      for (uint32_t i = 0; i < first; ++i) prefers = prefers && to.get<float>(row, i) == -INFINITY;
      if (sum < 1 - 1e-5) CHECK(!prefers);
      if (sum > 1 + 1e-5) CHECK(prefers);
      preferred += prefers;
    }
    REQUIRE(card.difference(to) == "");
    REQUIRE(card.difference(workspace) == "");
  }
  CHECK(preferred != 0);
}

TEST_CASE("penalise, mask, prefer_group: what is refused") {
  verif::Random random(test_seed() + 3);
  const auto refused = [&](Operator operation, auto args, auto change, Refusal reason) {
    Card card(random);
    Tensor to = card.tensor(3, 700, 4);
    Tensor other = card.tensor(3, 700, 4);
    const SampleSettings settings;
    for (uint32_t row = 0; row < 3; ++row)
      std::memcpy(&other.image[other.offset + uint64_t{row} * other.stride], &settings, sizeof settings);
    args.to = to.at();
    args.rows = 3;
    args.columns = 700;
    args.to_stride = to.stride;
    change(args, other);
    const Result result = card.walk(one(operation, args), card.all(), {&to, &other});
    CHECK(result.failed == card.all());
    CHECK(card.state(0).refusal == reason);
    CHECK(card.difference(to) == "");
  };
  const auto penalise = [&](auto change, Refusal reason) {
    refused(
        Operator::kPenalise, PenaliseArgs{.count = 5, .tokens_stride = 2800, .settings_stride = 2800},
        [&](PenaliseArgs& args, Tensor& other) {
          args.settings = other.at();
          args.tokens = other.at();
          change(args, other);
        },
        reason);
  };
  penalise([](PenaliseArgs& args, Tensor&) { args.rows = 0; }, Refusal::kShape);
  penalise([](PenaliseArgs& args, Tensor&) { args.rows = kPenalisedRows + 1; }, Refusal::kShape);
  penalise([](PenaliseArgs& args, Tensor&) { args.columns = kLogits + 1; }, Refusal::kShape);
  penalise([](PenaliseArgs& args, Tensor&) { args.count = kLogits + 1; }, Refusal::kShape);
  penalise([](PenaliseArgs& args, Tensor&) { args.to_stride = 2796; }, Refusal::kStride);
  penalise([](PenaliseArgs& args, Tensor&) { args.tokens_stride = 16; }, Refusal::kStride);
  penalise([](PenaliseArgs& args, Tensor&) { args.settings_stride = 44; }, Refusal::kStride);
  for (const float wrong : {0.0f, -1.0f, 2000.0f, NAN}) {
    const auto at = offsetof(SampleSettings, repetition) / 4;
    penalise([&](PenaliseArgs&, Tensor& other) { other.set(2, at, wrong); }, Refusal::kParameter);
  }
  for (const float wrong : {-2000.0f, 2000.0f, INFINITY, NAN}) {
    const auto at = offsetof(SampleSettings, frequency) / 4;
    penalise([&](PenaliseArgs&, Tensor& other) { other.set(2, at, wrong); }, Refusal::kParameter);
    penalise([&](PenaliseArgs&, Tensor& other) { other.set(2, at + 1, wrong); }, Refusal::kParameter);
  }

  const auto mask = [&](auto change, Refusal reason) {
    refused(
        Operator::kMask, MaskArgs{.range_count = 2}, [&](MaskArgs& args, Tensor&) { change(args); }, reason);
  };
  mask([](MaskArgs& args) { args.columns = 0; }, Refusal::kShape);
  mask([](MaskArgs& args) { args.columns = kLogits + 1; }, Refusal::kShape);
  mask([](MaskArgs& args) { args.to_stride = 0; }, Refusal::kStride);
  mask(
      [](MaskArgs& args) {
        args.from = args.to;
        args.from_stride = 4;
      },
      Refusal::kStride);
  mask([](MaskArgs& args) { args.bits_stride = 84; }, Refusal::kStride);
  mask([](MaskArgs& args) { args.ranges_stride = 8; }, Refusal::kStride);
  mask([](MaskArgs& args) { args.range_count = kMaxRanges + 1; }, Refusal::kParameter);

  const auto prefer = [&](auto change, Refusal reason) {
    refused(
        Operator::kPreferGroup, PreferGroupArgs{.first = 600},
        [&](PreferGroupArgs& args, Tensor& other) {
          args.workspace = other.at();
          change(args);
        },
        reason);
  };
  prefer([](PreferGroupArgs& args) { args.first = 0; }, Refusal::kShape);
  prefer([](PreferGroupArgs& args) { args.first = 700; }, Refusal::kShape);
  prefer([](PreferGroupArgs& args) { args.columns = kLogits + 1; }, Refusal::kShape);
  prefer([](PreferGroupArgs& args) { args.to_stride = 2796; }, Refusal::kStride);
}

}  // namespace swai::operators::test
