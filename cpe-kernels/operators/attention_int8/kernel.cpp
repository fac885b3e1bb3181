// SPDX-License-Identifier: Apache-2.0
// Attention with products of int8. A CPE takes tiles of queries through blocks of 64 keys. The systolic unit
// computes a block's scores, then, when the vector unit has made weights of them, its sums of values. It is
// never without work: while the vector unit has the scores of one block, it computes values of the one before
// and scores of the one behind.
#include "cpe-kernels/operators/attention_int8/blocks.hpp"
#include "cpe-kernels/operators/attention_int8/masks.hpp"
#include "cpe-kernels/operators/attention_int8/queries.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"
#include "swai/systolic.hpp"

namespace swai::operators {

namespace {

namespace systolic = cpe::systolic;

class Int8Attention {
 public:
  Int8Attention(const AttentionInt8Args& args, const Schedule& schedule)
      : args_(args), queries_(arena_, args, schedule), blocks_(arena_, args, schedule), masks_(arena_) {
    const uint32_t most = most_int8_queries(args.width);
    const auto column = [&] { return arena_.take<float>(most * sizeof(float)); };
    for (Place& place : places_) {
      place.scores = arena_.take<float>(most * kScorePitch);
      place.weights = arena_.take<int8_t>(most * kKeyBlock);
      for (float** const each : {&place.logarithms, &place.parts})
        *each = arena_.take<float>(kKeyBlock * sizeof(float));
      for (float** const each : {&place.largest, &place.sum, &place.of_all, &place.of_more}) *each = column();
    }
    products_ = arena_.take<int32_t>(most * args.width * sizeof(int32_t));
    all_ = arena_.take<float>(most * args.width * sizeof(float));
    for (float** const each : {&largest_, &larger_, &sum_}) *each = column();
  }

  void run() {
    start_scores(0);
    finish_scores(0);
    if (blocks_.has(1)) start_scores(1);
    make_weights(0);
    for (uint32_t n = 0; blocks_.has(n); ++n) {
      vector::wait(last_);
      start_values(n);
      if (blocks_.has(n + 1)) {
        finish_scores(n + 1);
        if (blocks_.has(n + 2)) start_scores(n + 2);
        make_weights(n + 1);
      }
      if (!blocks_.has(n + 1)) prepare_behind();
      systolic::wait(place(n).values_ready);
      blocks_.drop_values(n);
      add_values(n);
      if (blocks_.ends_tile(n)) store(n);
    }
    const node::Barrier ahead = look_ahead();
    dma::wait(stored_);
    end_work(ahead);
  }

 private:
  static constexpr int32_t kScorePitch = kKeyBlock * sizeof(float);

  // What belongs to a block. A column has a number for each query.
  struct Place {
    float* scores;      // then weights
    int8_t* weights;    // 8 keys of all queries one after the other
    float* logarithms;  // of the values' scales, to base 2
    float* parts;       // 1 / these scales
    float* largest;     // column: score
    float* sum;         // column: of weights / scales
    float* of_all;      // columns: what counts of the blocks before, and of this one
    float* of_more;
    systolic::Ticket scores_ready;
    systolic::Ticket values_ready;
  };
  Place& place(uint32_t number) { return places_[number % 2]; }

  vector::Operand scores(const Place& place, uint32_t query = 0) const {
    return vector::rows(place.scores + query * kKeyBlock, kScorePitch);
  }
  int32_t sums_pitch() const { return static_cast<int32_t>(args_.width * sizeof(float)); }

  systolic::Ticket multiply(uint32_t column_tiles, uint32_t k_tiles, uint32_t rows, systolic::Mode mode) {
    const uint32_t block = std::min(systolic::kRows / rows, column_tiles);
    systolic::size({column_tiles, k_tiles, block, rows});
    mode.half = half_;
    // What follows uses the half that this run does not end with.
    half_ ^= ((column_tiles + block - 1) / block) & 1;
    return systolic::run(mode);
  }

