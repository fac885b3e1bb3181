// SPDX-License-Identifier: Apache-2.0
// Attention with products of int8: to the bit, and as near to double precision as weights of 7 bits are.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "cpe-kernels/operators/attention_int8/plan.hpp"
#include "cpe-kernels/operators/common/constants.hpp"
#include "verif/cpe-kernels/operators/attention_case.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::operators::test {
namespace {

struct Case {
  verif::Random& random;
  Card card{random};
  AttentionInt8Args args{};
  Tensor to, q;
  std::optional<KeysAndValues> stored;
  double worst = 0;  // error, of what rounded weights may cost
  double error = 0;  // sum of squares, and of the results'
  double power = 0;

  Case(verif::Random& r, Sizes sizes) : random(r) {
    const auto some_type = [&] { return random.chance(50) ? Number::kFp32 : Number::kFp16; };
    args.rows = sizes.rows;
    args.heads = sizes.heads;
    args.kv_heads = sizes.kv_heads;
    args.width = sizes.width;
    args.keys = sizes.keys;
    args.causal = sizes.causal;
    args.to_type = some_type();
    args.q_type = some_type();
    args.scale = some_scale(random, args.width);
    to = card.tensor(args.rows, args.heads * args.width, bytes_of(args.to_type), some_gap(random));
    q = card.tensor(args.rows, args.heads * args.width, bytes_of(args.q_type), some_gap(random));
    fill(random, q, args.q_type);
    stored.emplace(random, card, sizes, Number::kInt8);
    stored->set(args);
    if (random.chance(20)) make_values_tiny();
    if (args.causal != 0 && random.chance(30)) hide_last_key();
    args.to = to.at();
    args.q = q.at();
    args.to_stride = to.stride;
    args.q_stride = q.stride;
  }

  std::vector<Tensor*> tensors() {
    std::vector<Tensor*> all = stored->tensors();
    all.insert(all.end(), {&to, &q});
    return all;
  }
  std::string difference() {
    for (const Tensor* tensor : tensors()) {
      if (const std::string words = card.difference(*tensor); !words.empty()) return words;
    }
    return {};
  }
  std::string describe(uint32_t mask) const {
    return fmt::format(
        "{} rows, {} heads for {} of {}, {} keys, causal {}, chunks {}, types {} {}, mask {:#x}", args.rows,
        args.heads, args.kv_heads, args.width, args.keys, args.causal, bool(args.chunks),
        static_cast<int>(args.to_type), static_cast<int>(args.q_type), mask);
  }

  void expect() {
    Row results(args.width);
    golden::attention_int8(args, memory_of(tensors()), [&](uint32_t row, uint32_t column, Real y) {
      results[column % args.width] = y;
      if ((column + 1) % args.width == 0) compare(row, column / args.width, results);
    });
  }

 private:
  // As of a token that says nothing; and scales that count as another one.
  void make_values_tiny() {
    for (uint32_t head = 0; head < args.kv_heads; ++head) {
      const uint32_t t = static_cast<uint32_t>(random.below(args.keys));
      stored->v_scales.set(head, stored->place(t), random.chance(50) ? 0.0f : 1e-9f);
    }
  }
  // Rows before the last one must not notice.
  void hide_last_key() {
    for (uint32_t head = 0; head < args.kv_heads; ++head) {
      stored->k_scales.set(head, stored->place(args.keys - 1), fp32::kNan);
      stored->v_scales.set(head, stored->place(args.keys - 1),
                           random.chance(50) ? fp32::kNan : fp32::kInfinity);
    }
  }

  int32_t number(const Tensor& tensor, uint32_t kv_head, uint32_t t, uint32_t i) const {
    return tensor.get<int8_t>(stored->place(t), kv_head * args.width + i);
  }

  // In bytes, as numbers of their step.
  std::vector<double> query(uint32_t row, uint32_t head) const {
    const Row x = read_row(q, args.q_type, row, head * args.width, args.width);
    Row magnitudes;
    for (const Real one : x) magnitudes.push_back(max(abs(one), kLeastMagnitude));
    const Real step = largest(magnitudes) * kPartOf127;
    std::vector<double> numbers;
    for (const Real one : x)
      numbers.push_back(fp32::to_int8((one * reciprocal(step)).bits) * double{step.value()});
    return numbers;
  }
  Real value_scale(uint32_t kv_head, uint32_t t) const {
    return max(Real(stored->v_scales.get<float>(kv_head, stored->place(t))), kLeastValueScale);
  }

  // Of the quantised numbers. A weight times its value's scale is rounded by half a step at most, and steps
  // are a 127th of the block's largest.
  void compare(uint32_t row, uint32_t head, const Row& results) {
    const uint32_t kv_head = head / (args.heads / args.kv_heads);
    const std::vector<double> queries = query(row, head);
    const uint32_t keys = visible_keys(sizes_of(args), row);
    const auto exact = reference::attention(
        queries, keys, args.scale, [&](uint32_t t, uint32_t i) { return stored->key(kv_head, t, i); },
        [&](uint32_t t, uint32_t i) { return stored->value(kv_head, t, i); });
    const std::vector<double> bound = costs_of_rounding(queries, kv_head, keys);
    const double unit = error_unit(*stored, kv_head, keys, queries, args.scale);
    for (uint32_t i = 0; i < args.width; ++i) {
      if (!std::isfinite(exact[i])) continue;
      CHECK(std::isfinite(results[i].value()));
      const double off = std::abs(results[i].value() - exact[i]);
      worst = std::max(worst, off / (bound[i] + 1e-5 * unit + 128 * double{kLeastValueScale}));
      error += off * off;
      power += exact[i] * exact[i];
    }
  }

