// SPDX-License-Identifier: Apache-2.0
// Rows in local memory are normalised. Layer norm takes their mean away before it squares: large means cost
// no digits.
#pragma once

#include "cpe-kernels/operators/common/rows.hpp"
#include "cpe-kernels/operators/norm/division.hpp"
#include "operators.hpp"

namespace swai::operators {

// 1 / n, for the cores cannot divide. Both in local memory.
inline void reciprocal_of(uint32_t n, int32_t* number, float* to) {
  *number = static_cast<int32_t>(n);
  vector::a(vector::rows(number));
  vector::b(value(1));
  vector::result(to);
  vector::size(1);
  vector::run(Op::kMul, {.special = Special::kReciprocal});
}

// `Division`: what this CPE has of rows.
template <typename Division>
class Norm {
 public:
  Norm(Arena& arena, const NormArgs& args, bool layer, const Division& division)
      : args_(args),
        layer_(layer),
        division_(division),
        gamma_(arena.take<float>(division.columns() * 4)),
        beta_(layer ? arena.take<float>(division.columns() * 4) : nullptr),
        sums_(arena.take<float>(std::max(kMaxTileRows * 4, kMaxPieces * kPitch))),
        part_(arena.take<float>(4)) {
    reciprocal_of(args.columns, arena.take<int32_t>(4), part_);
  }

  // Begins to load gamma and beta. They are there when the first row is, if that is asked for behind them.
  dma::Ticket load() const {
    const dma::Ticket last = load(gamma_, args_.gamma);
    return layer_ ? load(beta_, args_.beta) : last;
  }
  // Their places, for those who bring them.
  float* gamma() const { return gamma_; }
  float* beta() const { return beta_; }

  vector::Ticket operator()(const Tile& tile, vector::Operand x, vector::Operand work,
                            vector::Operand to) const {
    const auto part_of_row = vector::each_row(part_, 0);
    uint32_t bytes = bytes_of(args_.from_type);
    if (layer_) {
      vector::b(part_of_row);
      add_up(tile, [&](uint32_t column) { vector::a(behind(x, column * bytes)); });
      vector::a(x);
      vector::c(vector::each_row(sums_).negated());
      into(work);
      vector::size(tile.columns, tile.rows);
      vector::run(Op::kAdd);
      x = work;
      bytes = sizeof(float);
    }
    add_up(tile, [&](uint32_t column) {
      const auto piece = behind(x, column * bytes);
      vector::a(piece);
      vector::b(piece);
    });
    vector::a(vector::rows(sums_));
    vector::b(part_of_row);
    vector::c(value(args_.epsilon));
    vector::result(sums_);
    vector::size(tile.rows);
    vector::run(Op::kFma, {.special = Special::kRoot});
    vector::a(x);
    vector::b(vector::each_row(sums_));
    into(work);
    vector::size(tile.columns, tile.rows);
    vector::run(Op::kMul);
    vector::a(work);
    vector::b(vector::rows(gamma_));
    if (layer_) vector::c(vector::rows(beta_));
    into(to);
    return vector::run(layer_ ? Op::kFma : Op::kMul);
  }

 private:
  // Where rows have several pieces a tile has at most 8 of them: each piece has a vector for its sums, which
  // is what channels move.
  static constexpr uint32_t kPitch = cpe::kChannelGranule;
  static constexpr uint32_t kMaxPieces = kMaxRow / kPiece;
  static_assert(kMaxPieces * sizeof(float) <= kPitch);

  dma::Ticket load(float* to, GlobalPtr<const void> from) const {
    return dma::load(to, from.plus_bytes(int64_t{division_.column()} * 4), division_.columns() * 4);
  }
  static vector::Operand behind(const vector::Operand& place, uint32_t bytes) {
    return {{place.at + bytes, place.what}};
  }
  float* sums_of_piece(uint32_t piece) const { return sums_ + piece * (kPitch / sizeof(float)); }

  // Sums of products of each row, into `sums_`: `set(column)` sets the factors from that column of the tile
  // on.
  template <typename F>
  void add_up(const Tile& tile, F set) const {
    vector::no_result();
    vector::Ticket last = {};
    uint32_t piece = division_.first_piece();
    for (uint32_t column = 0; column < tile.columns; column += kPiece, ++piece) {
      set(column);
      vector::reductions(sums_of_piece(piece));
      vector::size(std::min(kPiece, tile.columns - column), tile.rows);
      last = vector::run(Op::kMul, {.reduce = Reduce::kSum, .overlap = column != 0});
    }
    if (division_.parts() != 1) {
      vector::wait(last);
      cpe::Exchange<cpe::row> exchange;
      exchange.begin(reinterpret_cast<std::byte*>(sums_), kPitch, division_.pieces(), division_.parts());
      exchange.wait();
    }
    vector::size(tile.rows);
    vector::result(sums_);
    for (uint32_t other = 1; other < division_.pieces(); ++other) {
      vector::a(vector::rows(sums_));
      vector::c(vector::rows(sums_of_piece(other)));
      vector::run(Op::kAdd);
    }
  }

  const NormArgs& args_;
  bool layer_;
  const Division& division_;
  float* gamma_;
  float* beta_;
  float* sums_;
  float* part_;
};

}  // namespace swai::operators
