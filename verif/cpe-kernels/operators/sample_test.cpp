// SPDX-License-Identifier: Apache-2.0
// Choosing tokens: to the bit, by their probabilities, and what is refused.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "cpe-kernels/operators/common/places.hpp"
#include "cpe-kernels/operators/sample/reference.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"
#include "verif/cpe-kernels/operators/sample_model.hpp"
#include "verif/cpe-kernels/operators/shapes.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::operators::test {
namespace {

using node::Refusal;

SampleSettings some_settings(verif::Random& random, uint32_t columns) {
  SampleSettings settings;
  settings.temperature = random.chance(20)   ? 0
                         : random.chance(40) ? 1
                                             : std::exp2(static_cast<float>(random.below(9)) / 2 - 2);
  if (random.chance(50))
    settings.top_k = static_cast<uint32_t>(random.between(1, random.chance(50) ? 50 : columns));
  if (random.chance(50)) settings.top_p = static_cast<float>(random.between(1, 1000)) / 1000;
  settings.stream = static_cast<uint32_t>(random.next());
  for (uint32_t& word : settings.seed) word = static_cast<uint32_t>(random.next());
  return settings;
}

// Logits of a card, settings, and what comes out.
struct Case {
  verif::Random& random;
  Card card{random};
  SampleArgs args{};
  std::vector<SampleSettings> all;
  Tensor from, settings, to, log_probabilities, workspace, positions;

  Case(verif::Random& r, uint32_t rows, uint32_t columns, bool one_row = false, bool one_record = false)
      : random(r) {
    from = card.tensor(one_row ? 1 : rows, columns, 4, some_gap(random));
    settings = card.tensor(one_record ? 1 : rows, sizeof(SampleSettings) / 4, 4, some_gap(random));
    to = card.tensor(1, rows, 4);
    log_probabilities = card.tensor(1, rows, 4);
    workspace = card.tensor(1, static_cast<uint32_t>(sample_workspace(rows, columns) / 4), 4);
    args.to = to.at();
    args.from = from.at();
    args.settings = settings.at();
    args.log_probabilities = log_probabilities.at();
    args.workspace = workspace.at();
    args.rows = rows;
    args.columns = columns;
    args.from_stride = one_row ? 0 : from.stride;
    args.settings_stride = one_record ? 0 : settings.stride;
    args.position = static_cast<uint32_t>(random.next());
    positions = card.tensor(1, rows, 4);
    if (rows <= kMaxPlacedRows && random.chance(30)) {
      for (uint32_t row = 0; row < rows; ++row)
        positions.set(0, row, random.chance(10) ? kNoText : static_cast<uint32_t>(random.next()));
      args.positions = positions.at();
    }
    for (uint32_t row = 0; row < settings.rows; ++row) put(row, some_settings(random, columns));
  }
  void put(uint32_t row, const SampleSettings& record) {
    if (all.size() <= row) all.resize(row + 1);
    all[row] = record;
    std::memcpy(&settings.image[settings.offset + uint64_t{row} * settings.stride], &record, sizeof record);
  }
  std::vector<Real> logits(uint32_t row) const {
    std::vector<Real> values;
    for (uint32_t i = 0; i < args.columns; ++i)
      values.push_back(Real::of(from.get<uint32_t>(args.from_stride == 0 ? 0 : row, i)));
    return values;
  }
  uint32_t position_of(uint32_t row) const {
    return args.positions ? positions.get<uint32_t>(0, row) : args.position;
  }
  bool is_left_out(uint32_t row) const { return args.positions && position_of(row) == kNoText; }
  const SampleSettings& settings_of(uint32_t row) const { return all[args.settings_stride == 0 ? 0 : row]; }