  void start_scores(uint32_t number) {
    const KeyBlock& block = blocks_[number];
    const Int8KeyBlocks::Keys& keys = blocks_.keys(number);
    Place& here = place(number);
    const uint32_t count = block.tile.queries();
    if (block.begins) queries_.enter(block.tile_number, block.tile);
    dma::wait(keys.loaded);
    vector::wait(prepare_scales(keys.value_scales, here, block.columns()));
    const auto width = static_cast<int32_t>(args_.width);
    systolic::activations(queries_.at(), 8 * count, 8);
    systolic::weights(keys.rows, 8, args_.width);
    systolic::column_strides(8 * width, 8 * sizeof(float));
    systolic::output(here.scores, kScorePitch);
    systolic::factors(keys.scales);
    here.scores_ready = multiply(block.columns() / 8, args_.width / 8, count,
                                 {.by_column = true, .result = cpe::Number::kFp32});
  }
  void finish_scores(uint32_t number) {
    systolic::wait(place(number).scores_ready);
    blocks_.drop_keys();
  }

  static vector::Ticket prepare_scales(const float* scales, const Place& here, uint32_t columns) {
    vector::a(vector::rows(scales));
    vector::b(value(kLeastValueScale));
    vector::size(columns);
    vector::result(here.logarithms);
    vector::run(Op::kMax, {.special = Special::kLog2});
    vector::result(here.parts);
    vector::run(Op::kMax);
    vector::a(vector::rows(here.parts));
    vector::b(value(1));
    return vector::run(Op::kMul, {.special = Special::kReciprocal});
  }

  // Scores take along the scales of their queries and, as logarithms, those of their values: so a value's
  // weight is relative to what counts most of the block.
  void make_weights(uint32_t number) {
    const KeyBlock& block = blocks_[number];
    const Place& here = place(number);
    const uint32_t count = block.tile.queries();
    vector::a(scores(here));
    vector::b(vector::each_row(queries_.factors(block.tile_number)));
    vector::c(vector::rows(here.logarithms));
    into(scores(here));
    vector::reductions(here.largest);
    vector::size(block.columns(), count);
    if (seen(block, 0) == block.columns()) {
      vector::run(Op::kFma, {.reduce = Reduce::kMax});
    } else {
      vector::run(Op::kFma);
      hide(block, here);
    }
    vector::a(scores(here));
    vector::c(vector::each_row(here.largest).negated());
    into(scores(here));
    vector::size(block.columns(), count);
    vector::run(Op::kAdd, {.special = Special::kExp2});
    follow_largest(block, here);
    vector::a(scores(here));
    vector::b(vector::rows(here.parts));
    vector::no_result();
    vector::reductions(here.sum);
    vector::size(block.columns(), count);
    vector::run(Op::kMul, {.reduce = Reduce::kSum});
    vector::b(value(kMostWeight));
    vector::size(vector::kLanes, count);
    for (uint32_t key = 0; key < block.columns(); key += vector::kLanes) {
      vector::a(vector::rows(here.scores + key, kScorePitch));
      vector::result(here.weights + key * count, vector::kLanes);
      last_ = vector::run(Op::kMul, {.overlap = true});
    }
  }

  uint32_t seen(const KeyBlock& block, uint32_t row) const {
    const uint32_t keys = visible_keys(sizes_of(args_), block.tile.row + row);
    return keys <= block.first ? 0 : std::min(keys - block.first, block.keys);
  }

  // Of each row what it does not see, and then its largest score.
  void hide(const KeyBlock& block, const Place& here) const {
    vector::size(block.columns(), block.tile.heads);
    for (uint32_t row = 0; row < block.tile.rows; ++row) {
      const uint32_t query = row * block.tile.heads;
      vector::a(scores(here, query));
      vector::b(masks_(seen(block, row)));
      into(scores(here, query));
      vector::reductions(here.largest + query);
      vector::run(Op::kMin, {.reduce = Reduce::kMax, .overlap = row != 0});
    }
  }

  void follow_largest(const KeyBlock& block, const Place& here) {
    vector::size(block.tile.queries());
    vector::a(vector::rows(here.largest));
    if (block.begins) {
      vector::b(value(1));
      vector::result(largest_);
      vector::run(Op::kMul);
      return;
    }
    vector::b(vector::rows(largest_));
    vector::result(larger_);
    vector::run(Op::kMax, {.overlap = true});
    vector::c(vector::rows(larger_).negated());
    vector::result(here.of_more);
    vector::run(Op::kAdd, {.special = Special::kExp2});
    vector::a(vector::rows(largest_));
    vector::result(here.of_all);
    vector::run(Op::kAdd, {.special = Special::kExp2, .overlap = true});
    std::swap(largest_, larger_);
  }

