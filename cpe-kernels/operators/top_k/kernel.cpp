// SPDX-License-Identifier: Apache-2.0
// The largest numbers of each row. All CPEs find the largest of each part of each row; then one CPE a row
// takes the largest of the parts again and again, and looks for it in its part, which stays in local memory:
// what has been taken becomes NaN there.
#include <bit>

#include "cpe-kernels/operators/common/pieces.hpp"
#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/top_k/plan.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

using vector::Op, vector::Reduce, vector::value;

constexpr uint32_t kPieces = 16;  // at once in local memory
constexpr uint32_t kMaxParts = kTopKColumns / kTopKPart;
constexpr uint32_t kNan = 0x7fc0'0000;
constexpr float kNegativeInfinity = -__builtin_inff();
// Above the number of any column.
constexpr float kNoColumn = 1 << 24;

static_assert(kTopKCount * kTopKPart <= kPieces * kPiece, "parts lie where pieces did");

class TopK {
 public:
  explicit TopK(const TopKArgs& args)
      : args_(args),
        parts_(top_k_parts(args.columns)),
        logits_(arena_.take<float>(kPieces * kPiece * 4)),
        largest_(arena_.take<float>(kMaxParts * 4)),
        marks_(arena_.take<float>(kMaxParts * 4)),
        columns_(arena_.take<int32_t>(kMaxParts * 4)),
        number_(arena_.take<float>(4)),
        place_(arena_.take<int32_t>(4)),
        values_(arena_.take<uint32_t>(kTopKCount * 4)),
        numbers_(arena_.take<uint32_t>(kTopKCount * 4)) {}

  void run() {
    const Share share(args_.rows * pieces_of(args_.columns), cpe::rank(), cpe::count());
    for_batches(args_.columns, share.first, share.end, kPieces, [&](const Batch& batch) {
      find_largest(batch.row, batch.column, batch.columns * batch.pieces);
    });
    cpe::sync<cpe::Scope::kAll>();
    for (uint32_t i = 0; i < std::max(parts_, kTopKPart); ++i) columns_[i] = static_cast<int32_t>(i);
    for (uint32_t row = cpe::rank(); row < args_.rows; row += cpe::count()) choose(row);
  }

 private:
  void load(float* to, uint32_t row, uint32_t column, uint32_t columns) {
    const auto at =
        args_.from.plus_bytes(static_cast<int64_t>(uint64_t{row} * args_.from_stride + uint64_t{column} * 4));
    dma::wait(dma::load(to, at, columns * 4));
  }
  GlobalPtr<void> workspace(uint32_t row, uint32_t part) const {
    return args_.workspace.plus_bytes(static_cast<int64_t>((uint64_t{row} * parts_ + part) * 4));
  }

  // The largest number of rows of parts; NaN becomes -infinity.
  void clean(float* at, uint32_t columns, uint32_t rows, float* largest) {
    vector::a(vector::rows(at, kTopKPart * 4));
    vector::b(value(kNegativeInfinity));
    vector::result(at, kTopKPart * 4);
    vector::reductions(largest);
    vector::size(columns, rows);
    vector::wait(vector::run(Op::kMax, {.reduce = Reduce::kMax}));
  }
  void find_largest(uint32_t row, uint32_t column, uint32_t columns) {
    load(logits_, row, column, columns);
    const uint32_t whole = columns / kTopKPart;
    const uint32_t rest = columns % kTopKPart;
    if (whole != 0) clean(logits_, kTopKPart, whole, largest_);
    if (rest != 0) clean(logits_ + whole * kTopKPart, rest, 1, largest_ + whole);
    dma::wait(dma::store(workspace(row, column / kTopKPart), largest_, (whole + (rest != 0)) * 4));
  }

  // The first of the largest numbers, one of which is no NaN.
  uint32_t first_largest(const float* numbers, uint32_t count) {
    reduce_to_largest(numbers, count, number_);
    vector::a(vector::rows(numbers));
    vector::b(vector::each_row(number_));
    vector::result(marks_);
    vector::run(Op::kEqual);
    vector::a(vector::rows(marks_));
    vector::b(vector::rows(columns_));
    vector::c(value(kNoColumn));
    vector::no_result();
    vector::reductions(number_);
    vector::run(Op::kSelect, {.reduce = Reduce::kMin});
    vector::a(vector::rows(number_));
    vector::b(value(1));
    vector::result(place_);
    vector::size(1);
    vector::wait(vector::run(Op::kMul));
    return static_cast<uint32_t>(*place_);
  }
  vector::Ticket reduce_to_largest(const float* numbers, uint32_t count, float* to) {
    vector::a(vector::rows(numbers));
    vector::b(value(1));
    vector::no_result();
    vector::reductions(to);
    vector::size(count);
    return vector::run(Op::kMul, {.reduce = Reduce::kMax});
  }

  void choose(uint32_t row) {
    dma::wait(dma::load(largest_, workspace(row, 0), parts_ * 4));
    uint32_t part_of[kTopKCount];
    uint32_t used = 0;
    vector::Ticket last = {};
    for (uint32_t i = 0; i < args_.count; ++i) {
      const uint32_t part = first_largest(largest_, parts_);
      if (part >= parts_) refuse(Refusal::kParameter);  // somebody writes to the workspace
      const uint32_t columns = std::min(kTopKPart, args_.columns - part * kTopKPart);
      const auto slot = static_cast<uint32_t>(std::find(part_of, part_of + used, part) - part_of);
      float* const numbers = logits_ + slot * kTopKPart;
      if (slot == used) {
        part_of[used++] = part;
        load(numbers, row, part * kTopKPart, columns);
        clean(numbers, columns, 1, number_);
      }
      const uint32_t column = first_largest(numbers, columns);
      if (column >= columns) refuse(Refusal::kParameter);
      numbers_[i] = part * kTopKPart + column;
      values_[i] = std::bit_cast<uint32_t>(numbers[column]);
      numbers[column] = std::bit_cast<float>(kNan);
      last = reduce_to_largest(numbers, columns, largest_ + part);
    }
    const auto at = static_cast<int64_t>(uint64_t{row} * args_.count * 4);
    dma::store(args_.values.plus_bytes(at), values_, args_.count * 4);
    const auto stored = dma::store(args_.numbers.plus_bytes(at), numbers_, args_.count * 4);
    vector::wait(last);  // it writes to `largest_`, which the next row loads
    dma::wait(stored);
  }

  const TopKArgs& args_;
  uint32_t parts_;
  Arena arena_;
  float* logits_;     // of pieces, then of the parts that are looked into
  float* largest_;    // of each part
  float* marks_;      // 1 where a number is the one that is looked for
  int32_t* columns_;  // 0, 1, 2, ...
  float* number_;
  int32_t* place_;
  uint32_t* values_;
  uint32_t* numbers_;
};

}  // namespace

void operator_top_k(const TopKArgs& args) {
  require(check(args));
  TopK(args).run();
}

}  // namespace swai::operators