  std::vector<Tensor*> tensors() {
    return {&from, &settings, &to, &log_probabilities, &workspace, &positions};
  }
  Result run(uint32_t mask) { return card.run(Operator::kSample, args, mask, tensors()); }
  // The workspace may hold anything, what is around it may not.
  void check_untouched() {
    Tensor now = workspace;
    card.take(now);
    const auto begin = now.image.begin() + static_cast<ptrdiff_t>(now.offset);
    std::copy_n(begin, uint64_t{now.columns} * 4,
                workspace.image.begin() + static_cast<ptrdiff_t>(workspace.offset));
    REQUIRE(card.difference(workspace) == "");
    REQUIRE(card.difference(from) == "");
    REQUIRE(card.difference(settings) == "");
  }
};

}  // namespace

TEST_CASE("philox: the authors' known answers") {
  using Words = std::array<uint32_t, 4>;
  CHECK(philox({}, 0, 0) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({~0u, ~0u, ~0u, ~0u}, ~0u, ~0u) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("sample: greedy, temperature, top-k, top-p, to the bit") {
  verif::Random random(test_seed());
  for (int round = 0; round < rounds(60); ++round) {
    const uint32_t columns = random.chance(10) ? 51'864 : some_size(random, 20'000);
    const uint32_t rows = std::min(some_size(random, std::max(20'000 / columns, 1u)), kSampleRows);
    Case it(random, rows, columns, random.chance(20), random.chance(20));
    // Some rows have few different logits, some have nothing but -infinity; NaN and infinities are anywhere.
    const float special[] = {NAN, -INFINITY, INFINITY, -kLargestFloat, kLargestFloat};
    for (uint32_t row = 0; row < it.from.rows; ++row) {
      const bool coarse = random.chance(30);
      const uint64_t specials = random.chance(50) ? 0 : random.below(100);
      const bool masked = random.chance(5);
      for (uint32_t i = 0; i < columns; ++i) {
        const float x = some_float(random) * 4;
        it.from.set(row, i,
                    masked                    ? -INFINITY
                    : random.chance(specials) ? special[random.below(std::size(special))]
                    : coarse                  ? std::round(x)
                                              : x);
      }
    }
    const bool wanted = random.chance(70);
    if (!wanted) it.args.log_probabilities = {};
    const uint32_t mask = some_mask(random, it.card.all());
    INFO(fmt::format("{} x {}, mask {:#x}", rows, columns, mask));
    const Result result = it.run(mask);
    REQUIRE_MESSAGE(result.ok(), it.card.describe(result));
    golden::sample(it.args, memory_of(it.tensors()));
    REQUIRE(it.card.difference(it.to) == "");
    REQUIRE(it.card.difference(it.log_probabilities) == "");
    it.check_untouched();
  }
}

TEST_CASE("sample: what is kept is what double precision keeps, but for columns at the edge") {
  verif::Random random(test_seed() + 1);
  for (int round = 0; round < 200; ++round) {
    const uint32_t columns = some_size(random, 2'000);
    SampleSettings settings = some_settings(random, columns);
    if (is_greedy(settings)) settings.temperature = 1;
    std::vector<Real> logits;
    std::vector<double> doubles;
    for (uint32_t i = 0; i < columns; ++i) {
      logits.emplace_back(some_float(random) * 2);
      doubles.push_back(logits.back().value());
    }
    const SampleModel model(logits, settings);
    const auto with = [&](double part) {
      return reference::sampled(doubles, settings.temperature, settings.top_k, settings.top_p + part);
    };
    const auto fewer = with(-1e-5);
    const auto more = with(1e-5);
    for (uint32_t i = 0; i < columns; ++i) {
      // Ties of probabilities are more than those of logits.
      const bool edge = settings.top_k != 0 || settings.top_p == 1;
      if (fewer[i] != 0) CHECK(model.keeps(i));
      if (model.keeps(i) && !edge) CHECK(more[i] != 0);
    }
    const auto plain = reference::sampled(doubles, 1, 0, 1);
    const Sampled drawn = model.at(static_cast<uint32_t>(random.next()));
    CHECK(std::abs(drawn.log_probability.value() - std::log(plain[drawn.token])) <= 1e-5);
  }
}

TEST_CASE("sample: columns come as often as their probabilities say") {
  verif::Random random(test_seed() + 2);
  const uint32_t columns = 1'300;  // three pieces
  for (const bool narrow : {false, true}) {
    std::map<uint32_t, double> counts;
    std::vector<double> doubles;
    std::vector<float> logits;
    for (uint32_t i = 0; i < columns; ++i) logits.push_back(i % 100 == 7 ? some_float(random) : -6);
    for (const float x : logits) doubles.push_back(x);
    const int launches = rounds(40);
    SampleSettings settings = {.temperature = 1.5f, .seed = {static_cast<uint32_t>(random.next()), 0}};
    if (narrow) {
      settings.top_k = 9;
      settings.top_p = 0.8f;
    }
    for (int launch = 0; launch < launches; ++launch) {
      Case it(random, kSampleRows, columns, true);
      for (uint32_t i = 0; i < columns; ++i) it.from.set(0, i, logits[i]);
      for (uint32_t row = 0; row < kSampleRows; ++row) {
        settings.stream = row;
        it.put(row, settings);
      }
      it.args.position = static_cast<uint32_t>(launch);
      REQUIRE(it.run(it.card.all()).ok());
      it.card.take(it.to);
      for (uint32_t row = 0; row < kSampleRows; ++row) ++counts[it.to.get<uint32_t>(0, row)];
    }
    const auto p = reference::sampled(doubles, settings.temperature, settings.top_k, settings.top_p);
    const double draws = launches * static_cast<double>(kSampleRows);
    double unlikely = 0;
    for (uint32_t i = 0; i < columns; ++i) {
      const double expected = p[i] * draws;
      if (p[i] == 0) CHECK(counts[i] == 0);
      if (expected < 10) {
        unlikely += counts[i] - expected;
        continue;
      }
      CHECK(std::abs(counts[i] - expected) <= 5 * std::sqrt(expected * (1 - p[i])));
    }
    CHECK(std::abs(unlikely) <= 5 * std::sqrt(draws) / 2);
  }
}

TEST_CASE("sample: sizes, strides and settings that are refused") {
  verif::Random random(test_seed() + 3);
  const auto refused = [&](auto change, Refusal reason) {
    Case it(random, 3, 700);
    SampleSettings settings;
    change(it.args, settings);
    it.put(2, settings);
    const Result result = it.card.walk(one(Operator::kSample, it.args), it.card.all(), it.tensors());
    CHECK(result.failed == it.card.all());
    CHECK(it.card.state(0).refusal == reason);
    CHECK(it.card.difference(it.to) == "");
    CHECK(it.card.difference(it.workspace) == "");
  };
  using Args = SampleArgs;
  using Settings = SampleSettings;
  refused([](Args& args, Settings&) { args.rows = 0; }, Refusal::kShape);
  refused([](Args& args, Settings&) { args.rows = kSampleRows + 1; }, Refusal::kShape);
  refused(
      [](Args& args, Settings&) {
        args.positions = args.from;
        args.rows = kMaxPlacedRows + 1;
        args.columns = 8;
      },
      Refusal::kShape);
  refused([](Args& args, Settings&) { args.columns = kSampleColumns + 1; }, Refusal::kShape);
  refused([](Args& args, Settings&) { args.columns = kSampleColumns; }, Refusal::kShape);  // of three rows
  refused([](Args& args, Settings&) { args.from_stride = 699 * 4; }, Refusal::kStride);
  refused([](Args& args, Settings&) { args.settings_stride = 44; }, Refusal::kStride);
  refused([](Args&, Settings& settings) { settings.temperature = -1; }, Refusal::kParameter);
  refused([](Args&, Settings& settings) { settings.temperature = 1e-4f; }, Refusal::kParameter);
  refused([](Args&, Settings& settings) { settings.temperature = NAN; }, Refusal::kParameter);
  refused([](Args&, Settings& settings) { settings.top_p = 0; }, Refusal::kParameter);
  refused([](Args&, Settings& settings) { settings.top_p = 1.001f; }, Refusal::kParameter);
  refused([](Args&, Settings& settings) { settings.top_p = -0.5f; }, Refusal::kParameter);
}

}  // namespace swai::operators::test
