// SPDX-License-Identifier: Apache-2.0
// Attention: to the bit, and near that in double precision.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "verif/cpe-kernels/operators/attention_case.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::operators::test {
namespace {

// Attention of a random kind with all that belongs to it.
struct Case {
  verif::Random& random;
  Card card{random};
  AttentionArgs args{};
  Tensor to, q, workspace, positions;
  std::optional<KeysAndValues> stored;
  double worst = 0;  // error, of largest score times largest value

  // `lists` of chunks; 0: all rows are of one text.
  Case(verif::Random& r, Sizes sizes, uint32_t lists = 0) : random(r) {
    const auto some_type = [&] { return random.chance(50) ? Number::kFp32 : Number::kFp16; };
    args.rows = sizes.rows;
    args.heads = sizes.heads;
    args.kv_heads = sizes.kv_heads;
    args.width = sizes.width;
    args.keys = sizes.keys;
    args.causal = sizes.causal;
    args.to_type = some_type();
    args.q_type = some_type();
    args.kv_type = random.chance(30) ? Number::kInt8 : some_type();
    args.scale = some_scale(random, args.width);
    to = card.tensor(args.rows, args.heads * args.width, bytes_of(args.to_type), some_gap(random));
    q = card.tensor(args.rows, args.heads * args.width, bytes_of(args.q_type), some_gap(random));
    fill(random, q, args.q_type);
    stored.emplace(random, card, sizes, args.kv_type, std::max(lists, 1u));
    stored->set(args);
    positions = card.tensor(1, args.rows, 4);
    if (lists != 0) place_rows();
    hide_last_key();
    if (random.chance(20)) make_scores_negative();
    const uint64_t bytes =
        attention_workspace_bytes(args.rows, args.heads, args.kv_heads, args.width, args.keys);
    workspace = card.tensor(1, static_cast<uint32_t>(std::max<uint64_t>(bytes, 1)), 1);
    args.to = to.at();
    args.q = q.at();
    if (bytes != 0) args.workspace = workspace.at();
    args.to_stride = to.stride;
    args.q_stride = q.stride;
  }

  std::vector<Tensor*> tensors() {
    std::vector<Tensor*> all = stored->tensors();
    all.insert(all.end(), {&to, &q, &workspace, &positions});
    return all;
  }
  Result run(uint32_t mask) {
    const Result result = card.run(Operator::kAttention, args, mask, tensors());
    // What lies in between is nobody's business; what lies beside it is.
    const std::vector<uint8_t> before = workspace.image;
    card.take(workspace);
    std::copy_n(before.begin(), workspace.offset, workspace.image.begin());
    const auto end = static_cast<int64_t>(workspace.offset + workspace.columns);
    std::copy(before.begin() + end, before.end(), workspace.image.begin() + end);
    return result;
  }
  Result walk_refused(uint32_t mask) { return card.walk(one(Operator::kAttention, args), mask, tensors()); }
  std::string difference() {
    for (const Tensor* tensor : tensors()) {
      if (const std::string words = card.difference(*tensor); !words.empty()) return words;
    }
    return {};
  }
  std::string describe(uint32_t mask) const {
    return fmt::format(
        "{} rows, {} heads for {} of {}, {} keys, causal {}, texts {}, chunks {}, types {} {} {}, mask {:#x}",
        args.rows, args.heads, args.kv_heads, args.width, args.keys, args.causal, bool(args.positions),
        bool(args.chunks), static_cast<int>(args.to_type), static_cast<int>(args.q_type),
        static_cast<int>(args.kv_type), mask);
  }

  void expect() {
    Row results(args.width);
    golden::attention(args, memory_of(tensors()), [&](uint32_t row, uint32_t column, Real y) {
      results[column % args.width] = y;
      if ((column + 1) % args.width == 0) compare(row, column / args.width, results);
    });
  }

 private:
  // Now and then the row in front of which most keys lie, or none.
  void place_rows() {
    for (uint32_t row = 0; row < args.rows; ++row) {
      const auto position =
          static_cast<uint32_t>(random.chance(20) ? args.keys - 1 : random.below(args.keys));
      positions.set(0, row, random.chance(10) ? kNoText : position);
    }
    args.positions = positions.at();
  }
  uint32_t keys_of(uint32_t row) const {
    return args.positions ? positions.get<uint32_t>(0, row) + 1 : visible_keys(sizes_of(args), row);
  }

