// SPDX-License-Identifier: Apache-2.0
// Queries of a tile as the systolic unit takes them: int8, 8 channels of all queries one after the other. A
// query has one scale, its largest magnitude / 127.
#pragma once

#include "cpe-kernels/operators/attention/schedule.hpp"
#include "cpe-kernels/operators/attention_int8/plan.hpp"
#include "cpe-kernels/operators/common/constants.hpp"
#include "cpe-kernels/operators/common/stream.hpp"

namespace swai::operators {

using vector::Op, vector::Reduce, vector::Special, vector::value;

class Int8Queries {
 public:
  Int8Queries(Arena& arena, const AttentionInt8Args& args, const Schedule& schedule)
      : args_(args), schedule_(schedule), element_(bytes_of(args.q_type)) {
    const uint32_t most = most_int8_queries(args.width);
    raw_ = arena.take<std::byte>(most * args.width * element_);
    at_ = arena.take<int8_t>(most * args.width);
    inverse_ = arena.take<float>(most * sizeof(float));
    for (float*& factors : factors_) factors = arena.take<float>(most * sizeof(float));
    more_ = schedule.begin(to_load_);
    load();
  }

  const int8_t* at() const { return at_; }
  // Of a tile's queries: what makes logarithms to base 2 of weights of their scores. Those of the tile before
  // stay, too.
  const float* factors(uint32_t tile) const { return factors_[tile % 2]; }

  // Brings in the CPE's next tile; nobody needs the last one's any more, apart from its factors.
  void enter(uint32_t number, const QueryTile& tile) {
    const uint32_t count = tile.queries();
    float* const factors = factors_[number % 2];
    dma::wait(loaded_);
    // No query is all zero: nothing is divided by 0.
    vector::a(channels(0).magnitude());
    vector::b(value(kLeastMagnitude));
    vector::no_result();
    vector::reductions(factors);
    vector::size(args_.width, count);
    vector::run(Op::kMax, {.reduce = Reduce::kMax});
    vector::a(vector::rows(factors));
    vector::b(value(kPartOf127));
    vector::result(inverse_);
    vector::size(count);
    vector::run(Op::kMul, {.special = Special::kReciprocal});
    vector::result(factors);
    for (const float factor : {kPartOf127, args_.scale, kLog2E}) {
      vector::b(value(factor));
      vector::run(Op::kMul);
    }
    vector::Ticket last = {};
    vector::b(vector::each_row(inverse_));
    vector::size(vector::kLanes, count);
    for (uint32_t channel = 0; channel < args_.width; channel += vector::kLanes) {
      vector::a(channels(channel));
      vector::result(at_ + channel * count, vector::kLanes);
      last = vector::run(Op::kMul, {.overlap = true});
    }
    vector::wait(last);
    more_ = schedule_.next_tile(to_load_);
    load();
  }

 private:
  vector::Operand channels(uint32_t first) const {
    return operand(raw_ + first * element_, args_.q_type, args_.width * element_);
  }

  void load() {
    if (!more_) return;
    const QueryTile tile = schedule_.tile(to_load_.tile);
    const uint32_t row_bytes = tile.heads * args_.width * element_;
    loaded_ =
        dma::load(raw_,
                  args_.q.plus_bytes(static_cast<int64_t>(uint64_t{tile.row} * args_.q_stride +
                                                          uint64_t{tile.head} * args_.width * element_)),
                  row_bytes,
                  {static_cast<uint16_t>(tile.rows), static_cast<uint16_t>(row_bytes),
                   static_cast<int32_t>(tile.rows == 1 ? 0 : args_.q_stride)});
  }

  const AttentionInt8Args& args_;
  const Schedule& schedule_;
  uint32_t element_;
  std::byte* raw_;  // as they are stored, of the tile to come
  int8_t* at_;
  float* inverse_;  // of scales
  float* factors_[2] = {};
  Step to_load_ = {};
  bool more_;
  dma::Ticket loaded_ = {};
};

}  // namespace swai::operators
