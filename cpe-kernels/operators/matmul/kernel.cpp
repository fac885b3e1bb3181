// SPDX-License-Identifier: Apache-2.0
// Products of matrices in floating point, on the vector unit. The results of all products are cut into tiles,
// and these are divided among CPEs. A CPE goes through a tile in steps of depth; while it computes one, the
// next one's operands are loaded, also those of the next tile.
#include <algorithm>

#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/matmul/plan.hpp"
#include "cpe-kernels/operators/walker/walk.hpp"
#include "operator_table.hpp"

namespace swai::operators {

namespace {

using vector::Op;

// Limits of a tile.
constexpr uint32_t kMaxRows = 32;
constexpr uint32_t kMaxColumns = 32;
constexpr uint32_t kMinColumns = 8;  // the vector unit computes as many in a cycle

constexpr uint32_t divided(uint32_t all, uint32_t by) { return (all + by - 1) / by; }
// Distance of rows in local memory: aligned to vectors, and starting in different banks.
constexpr uint32_t pitch_for(uint32_t numbers, uint32_t bytes) {
  return (numbers * bytes + 31) / 32 * 32 + 32;
}

// How results are cut. Tiles are smaller where there would be too few for all CPEs.
struct Cut {
  uint32_t rows;
  uint32_t columns;
  uint32_t down = 0;    // tiles of a product, one below the other
  uint32_t across = 0;  // and side by side

  explicit Cut(const MatmulArgs& args)
      : rows(std::min(args.rows, kMaxRows)),
        columns(std::min(divided(args.columns, kMinColumns) * kMinColumns, kMaxColumns)) {
    count_tiles(args);
    while (tiles(args) < cpe::count() && columns > kMinColumns) {
      columns = divided(columns / 2, kMinColumns) * kMinColumns;
      count_tiles(args);
    }
    while (tiles(args) < cpe::count() && rows > 1) {
      rows = divided(rows, 2);
      count_tiles(args);
    }
  }
  uint32_t tiles(const MatmulArgs& args) const { return args.products * down * across; }

 private:
  void count_tiles(const MatmulArgs& args) {
    down = divided(args.rows, rows);
    across = divided(args.columns, columns);
  }
};

class Matmul {
 public:
  explicit Matmul(const MatmulArgs& args)
      : args_(args), cut_(args), share_(cut_.tiles(args), cpe::rank(), cpe::count()) {}

  void run() {
    if (share_.first == share_.end) return;
    take_memory();
    begin_work();
    uint32_t slot = 0;
    Step step = {share_.first, 0, tile_of(share_.first)};
    dma::Ticket loaded = load(slot, step);
    for (bool more = true; more;) {
      const Step here = step;
      const dma::Ticket here_loaded = loaded;
      more = next(step);
      if (more) loaded = load(slot ^ 1, step);
      dma::wait(here_loaded);
      compute(slot, here);
      slot ^= 1;
    }
    const node::Barrier ahead = look_ahead();
    dma::wait(stored_[0]);
    dma::wait(stored_[1]);
    end_work(ahead);
  }

 private:
  struct Step {
    uint32_t number;  // of its tile
    uint32_t k;
    struct {
      uint32_t product;
      Tile at;
    } tile;
  };

  decltype(Step::tile) tile_of(uint32_t number) const {
    const uint32_t of_product = number % (cut_.down * cut_.across);
    const uint32_t row = of_product / cut_.across * cut_.rows;
    const uint32_t column = of_product % cut_.across * cut_.columns;
    return {
        number / (cut_.down * cut_.across),
        {row, std::min(cut_.rows, args_.rows - row), column, std::min(cut_.columns, args_.columns - column)}};
  }
  bool next(Step& step) const {
    step.k += kSumDepth;
    if (step.k < args_.depth) return true;
    if (++step.number == share_.end) return false;
    step.k = 0;
    step.tile = tile_of(step.number);
    return true;
  }
  uint32_t depth_of(const Step& step) const { return std::min(kSumDepth, args_.depth - step.k); }
  bool transposed() const { return args_.transposed != 0; }

  void take_memory() {
    const uint32_t depth = std::min(args_.depth, kSumDepth);
    a_bytes_ = bytes_of(args_.a_type);
    b_bytes_ = bytes_of(args_.b_type);
    a_pitch_ = pitch_for(depth, a_bytes_);
    b_pitch_ = pitch_for(transposed() ? depth : cut_.columns, b_bytes_);
    pitch_ = pitch_for(cut_.columns, sizeof(float));
    for (auto& slot : slots_) {
      slot.a = arena_.take<std::byte>(cut_.rows * a_pitch_);
      slot.b = arena_.take<std::byte>((transposed() ? cut_.columns : depth) * b_pitch_);
    }
    for (float*& results : results_) results = arena_.take<float>(cut_.rows * pitch_);
    parts_ = arena_.take<float>(cut_.rows * pitch_);
  }