  // Rows before the last one must not notice.
  void hide_last_key() {
    if (args.causal == 0 || args.positions || args.kv_type == Number::kInt8 || !random.chance(30)) return;
    for (Tensor* tensor : {&stored->k, &stored->v})
      tensor->write(args.kv_type, stored->place(args.keys - 1), 0, fp32::kNan);
  }

  void make_scores_negative() {
    args.scale = std::abs(args.scale);
    for (uint32_t i = 0; i < args.heads * args.width; ++i) {
      for (uint32_t row = 0; row < args.rows; ++row)
        q.write(args.q_type, row, i, q.read(args.q_type, row, i) & ~fp32::kSign);
    }
    for (uint32_t i = 0; i < args.kv_heads * args.width; ++i) {
      for (uint32_t place = 0; place < stored->k.rows; ++place)
        stored->k.write(args.kv_type, place, i, stored->k.read(args.kv_type, place, i) | fp32::kSign);
    }
  }

  void compare(uint32_t row, uint32_t head, const Row& results) {
    const uint32_t kv_head = head / (args.heads / args.kv_heads);
    std::vector<double> queries;
    for (const Real x : read_row(q, args.q_type, row, head * args.width, args.width))
      queries.push_back(x.value());
    const uint32_t keys = keys_of(row);
    const auto exact = reference::attention(
        queries, keys, args.scale, [&](uint32_t t, uint32_t i) { return stored->key(kv_head, t, i, row); },
        [&](uint32_t t, uint32_t i) { return stored->value(kv_head, t, i, row); });
    const double unit = error_unit(*stored, kv_head, keys, queries, args.scale, row);
    for (uint32_t i = 0; i < args.width; ++i) {
      if (std::isfinite(exact[i])) {
        CHECK(std::isfinite(results[i].value()));
        worst = std::max(worst, std::abs(results[i].value() - exact[i]) / unit);
      }
    }
  }
};

void run(Case& it, uint32_t mask) {
  INFO(it.describe(mask));
  const Result result = it.run(mask);
  REQUIRE_MESSAGE(result.ok(), it.card.describe(result));
  it.expect();
  CHECK(it.worst <= 2e-7);
  REQUIRE(it.difference() == "");
}

}  // namespace

