// SPDX-License-Identifier: Apache-2.0
// Logits that become -infinity. A CPE whose columns are not masked leaves them where they are, if that is
// their place; others take all of theirs through local memory: as stores of their own, single columns would
// take longer.
#include <bit>

#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/logits/nothing.hpp"
#include "cpe-kernels/operators/logits/plan.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

constexpr uint32_t kWord = 32;       // columns that share a word of bits
constexpr uint32_t kColumns = 8192;  // that are at once in local memory

class Masker {
 public:
  explicit Masker(const MaskArgs& args)
      : args_(args),
        logits_(arena_.take<uint32_t>(kColumns * 4)),
        words_(arena_.take<uint32_t>(kColumns / 8)),
        ranges_(arena_.take<ColumnRange>(kMaxRanges * sizeof(ColumnRange))) {}

  void run() {
    // Of whole pieces: no word belongs to two CPEs.
    const Share share(args_.rows * pieces_of(args_.columns), cpe::rank(), cpe::count());
    if (share.first == share.end) return;
    begin_work();
    for_batches(args_.columns, share.first, share.end, kColumns / kPiece,
                [&](const Batch& batch) { mask(batch.row, batch.column, batch.columns * batch.pieces); });
    dma::wait(stored_);
  }

 private:
  void mask(uint32_t row, uint32_t column, uint32_t columns) {
    const auto of_row = [&](GlobalPtr<const void> from, uint32_t stride, uint32_t at) {
      return from.plus_bytes(static_cast<int64_t>(uint64_t{row} * stride + at));
    };
    words_here_ = args_.bits ? (columns + kWord - 1) / kWord : 0;
    ranges_here_ = args_.ranges ? args_.range_count : 0;
    const bool moves = static_cast<bool>(args_.from);
    dma::Ticket loaded = {};
    if (moves) {
      dma::wait(stored_);
      loaded = dma::load(logits_, of_row(args_.from, args_.from_stride, column * 4), columns * 4);
    }
    if (words_here_ != 0)
      loaded = dma::load(words_, of_row(args_.bits, args_.bits_stride, column / kWord * 4), words_here_ * 4);
    if (ranges_here_ != 0)
      loaded = dma::load(ranges_, of_row(args_.ranges, args_.ranges_stride, 0),
                         ranges_here_ * sizeof(ColumnRange));
    dma::wait(loaded);
    cut_ranges(column, columns);
    if (!moves && !any_bits(columns) && !any_ranges_) return;
    const auto place =
        args_.to.plus_bytes(static_cast<int64_t>(uint64_t{row} * args_.to_stride + uint64_t{column} * 4));
    if (!moves) {
      dma::wait(stored_);
      dma::wait(dma::load(logits_, place, columns * 4));
    }
    mask_bits();
    for (uint32_t i = 0; i < ranges_here_; ++i) fill(ranges_[i].first, ranges_[i].end);
    stored_ = dma::store(place, logits_, columns * 4);
  }

  // To columns that are here, from the first of them on.
  void cut_ranges(uint32_t column, uint32_t columns) {
    any_ranges_ = false;
    for (uint32_t i = 0; i < ranges_here_; ++i) {
      const uint32_t first = std::max(ranges_[i].first, column) - column;
      const uint32_t end = std::min(std::max(ranges_[i].end, column) - column, columns);
      ranges_[i] = {first, end};
      any_ranges_ |= first < end;
    }
  }
  // Bits beyond the last column count as nothing.
  bool any_bits(uint32_t columns) {
    if (words_here_ != 0 && columns % kWord != 0) words_[words_here_ - 1] &= (1u << columns % kWord) - 1;
    uint32_t any = 0;
    for (uint32_t i = 0; i < words_here_; ++i) any |= words_[i];
    return any != 0;
  }

  void mask_bits() {
    for (uint32_t word = 0; word < words_here_; ++word) {
      uint32_t left = words_[word];
      if (left == 0) continue;
      if (left == ~uint32_t{0}) {
        const uint32_t first = word;
        while (word + 1 < words_here_ && words_[word + 1] == ~uint32_t{0}) ++word;
        fill(first * kWord, (word + 1) * kWord);
        continue;
      }
      // Of most words only a few bits are set.
      for (uint32_t* to = logits_ + word * kWord; left != 0; to += 8, left >>= 8) {
        uint32_t bits = left & 0xff;
        for (uint32_t* one = to; bits != 0; ++one, bits >>= 1)
          if ((bits & 1) != 0) *one = kNothing;
      }
    }
  }
  // The vector unit wants multiples of 8, and takes what lies between them.
  void fill(uint32_t first, uint32_t end) {
    for (; first < end && first % vector::kLanes != 0; ++first) logits_[first] = kNothing;
    const uint32_t whole = first < end ? (end - first) / vector::kLanes * vector::kLanes : 0;
    if (whole != 0) vector::wait(fill_with_nothing(reinterpret_cast<float*>(logits_ + first), whole));
    for (first += whole; first < end; ++first) logits_[first] = kNothing;
  }

  const MaskArgs& args_;
  Arena arena_;
  uint32_t* logits_;
  uint32_t* words_;
  ColumnRange* ranges_;
  uint32_t words_here_ = 0;
  uint32_t ranges_here_ = 0;
  bool any_ranges_ = false;
  dma::Ticket stored_ = {};
};

}  // namespace

void operator_mask(const MaskArgs& args) {
  require(check(args));
  Masker(args).run();
}

}  // namespace swai::operators
