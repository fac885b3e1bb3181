// SPDX-License-Identifier: Apache-2.0
// What all CPEs do together with the logits of all rows: find the largest, make probabilities of them, count
// and add up those that are large enough. Each CPE has a part of the pieces; results of pieces go through the
// workspace, so that after a pass every CPE knows the same about every row.
//
// Probabilities are relative to the row's largest one, which is 1: powers of two of (logit - largest) *
// scale.
#pragma once

#include "cpe-kernels/operators/common/constants.hpp"
#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/sample/plan.hpp"

namespace swai::operators {

class Passes {
 public:
  Passes(Arena& arena, const SampleArgs& args)
      : args_(args),
        pieces_(pieces_of(args.columns)),
        share_(args.rows * pieces_, cpe::rank(), cpe::count()),
        block_(arena.take<float>(kBlock * kPiece * 4)),
        kept_(arena.take<float>(kBatch * kPiece * 4)),
        parts_(arena.take<float>(kSamplePieces * 4)) {
    for (float** numbers : {&most, &scale, &plain_total, &total, &target, &of_pieces_[0], &of_pieces_[1]})
      *numbers = arena.take<float>(kSampleRows * 4);
    count = arena.take<int32_t>(kSampleRows * 4);
    threshold = arena.take<uint32_t>(kSampleRows * 4);
  }

  // Of each row. `scale` and `threshold` are the caller's.
  float* most;         // the largest logit
  float* scale;        // log2(e) / temperature
  float* plain_total;  // the sum of all probabilities at temperature 1
  float* total;        // of those that count
  float* target;       // room for the caller's numbers
  int32_t* count;      // columns whose probability has `threshold`'s bits at least
  uint32_t* threshold;

  // Asks for this CPE's first pieces, which find_most() takes.
  void begin() {
    if (share_.first != share_.end) begun_ = fetch(share_.first, std::min(share_.first + kBlock, share_.end));
  }
  void find_most() {
    for_blocks([&](uint32_t first, uint32_t end) {
      take(first == share_.first ? begun_ : fetch(first, end), first, end);
      store(SamplePlane::kMost, of_pieces_[0], first, end);
    });
    collect(SamplePlane::kMost, vector::Reduce::kMax, most);
  }
  void find_totals() {
    for_blocks([&](uint32_t first, uint32_t end) {
      if (!is_resident()) load(first, end);
      weigh(first, end);
      store(SamplePlane::kPlainSum, of_pieces_[1], first, end);
      store(SamplePlane::kSum, of_pieces_[0], first, end);
    });
    collect(SamplePlane::kPlainSum, vector::Reduce::kSum, plain_total);
    collect(SamplePlane::kSum, vector::Reduce::kSum, total, false);
  }
  // `total` only if asked for.
  void measure(bool with_total) {
    turn_ ^= 1;
    for_blocks([&](uint32_t first, uint32_t end) {
      if (!is_resident()) {
        load(first, end);
        weigh(first, end);
      }
      add_up(first, end, with_total);
      store(counts(), of_pieces_[0], first, end);
      if (with_total) store(sums(), of_pieces_[1], first, end);
    });
    float* const counted = of_pieces_[0];
    collect(counts(), vector::Reduce::kSum, counted);
    vector::a(vector::rows(counted));
    vector::result(count);
    vector::size(args_.rows);
    vector::wait(vector::run(vector::Op::kMul));
    if (with_total) collect(sums(), vector::Reduce::kSum, total, false);
  }
  // For who takes one row apart afterwards: seven places of kSampleColumns / kPiece
  // numbers.
  float* room(uint32_t number) { return block_ + number * (kSampleColumns / kPiece); }
  // Where the sums of pieces are that `total` is made of.
  SamplePlane sums() const { return plane(SamplePlane::kSum); }

  GlobalPtr<void> place(SamplePlane plane, uint32_t piece) const {
    const uint64_t number = uint64_t{static_cast<uint32_t>(plane)} * args_.rows * pieces_ + piece;
    return args_.workspace.plus_bytes(static_cast<int64_t>(number * 4));
  }

  // Logits as they are computed with, finite: NaN is the smallest. Their largest goes to `largest`.
  static vector::Ticket clean(float* at, uint32_t columns, uint32_t rows, float* largest) {
    vector::a(pieces(at));
    vector::b(vector::value(-kLargestFloat));
    vector::result(at, kPiece * 4);
    vector::size(columns, rows);
    vector::run(vector::Op::kMax);
    vector::b(vector::value(kLargestFloat));
    vector::reductions(largest);
    return vector::run(vector::Op::kMin, {.reduce = vector::Reduce::kMax});
  }
  // Is less than the probabilities that are large enough.
  static vector::Operand below(uint32_t threshold) {
    return vector::value(threshold == 0 ? -1.0f : std::bit_cast<float>(threshold - 1));
  }