TEST_CASE("attention: any shape, heads, mask of keys, chunks, types, CPEs") {
  verif::Random random(test_seed());
  for (int round = 0; round < rounds(60); ++round) {
    Case it(random, some_sizes(random, 500'000));
    run(it, some_mask(random, it.card.all()));
  }
}

TEST_CASE("attention of several texts: any positions, lists of chunks, rows of none, CPEs") {
  verif::Random random(test_seed() + 3);
  for (int round = 0; round < rounds(60); ++round) {
    Sizes sizes = some_sizes(random, 300'000);
    sizes.rows = std::min(sizes.rows, kMaxPlacedRows);
    sizes.causal = true;
    Case it(random, sizes, random.chance(80) ? sizes.rows : 1);
    run(it, some_mask(random, it.card.all()));
  }
}

TEST_CASE("attention as models have it") {
  verif::Random random(test_seed() + 1);
  static constexpr Sizes kSizes[] = {
      {1, 9, 3, 64, 585, true},    // SmolLM2 makes a token
      {90, 9, 3, 64, 100, true},   // and reads a text
      {3, 9, 3, 64, 129, true},    // whose rows end in different blocks
      {1, 8, 4, 8, 250, true},     // stories260K
      {3, 6, 6, 64, 1500, false},  // Whisper listens
      {70, 6, 6, 64, 130, false},  // a part of its encoder
      {1, 4, 4, 128, 1100, true},
  };
  for (const Sizes& sizes : kSizes) {
    Case it(random, sizes);
    run(it, it.card.all());
  }
}

TEST_CASE("attention that makes no sense is refused") {
  using node::Refusal;
  const auto check_with = [](auto change) {
    AttentionArgs args{};
    args.rows = 5;
    args.heads = 6;
    args.kv_heads = 3;
    args.width = 40;
    args.keys = 300;
    args.to_stride = args.q_stride = 960;
    args.kv_stride = 480;
    args.workspace = GlobalPtr<void>(5, 0);
    change(args);
    return check(args);
  };
  CHECK(check_with([](AttentionArgs&) {}) == Refusal::kNone);
  CHECK(check_with([](AttentionArgs& args) { args.rows = 0; }) == Refusal::kShape);
  CHECK(check_with([](AttentionArgs& args) { args.heads = 0; }) == Refusal::kShape);
  CHECK(check_with([](AttentionArgs& args) { args.heads = 7; }) == Refusal::kShape);
  CHECK(check_with([](AttentionArgs& args) { args.heads = args.kv_heads = kMaxHeads + 1; }) ==
        Refusal::kShape);
  CHECK(check_with([](AttentionArgs& args) { args.kv_heads = 0; }) == Refusal::kShape);
  CHECK(check_with([](AttentionArgs& args) { args.width = 0; }) == Refusal::kShape);
  CHECK(check_with([](AttentionArgs& args) { args.width = 36; }) == Refusal::kShape);
  CHECK(check_with([](AttentionArgs& args) { args.width = kMaxHeadWidth + 8; }) == Refusal::kShape);
  CHECK(check_with([](AttentionArgs& args) { args.keys = 0; }) == Refusal::kShape);
  CHECK(check_with([](AttentionArgs& args) { args.keys = kMaxSize + 1; }) == Refusal::kShape);
  CHECK(check_with([](AttentionArgs& args) { args.to_type = Number::kInt8; }) == Refusal::kType);
  CHECK(check_with([](AttentionArgs& args) { args.q_type = Number::kInt32; }) == Refusal::kType);
  CHECK(check_with([](AttentionArgs& args) { args.kv_type = Number::kInt32; }) == Refusal::kType);
  CHECK(check_with([](AttentionArgs& args) { args.to_stride = 959; }) == Refusal::kStride);
  CHECK(check_with([](AttentionArgs& args) { args.q_stride = 959; }) == Refusal::kStride);
  CHECK(check_with([](AttentionArgs& args) { args.kv_stride = 479; }) == Refusal::kStride);
  CHECK(check_with([](AttentionArgs& args) {
          args.keys = 1;
          args.kv_stride = 479;
        }) == Refusal::kNone);
  CHECK(check_with([](AttentionArgs& args) {
          args.keys = 1;
          args.kv_stride = 479;
          args.chunks = GlobalPtr<const void>(5, 0);
        }) == Refusal::kStride);
  CHECK(check_with([](AttentionArgs& args) {
          args.kv_type = Number::kInt8;
          args.scales_stride = 1199;
        }) == Refusal::kStride);
  CHECK(check_with([](AttentionArgs& args) { args.causal = 2; }) == Refusal::kParameter);
  CHECK(check_with([](AttentionArgs& args) {
          args.causal = 1;
          args.keys = 4;
        }) == Refusal::kShape);
  const auto at_positions = [&](auto change) {
    return check_with([&](AttentionArgs& args) {
      args.positions = GlobalPtr<const void>(5, 0);
      args.causal = 1;
      change(args);
    });
  };
  CHECK(at_positions([](AttentionArgs& args) {
          args.keys = 4;
          args.chunks_stride = 8;
        }) == Refusal::kNone);
  CHECK(at_positions([](AttentionArgs& args) { args.rows = kMaxPlacedRows + 1; }) == Refusal::kShape);
  CHECK(at_positions([](AttentionArgs& args) { args.causal = 0; }) == Refusal::kParameter);
  CHECK(check_with([](AttentionArgs& args) { args.chunks_stride = 8; }) == Refusal::kParameter);
  CHECK(check_with([](AttentionArgs& args) { args.workspace = {}; }) == Refusal::kParameter);
  CHECK(check_with([](AttentionArgs& args) {
          args.workspace = {};
          args.rows = 11;
        }) == Refusal::kNone);
}

TEST_CASE("a row of attention behind more keys than there are is refused") {
  verif::Random random(test_seed() + 4);
  Case it(random, {3, 4, 2, 16, 200, true}, 3);
  it.positions.set(0, 1, 200u);
  const uint32_t mask = some_mask(random, it.card.all());
  CHECK(it.walk_refused(mask).failed == mask);
  CHECK(it.card.state(static_cast<unsigned>(std::countr_zero(mask))).refusal == node::Refusal::kParameter);
  CHECK(it.card.difference(it.to) == "");
}

TEST_CASE("a chunk of attention that is nowhere is refused") {
  verif::Random random(test_seed() + 2);
  for (const uint32_t number : {0x7fff'ffffu, 0x0020'0000u, 1000u}) {
    Case it(random, {3, 4, 2, 16, 200, false});
    it.args.chunks = it.stored->chunks.at();
    it.stored->chunks.set(0, 2, number);
    const Result result = it.walk_refused(1);
    CHECK(!result.ok());
    CHECK(it.card.state(0).refusal == (number > 1 << 25 ? node::Refusal::kParameter : node::Refusal::kNone));
    CHECK(it.card.difference(it.to) == "");
  }
}

}  // namespace swai::operators::test
