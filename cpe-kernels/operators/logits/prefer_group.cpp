// SPDX-License-Identifier: Apache-2.0
// Columns before a group become -infinity where the group as a whole is more probable than each of them.
#include "cpe-kernels/operators/common/constants.hpp"
#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/logits/nothing.hpp"
#include "cpe-kernels/operators/logits/plan.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

using vector::Op, vector::Reduce, vector::Special, vector::value;

constexpr uint32_t kPieces = 16;  // at once in local memory

class Preferrer {
 public:
  explicit Preferrer(const PreferGroupArgs& args)
      : args_(args),
        across_(pieces_of(args.first)),
        nothing_(arena_),
        logits_(arena_.take<float>(kPieces * kPiece * 4)),
        most_(arena_.take<float>(kLogits / kPiece * 4)),
        sums_(arena_.take<float>(kLogits / kPiece * 4)),
        number_(arena_.take<float>(4)) {}

  void run() {
    begin_work();
    const Share share(args_.rows * across_, cpe::rank(), cpe::count());
    for_batches(args_.first, share.first, share.end, kPieces, [&](const Batch& batch) {
      load(batch.row, batch.column, batch);
      clean(batch);
      vector::b(value(kLargestFloat));
      vector::reductions(most_);
      vector::wait(vector::run(Op::kMin, {.reduce = Reduce::kMax}));
      dma::wait(dma::store(workspace(share.first + batch.place), most_, batch.pieces * 4));
    });
    cpe::sync<cpe::Scope::kAll>();
    uint32_t decided = args_.rows;  // the row
    bool prefers = false;
    for_batches(args_.first, share.first, share.end, kLogits / kPiece, [&](const Batch& batch) {
      if (decided != batch.row) {
        prefers = prefers_group(batch.row);
        decided = batch.row;
      }
      if (prefers) nothing_.store(place_of(batch.row, batch.column), batch.columns * batch.pieces);
    });
    nothing_.wait();
  }

 private:
  GlobalPtr<void> place_of(uint32_t row, uint32_t column) const {
    return args_.to.plus_bytes(static_cast<int64_t>(uint64_t{row} * args_.to_stride + uint64_t{column} * 4));
  }
  GlobalPtr<void> workspace(uint32_t piece) const { return args_.workspace.plus_bytes(int64_t{piece} * 4); }
  void load(uint32_t row, uint32_t column, const Batch& batch) {
    dma::wait(dma::load(logits_, place_of(row, column), batch.columns * batch.pieces * 4));
  }
  // Numbers, not below the smallest one.
  void clean(const Batch& batch) {
    vector::a(vector::rows(logits_, kPiece * 4));
    vector::b(value(-kLargestFloat));
    vector::result(logits_, kPiece * 4);
    vector::size(batch.columns, batch.pieces);
    vector::run(Op::kMax);
  }

  // Whether exp(logit - largest before the group), summed up over the group, is above 1.
  bool prefers_group(uint32_t row) {
    dma::wait(dma::load(most_, workspace(row * across_), across_ * 4));
    vector::a(vector::rows(most_));
    vector::b(value(1));
    vector::no_result();
    vector::reductions(number_);
    vector::size(across_);
    vector::wait(vector::run(Op::kMul, {.reduce = Reduce::kMax}));
    const uint32_t columns = args_.columns - args_.first;
    const uint32_t pieces = pieces_of(columns);
    for_batches(columns, 0, pieces, kPieces, [&](const Batch& batch) {
      load(row, args_.first + batch.column, batch);
      clean(batch);
      vector::b(value(kLargestFloat));
      vector::run(Op::kMin);
      vector::c(vector::each_row(number_, 0).negated());
      vector::run(Op::kAdd);
      vector::b(value(kLog2E));
      vector::no_result();
      vector::reductions(sums_ + batch.place);
      vector::wait(vector::run(Op::kMul, {.special = Special::kExp2, .reduce = Reduce::kSum}));
    });
    vector::a(vector::rows(sums_));
    vector::b(value(1));
    vector::reductions(number_);
    vector::size(pieces);
    vector::wait(vector::run(Op::kMul, {.reduce = Reduce::kSum}));
    return std::bit_cast<uint32_t>(*number_) > std::bit_cast<uint32_t>(1.0f);
  }

  const PreferGroupArgs& args_;
  uint32_t across_;
  Arena arena_;
  Nothing nothing_;
  float* logits_;
  float* most_;
  float* sums_;
  float* number_;
};

}  // namespace

void operator_prefer_group(const PreferGroupArgs& args) {
  require(check(args));
  Preferrer(args).run();
}

}  // namespace swai::operators
