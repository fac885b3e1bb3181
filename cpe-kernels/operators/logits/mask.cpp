// Logits that become -infinity. Only these are written, those that lie side by side at once.
#include <bit>

#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/logits/nothing.hpp"
#include "cpe-kernels/operators/logits/plan.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

constexpr uint32_t kWord = 32;       // columns that share a word of bits
constexpr uint32_t kColumns = 8192;  // whose bits are at once in local memory

class Masker {
 public:
  explicit Masker(const MaskArgs& args)
      : args_(args),
        nothing_(arena_),
        words_(arena_.take<uint32_t>(kColumns / 8)),
        ranges_(arena_.take<ColumnRange>(kMaxRanges * sizeof(ColumnRange))) {}

  void run() {
    // Of whole pieces: no word belongs to two CPEs.
    const Share share(args_.rows * pieces_of(args_.columns), cpe::rank(), cpe::count());
    for_batches(args_.columns, share.first, share.end, kColumns / kPiece, [&](const Batch& batch) {
      const uint32_t columns = batch.columns * batch.pieces;
      if (args_.bits) mask_bits(batch.row, batch.column, columns);
      if (args_.ranges && args_.range_count != 0) mask_ranges(batch.row, batch.column, columns);
    });
    nothing_.wait();
  }

 private:
  GlobalPtr<void> place_of(uint32_t row, uint32_t column) const {
    return args_.to.plus_bytes(static_cast<int64_t>(uint64_t{row} * args_.to_stride + uint64_t{column} * 4));
  }

  void mask_bits(uint32_t row, uint32_t column, uint32_t columns) {
    const auto bits =
        args_.bits.plus_bytes(static_cast<int64_t>(uint64_t{row} * args_.bits_stride + column / kWord * 4));
    const uint32_t words = (columns + kWord - 1) / kWord;
    dma::wait(dma::load(words_, bits, words * 4));
    for (uint32_t word = 0; word < words; ++word) {
      uint32_t first = word * kWord;
      for (uint32_t left = words_[word]; left != 0;) {
        const auto none = static_cast<uint32_t>(std::countr_zero(left));
        const auto some = static_cast<uint32_t>(std::countr_one(left >> none));
        if (first + none >= columns) break;
        nothing_.store(place_of(row, column + first + none), std::min(some, columns - first - none));
        first += none + some;
        left = none + some == kWord ? 0 : left >> (none + some);
      }
    }
  }

  void mask_ranges(uint32_t row, uint32_t column, uint32_t columns) {
    const auto at = args_.ranges.plus_bytes(static_cast<int64_t>(uint64_t{row} * args_.ranges_stride));
    dma::wait(dma::load(ranges_, at, args_.range_count * sizeof(ColumnRange)));
    for (uint32_t i = 0; i < args_.range_count; ++i) {
      const uint32_t first = std::max(ranges_[i].first, column);
      const uint32_t end = std::min(ranges_[i].end, column + columns);
      if (first < end) nothing_.store(place_of(row, first), end - first);
    }
  }

  const MaskArgs& args_;
  Arena arena_;
  Nothing nothing_;
  uint32_t* words_;
  ColumnRange* ranges_;
};

}  // namespace

void operator_mask(const MaskArgs& args) {
  require(check(args));
  Masker(args).run();
}

}  // namespace swai::operators