 private:
  static constexpr uint32_t kBlock = 32;  // pieces at once in local memory
  static constexpr uint32_t kBatch = 8;   // pieces in a run of the vector unit

  static vector::Operand pieces(const float* at) { return vector::rows(at, kPiece * 4); }
  // Nothing is loaded again when all pieces of this CPE are there.
  bool is_resident() const { return share_.end - share_.first <= kBlock; }
  SamplePlane plane(SamplePlane first) const {
    return static_cast<SamplePlane>(static_cast<uint32_t>(first) + turn_);
  }
  SamplePlane counts() const { return plane(SamplePlane::kCount); }

  template <typename F>
  void for_blocks(F f) const {
    for (uint32_t first = share_.first; first < share_.end; first += kBlock)
      f(first, std::min(first + kBlock, share_.end));
  }

  void load(uint32_t first, uint32_t end) { take(fetch(first, end), first, end); }
  dma::Ticket fetch(uint32_t first, uint32_t end) const {
    dma::Ticket loaded = {};
    for_batches(args_.columns, first, end, kBlock, [&](const Batch& batch) {
      const auto at = args_.from.plus_bytes(
          static_cast<int64_t>(uint64_t{batch.row} * args_.from_stride + uint64_t{batch.column} * 4));
      loaded = dma::load(block_ + batch.place * kPiece, at, batch.columns * batch.pieces * 4);
    });
    return loaded;
  }
  void take(dma::Ticket loaded, uint32_t first, uint32_t end) {
    dma::wait(loaded);
    for_batches(args_.columns, first, end, kBlock, [&](const Batch& batch) {
      run_ = clean(block_ + batch.place * kPiece, batch.columns, batch.pieces, of_pieces_[0] + batch.place);
    });
  }
  void weigh(uint32_t first, uint32_t end) {
    for_batches(args_.columns, first, end, kBlock, [&](const Batch& batch) {
      float* const at = block_ + batch.place * kPiece;
      vector::a(pieces(at));
      vector::c(vector::value(most[batch.row]).negated());
      vector::result(at, kPiece * 4);
      vector::size(batch.columns, batch.pieces);
      vector::run(vector::Op::kAdd);
      vector::b(vector::value(kLog2E));
      vector::no_result();
      vector::reductions(of_pieces_[1] + batch.place);
      vector::run(vector::Op::kMul, {.special = vector::Special::kExp2, .reduce = vector::Reduce::kSum});
      vector::b(vector::value(scale[batch.row]));
      vector::result(at, kPiece * 4);
      vector::reductions(of_pieces_[0] + batch.place);
      run_ =
          vector::run(vector::Op::kMul, {.special = vector::Special::kExp2, .reduce = vector::Reduce::kSum});
    });
  }
  void add_up(uint32_t first, uint32_t end, bool with_total) {
    for_batches(args_.columns, first, end, kBatch, [&](const Batch& batch) {
      vector::a(below(threshold[batch.row]));
      vector::b(pieces(block_ + batch.place * kPiece));
      if (with_total) {
        vector::result(kept_, kPiece * 4);
      } else {
        vector::no_result();
      }
      vector::reductions(of_pieces_[0] + batch.place);
      vector::size(batch.columns, batch.pieces);
      run_ = vector::run(vector::Op::kLess, {.reduce = vector::Reduce::kSum});
      if (!with_total) return;
      vector::a(pieces(kept_));
      vector::no_result();
      vector::reductions(of_pieces_[1] + batch.place);
      run_ = vector::run(vector::Op::kMul, {.reduce = vector::Reduce::kSum});
    });
  }

  // When the vector unit has made them.
  void store(SamplePlane plane, const float* numbers, uint32_t first, uint32_t end) {
    vector::wait(run_);
    dma::wait(dma::store(place(plane, first), numbers, (end - first) * 4));
  }
  // All CPEs' numbers of pieces become numbers of rows.
  void collect(SamplePlane plane, vector::Reduce how, float* to, bool wait_for_all = true) {
    if (wait_for_all) cpe::sync<cpe::Scope::kAll>();
    const uint32_t pitch = pitch_of(pieces_) * 4;
    dma::wait(dma::load(parts_, place(plane, 0), pieces_ * 4,
                        {static_cast<uint16_t>(args_.rows), static_cast<uint16_t>(pitch),
                         static_cast<int32_t>(pieces_ * 4)}));
    vector::a(vector::rows(parts_, static_cast<int32_t>(pitch)));
    vector::b(vector::value(1));
    vector::no_result();
    vector::reductions(to);
    vector::size(pieces_, args_.rows);
    vector::wait(vector::run(vector::Op::kMul, {.reduce = how}));
  }

  const SampleArgs& args_;
  uint32_t pieces_;
  Share share_;
  uint32_t turn_ = 0;
  dma::Ticket begun_ = {};
  vector::Ticket run_ = {};  // the last one
  float* block_;
  float* kept_;
  float* parts_;
  float* of_pieces_[2] = {};
};

}  // namespace swai::operators