  void start_values(uint32_t number) {
    const KeyBlock& block = blocks_[number];
    const Int8KeyBlocks::Values& values = blocks_.values(number);
    Place& here = place(number);
    const uint32_t count = block.tile.queries();
    dma::wait(values.loaded);
    systolic::activations(here.weights, 8 * count, 8);
    systolic::weights(values.rows, 8 * args_.width, args_.width);
    systolic::column_strides(8, 8 * sizeof(int32_t));
    systolic::output(products_, sums_pitch());
    here.values_ready =
        multiply(args_.width / 8, block.columns() / 8, count, {.result = cpe::Number::kInt32});
  }

  // A block's sums to those of the blocks before.
  void add_values(uint32_t number) {
    const KeyBlock& block = blocks_[number];
    const Place& here = place(number);
    const uint32_t count = block.tile.queries();
    const auto products = vector::rows(products_, sums_pitch());
    const auto all = vector::rows(all_, sums_pitch());
    if (block.begins) {
      dma::wait(stored_);
      vector::b(value(1));
      vector::a(products);
      into(all);
      vector::size(args_.width, count);
      vector::run(Op::kMul);
      vector::a(vector::rows(here.sum));
      vector::result(sum_);
      vector::size(count);
      last_ = vector::run(Op::kMul);
      return;
    }
    vector::a(all);
    vector::b(vector::each_row(here.of_all));
    into(all);
    vector::size(args_.width, count);
    vector::run(Op::kMul);
    vector::a(products);
    vector::b(vector::each_row(here.of_more));
    vector::c(all);
    vector::run(Op::kFma);
    vector::a(vector::rows(sum_));
    vector::b(vector::rows(here.of_all));
    vector::result(sum_);
    vector::size(count);
    vector::run(Op::kMul);
    vector::a(vector::rows(here.sum));
    vector::b(vector::rows(here.of_more));
    vector::c(vector::rows(sum_));
    last_ = vector::run(Op::kFma);
  }

  // Results of a tile that has seen all its keys.
  void store(uint32_t number) {
    const QueryTile& tile = blocks_[number].tile;
    vector::a(vector::rows(sum_));
    vector::b(value(kMostWeight));
    vector::result(sum_);
    vector::size(tile.queries());
    vector::run(Op::kMul, {.special = Special::kReciprocal});
    vector::a(vector::rows(all_, sums_pitch()));
    vector::b(vector::each_row(sum_));
    into(operand(all_, args_.to_type, args_.width * sizeof(float)));
    vector::size(args_.width, tile.queries());
    last_ = vector::run(Op::kMul);
    vector::wait(last_);
    const uint32_t row_bytes = args_.width * bytes_of(args_.to_type);
    for (uint32_t head = 0; head < tile.heads; ++head) {
      stored_ = dma::store(
          args_.to.plus_bytes(static_cast<int64_t>(uint64_t{tile.row} * args_.to_stride +
                                                   uint64_t{tile.head + head} * row_bytes)),
          all_ + head * args_.width, row_bytes,
          {static_cast<uint16_t>(tile.rows), static_cast<uint16_t>(tile.heads * args_.width * sizeof(float)),
           static_cast<int32_t>(tile.rows == 1 ? 0 : args_.to_stride)});
    }
  }

  const AttentionInt8Args& args_;
  Arena arena_;
  Int8Queries queries_;
  Int8KeyBlocks blocks_;
  Masks masks_;
  Place places_[2] = {};
  int32_t* products_;  // of weights and values of one block
  float* all_;         // sums of values of all blocks
  // Columns: of all blocks the largest score, and where the next one comes; sum of weights / scales.
  float* largest_ = nullptr;
  float* larger_ = nullptr;
  float* sum_ = nullptr;
  uint32_t half_ = 0;  // of the accumulators, that the next run begins with
  vector::Ticket last_ = {};
  dma::Ticket stored_ = {};
};

}  // namespace

void operator_attention_int8(const AttentionInt8Args& args) {
  require(check(args));
  const Schedule schedule(sizes_of(args), most_int8_queries(args.width), false, cpe::rank(), cpe::count());
  if (Step first; !schedule.begin(first)) return;
  begin_work();
  Int8Attention(args, schedule).run();
}

}  // namespace swai::operators