  static GlobalPtr<const void> at(GlobalPtr<const void> first, uint64_t bytes) {
    return first.plus_bytes(static_cast<int64_t>(bytes));
  }
  static dma::Ticket load_rows(std::byte* to, uint32_t pitch, GlobalPtr<const void> from, uint32_t stride,
                               uint32_t rows, uint32_t row_bytes) {
    if (rows == 1) return dma::load(to, from, row_bytes);
    return dma::load(
        to, from, row_bytes,
        {static_cast<uint16_t>(rows), static_cast<uint16_t>(pitch), static_cast<int32_t>(stride)});
  }

  dma::Ticket load(uint32_t slot, const Step& step) {
    const auto& [product, tile] = step.tile;
    const uint32_t depth = depth_of(step);
    load_rows(slots_[slot].a, a_pitch_,
              at(args_.a, uint64_t{product} * args_.a_step + uint64_t{tile.row} * args_.a_stride +
                              uint64_t{step.k} * a_bytes_),
              args_.a_stride, tile.rows, depth * a_bytes_);
    // Rows of b, and where in them it begins.
    const uint32_t row = transposed() ? tile.column : step.k, first = transposed() ? step.k : tile.column;
    return load_rows(slots_[slot].b, b_pitch_,
                     at(args_.b, uint64_t{product} * args_.b_step + uint64_t{row} * args_.b_stride +
                                     uint64_t{first} * b_bytes_),
                     args_.b_stride, transposed() ? tile.columns : depth,
                     (transposed() ? depth : tile.columns) * b_bytes_);
  }

  void compute(uint32_t slot, const Step& step) {
    const uint32_t place = step.number & 1;
    if (step.k == 0) dma::wait(stored_[place]);
    const vector::Operand results = operand(results_[place], Number::kFp32, pitch_);
    vector::Ticket last =
        transposed() ? add_rows(slot, step, results_[place], results) : add_columns(slot, step, results);
    if (step.k + kSumDepth < args_.depth) return vector::wait(last);
    const auto& [product, tile] = step.tile;
    if (args_.to_type != Number::kFp32) {
      vector::a(results);
      vector::b(vector::value(1));
      into(operand(results_[place], args_.to_type, pitch_));
      vector::size(tile.columns, tile.rows);
      last = vector::run(Op::kMul);
    }
    vector::wait(last);
    const Matrix to = {args_.to.plus_bytes(static_cast<int64_t>(uint64_t{product} * args_.to_step)),
                       args_.to_stride, bytes_of(args_.to_type)};
    stored_[place] = store(to, results_[place], tile, pitch_);
  }

  // Each row of a times all rows of b, and the sum of each.
  vector::Ticket add_rows(uint32_t slot, const Step& step, float* results, const vector::Operand& sums) {
    const Tile& tile = step.tile.at;
    float* const parts = step.k == 0 ? results : parts_;
    vector::size(depth_of(step), tile.columns);
    vector::b(operand(slots_[slot].b, args_.b_type, b_pitch_));
    vector::no_result();
    vector::Ticket last = {};
    for (uint32_t row = 0; row < tile.rows; ++row) {
      vector::a(operand(slots_[slot].a + row * a_pitch_, args_.a_type, 0));
      vector::reductions(parts + row * (pitch_ / sizeof(float)));
      // All of these runs write to places of their own.
      last = vector::run(Op::kMul, {.reduce = vector::Reduce::kSum, .overlap = row != 0});
    }
    if (step.k == 0) return last;
    vector::size(tile.columns, tile.rows);
    vector::a(sums);
    vector::c(operand(parts_, Number::kFp32, pitch_));
    into(sums);
    return vector::run(Op::kAdd);
  }

  // A column of a, which has a number for each row of the result, times a row of b.
  vector::Ticket add_columns(uint32_t slot, const Step& step, const vector::Operand& sums) {
    const Tile& tile = step.tile.at;
    vector::size(tile.columns, tile.rows);
    vector::c(sums);
    into(sums);
    vector::Ticket last = {};
    const uint32_t depth = depth_of(step);
    for (uint32_t k = 0; k < depth; ++k) {
      vector::a(scalars(slots_[slot].a + k * a_bytes_));
      vector::b(operand(slots_[slot].b + k * b_pitch_, args_.b_type, 0));
      last = vector::run(step.k + k == 0 ? Op::kMul : Op::kFma);
    }
    return last;
  }
  vector::Operand scalars(const std::byte* at) const {
    return {{cpe::ldm_address(at),
             vector::detail::describe(vector::detail::Kind::kScalar, static_cast<cpe::Number>(args_.a_type),
                                      static_cast<int32_t>(a_pitch_))}};
  }

  const MatmulArgs& args_;
  Cut cut_;
  Share share_;
  Arena arena_;
  uint32_t a_bytes_ = 0, b_bytes_ = 0;
  uint32_t a_pitch_ = 0, b_pitch_ = 0, pitch_ = 0;  // bytes
  struct Slot {
    std::byte* a;
    std::byte* b;
  } slots_[2] = {};
  float* results_[2] = {};
  float* parts_ = nullptr;  // sums of a step
  dma::Ticket stored_[2] = {};
};

}  // namespace

void operator_matmul(const MatmulArgs& args) {
  require(check(args));
  Matmul(args).run();
}

}  // namespace swai::operators
