// SPDX-License-Identifier: Apache-2.0
// Three passes over pieces of all rows: the largest score, the sum of exponentials, results. What CPEs find
// out about their pieces goes through the workspace.
#include "cpe-kernels/operators/softmax/long.hpp"

#include "cpe-kernels/operators/common/constants.hpp"
#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/softmax/plan.hpp"

namespace swai::operators {

namespace {

using vector::Op, vector::Reduce, vector::Special, vector::value;

constexpr uint32_t kPieces = 8;  // at once in local memory
constexpr uint32_t kNoRow = 0xffff'ffff;

class LongSoftmax {
 public:
  LongSoftmax(const SoftmaxArgs& args, bool logarithm)
      : args_(args),
        logarithm_(logarithm),
        across_(pieces_of(args.columns)),
        share_(args.rows * across_, cpe::rank(), cpe::count()),
        work_(arena_.take<float>(kPieces * kPiece * 4)),
        raw_(args.from_type == Number::kFp32 ? static_cast<void*>(work_)
                                             : arena_.take<std::byte>(kPieces * kPiece * 2)),
        of_pieces_(arena_.take<float>(kSoftmaxColumns / kPiece * 4)),
        largest_(arena_.take<float>(4)),
        sum_(arena_.take<float>(4)) {}

  void run() {
    begin_work();
    for_pieces([&](const Batch& batch) {
      load(batch);
      vector::wait(vector::run(Op::kMul, {.reduce = Reduce::kMax}));
      store_of_pieces(0, batch);
    });
    cpe::sync<cpe::Scope::kAll>();
    for_pieces([&](const Batch& batch) {
      find_largest(batch.row);
      load(batch);
      vector::run(Op::kMul);
      vector::wait(exponential(Reduce::kSum));
      store_of_pieces(1, batch);
    });
    cpe::sync<cpe::Scope::kAll>();
    row_ = kNoRow;
    for_pieces([&](const Batch& batch) {
      find_sum(batch.row);
      load(batch);
      vector::Ticket last = vector::run(Op::kMul);
      if (logarithm_) {
        vector::a(vector::rows(work_, kPiece * 4));
        vector::c(vector::each_row(sum_, 0).negated());
        into(result());
        last = vector::run(Op::kAdd);
      } else {
        exponential(Reduce::kNone);
        vector::b(vector::each_row(sum_, 0));
        into(result());
        last = vector::run(Op::kMul);
      }
      vector::wait(last);
      store(batch);
    });
  }

 private:
  template <typename F>
  void for_pieces(F f) const {
    for_batches(args_.columns, share_.first, share_.end, kPieces, f);
  }
  static int64_t offset(const Batch& batch, uint32_t stride, uint32_t bytes) {
    return static_cast<int64_t>(uint64_t{batch.row} * stride + uint64_t{batch.column} * bytes);
  }
  vector::Operand result() const { return operand(work_, args_.to_type, kPiece * bytes_of(args_.to_type)); }

  // Prepares the run that scales scores into `work_`.
  void load(const Batch& batch) {
    const uint32_t bytes = bytes_of(args_.from_type);
    dma::wait(dma::load(raw_, args_.from.plus_bytes(offset(batch, args_.from_stride, bytes)),
                        batch.columns * batch.pieces * bytes));
    vector::a(operand(raw_, args_.from_type, kPiece * bytes));
    vector::b(value(args_.scale));
    vector::result(work_, kPiece * 4);
    vector::reductions(of_pieces_);
    vector::size(batch.columns, batch.pieces);
  }
  // Of the scores in `work_`, in their place.
  vector::Ticket exponential(Reduce reduce) {
    vector::a(vector::rows(work_, kPiece * 4));
    vector::b(value(kLog2E));
    vector::c(vector::each_row(largest_, 0).negated());
    return vector::run(Op::kFma, {.special = Special::kExp2, .reduce = reduce});
  }
  void store(const Batch& batch) {
    const uint32_t bytes = bytes_of(args_.to_type);
    dma::wait(dma::store(args_.to.plus_bytes(offset(batch, args_.to_stride, bytes)), work_,
                         batch.columns * batch.pieces * bytes));
  }

  // Numbers of pieces: of each row the largest ones of all, then sums of all.
  GlobalPtr<void> workspace(uint32_t plane, uint32_t row, uint32_t piece) const {
    const uint64_t number = (uint64_t{plane} * args_.rows + row) * across_ + piece;
    return args_.workspace.plus_bytes(static_cast<int64_t>(number * 4));
  }
  void store_of_pieces(uint32_t plane, const Batch& batch) {
    dma::wait(dma::store(workspace(plane, batch.row, batch.column / kPiece), of_pieces_, batch.pieces * 4));
  }
  void reduce(uint32_t plane, uint32_t row, Reduce how, float* to) {
    dma::wait(dma::load(of_pieces_, workspace(plane, row, 0), across_ * 4));
    vector::a(vector::rows(of_pieces_));
    vector::b(value(1));
    vector::no_result();
    vector::reductions(to);
    vector::size(across_);
    vector::wait(vector::run(Op::kMul, {.reduce = how}));
  }
  vector::Ticket change(float* number, const vector::Operand& by, Special special = Special::kNone) {
    vector::a(vector::each_row(number));
    vector::b(by);
    vector::result(number);
    vector::size(1);
    return vector::run(Op::kMul, {.special = special});
  }

  // In powers of two.
  void find_largest(uint32_t row) {
    if (row_ == row) return;
    row_ = row;
    reduce(0, row, Reduce::kMax, largest_);
    vector::wait(change(largest_, value(kLog2E)));
  }
  // What results are multiplied with; of the logarithm what is taken from them.
  void find_sum(uint32_t row) {
    if (row_ == row) return;
    find_largest(row);
    reduce(1, row, Reduce::kSum, sum_);
    if (!logarithm_) {
      vector::wait(change(sum_, value(1), Special::kReciprocal));
      return;
    }
    change(sum_, value(1), Special::kLog2);
    vector::a(vector::each_row(sum_));
    vector::c(vector::each_row(largest_));
    vector::run(Op::kAdd);
    vector::wait(change(sum_, value(kLn2)));
  }

  const SoftmaxArgs& args_;
  bool logarithm_;
  uint32_t across_;
  Share share_;
  Arena arena_;
  float* work_;
  void* raw_;
  float* of_pieces_;
  float* largest_;
  float* sum_;
  uint32_t row_ = kNoRow;  // that largest_ and sum_ are of
};

}  // namespace

void long_softmax(const SoftmaxArgs& args, bool logarithm) { LongSoftmax(args, logarithm).run(); }

}  // namespace swai::operators