  std::vector<double> costs_of_rounding(std::span<const double> queries, uint32_t kv_head,
                                        uint32_t keys) const {
    std::vector<double> scores(keys);
    for (uint32_t t = 0; t < keys; ++t) {
      for (uint32_t i = 0; i < args.width; ++i)
        scores[t] += args.scale * queries[i] * stored->key(kv_head, t, i);
    }
    const double most = *std::ranges::max_element(scores);
    double weights = 0;
    for (double& score : scores) weights += score = std::exp(score - most);
    std::vector<double> costs(args.width);
    for (uint32_t first = 0; first < keys; first += kKeyBlock) {
      const uint32_t end = std::min(first + kKeyBlock, keys);
      double largest = 0;
      for (uint32_t t = first; t < end; ++t)
        largest = std::max(largest, scores[t] * value_scale(kv_head, t).value());
      for (uint32_t t = first; t < end; ++t) {
        for (uint32_t i = 0; i < args.width; ++i)
          costs[i] += 0.5 / 127 * largest * std::abs(number(stored->v, kv_head, t, i)) / weights;
      }
    }
    return costs;
  }
};

void run(Case& it, uint32_t mask) {
  INFO(it.describe(mask));
  const Result result = it.card.run(Operator::kAttentionInt8, it.args, mask, it.tensors());
  REQUIRE_MESSAGE(result.ok(), it.card.describe(result));
  it.expect();
  CHECK(it.worst <= 1);
  REQUIRE(it.difference() == "");
}

}  // namespace

TEST_CASE("attention_int8: any shape, heads, mask of keys, chunks, types, CPEs") {
  verif::Random random(test_seed());
  for (int round = 0; round < rounds(60); ++round) {
    Case it(random, some_sizes(random, 500'000));
    run(it, some_mask(random, it.card.all()));
  }
}

TEST_CASE("attention_int8 as models have it") {
  verif::Random random(test_seed() + 1);
  static constexpr Sizes kSizes[] = {
      {90, 9, 3, 64, 100, true},    // SmolLM2 reads a text
      {3, 9, 3, 64, 129, true},     // whose rows end in different blocks
      {200, 6, 6, 64, 203, false},  // a part of Whisper's encoder
      {70, 4, 4, 128, 300, true},   // wide heads
      {1, 4, 2, 256, 130, false},   // the widest
  };
  for (const Sizes& sizes : kSizes) {
    Case it(random, sizes);
    run(it, it.card.all());
    CHECK(std::sqrt(it.error / it.power) <= 0.01);
  }
}

// Queries, weights and sums of one tile come while those of the one before are still in use.
TEST_CASE("attention_int8 on one CPE, tile after tile") {
  verif::Random random(test_seed() + 3);
  for (const bool causal : {false, true}) {
    Case it(random, {200, 2, 1, 64, 200, causal});
    run(it, 1);
  }
}

TEST_CASE("attention_int8 that makes no sense is refused") {
  using node::Refusal;
  const auto check_with = [](auto change) {
    AttentionInt8Args args{};
    args.rows = 5;
    args.heads = 6;
    args.kv_heads = 3;
    args.width = 40;
    args.keys = 300;
    args.to_stride = args.q_stride = 960;
    args.kv_stride = 120;
    args.scales_stride = 1200;
    change(args);
    return check(args);
  };
  CHECK(check_with([](AttentionInt8Args&) {}) == Refusal::kNone);
  CHECK(check_with([](AttentionInt8Args& args) { args.rows = 0; }) == Refusal::kShape);
  CHECK(check_with([](AttentionInt8Args& args) { args.heads = 7; }) == Refusal::kShape);
  CHECK(check_with([](AttentionInt8Args& args) { args.width = kMaxHeadWidth + 8; }) == Refusal::kShape);
  CHECK(check_with([](AttentionInt8Args& args) { args.to_type = Number::kInt8; }) == Refusal::kType);
  CHECK(check_with([](AttentionInt8Args& args) { args.q_type = Number::kInt8; }) == Refusal::kType);
  CHECK(check_with([](AttentionInt8Args& args) { args.to_stride = 959; }) == Refusal::kStride);
  CHECK(check_with([](AttentionInt8Args& args) { args.kv_stride = 119; }) == Refusal::kStride);
  CHECK(check_with([](AttentionInt8Args& args) { args.scales_stride = 1199; }) == Refusal::kStride);
  CHECK(check_with([](AttentionInt8Args& args) { args.causal = 2; }) == Refusal::kParameter);
  CHECK(check_with([](AttentionInt8Args& args) {
          args.causal = 1;
          args.keys = 4;
        }) == Refusal::kShape);
}

TEST_CASE("a chunk of attention_int8 that is nowhere is refused") {
  verif::Random random(test_seed() + 2);
  for (const uint32_t number : {0x7fff'ffffu, 0x0020'0000u, 1000u}) {
    Case it(random, {3, 4, 2, 16, 200, false});
    it.args.chunks = it.stored->chunks.at();
    it.stored->chunks.set(0, 2, number);
    const Result result = it.card.walk(one(Operator::kAttentionInt8, it.args), 1, it.tensors());
    CHECK(!result.ok());
    CHECK(it.card.state(0).refusal == (number > 1 << 25 ? node::Refusal::kParameter : node::Refusal::kNone));
    CHECK(it.card.difference(it.to) == "");
  }
}

}  // namespace swai::operators::test
