// SPDX-License-Identifier: Apache-2.0
// What a CPE normalises: whole rows, or, of few long ones, pieces of each, and the CPEs of a row share rows.
// What a row's numbers come to is added up within pieces, then piece after piece: it does not matter who has
// them.
#pragma once

#include "cpe-kernels/operators/common/pieces.hpp"
#include "cpe-kernels/operators/common/stream.hpp"
#include "swai/exchange.hpp"

namespace swai::operators {

class Division {
 public:
  // `room`: elements of a tile.
  Division(uint32_t rows, uint32_t columns, uint32_t room)
      : pieces_(pieces_of(columns)),
        parts_(parts_for(rows, pieces_)),
        own_(parts_ == 1 ? cpe::Part{0, pieces_} : part_of_row(cpe::column_number())),
        column_(own_.first * kPiece),
        columns_(std::min(own_.count * kPiece, columns - std::min(column_, columns))),
        // Those that share rows go through them alike, whatever they have of them.
        grid_(parts_ == 1
                  ? Grid::of_rows(rows, columns, fitting(room, columns, pieces_), cpe::rank(), cpe::count())
                  : Grid::of_rows(rows, part_of_row(0).count * kPiece, kMaxRow, cpe::row_number(),
                                  cpe::rows())) {}

  bool any() const { return columns_ != 0 && grid_.first() != grid_.end(); }
  uint32_t first() const { return grid_.first(); }
  uint32_t end() const { return grid_.end(); }
  // Those that share rows meet in channels.
  uint32_t turns() const { return parts_ == 1 ? grid_.turns() : 0; }
  bool everyone() const { return parts_ == 1 && grid_.everyone(); }
  Tile tile(uint32_t number) const {
    const Tile tile = grid_.tile(number);
    return {tile.row, tile.rows, column_, columns_};
  }

  // Of all tiles.
  uint32_t column() const { return column_; }
  uint32_t columns() const { return columns_; }

  uint32_t pieces() const { return pieces_; }
  uint32_t first_piece() const { return own_.first; }
  // How many CPEs share a row.
  uint32_t parts() const { return parts_; }

 private:
  // The sums of a piece are one vector, where there are several: of so many rows.
  static uint32_t fitting(uint32_t room, uint32_t columns, uint32_t pieces) {
    return pieces == 1 ? room : std::min(room, vector::kLanes * pitch_of(columns));
  }
  static uint32_t parts_for(uint32_t rows, uint32_t pieces) {
    if (pieces == 1 || !cpe::all_cpes()) return 1;
    const auto most_of = [](uint32_t all, uint32_t among) { return (all + among - 1) / among; };
    const uint32_t each = most_of(pieces, cpe::columns());
    const bool is_less = most_of(rows, cpe::rows()) * each < most_of(rows, cpe::count()) * pieces;
    return is_less ? most_of(pieces, each) : 1;
  }
  cpe::Part part_of_row(uint32_t number) const { return cpe::part_of(pieces_, parts_, number); }

  uint32_t pieces_;
  uint32_t parts_;
  cpe::Part own_;
  uint32_t column_;
  uint32_t columns_;
  Grid grid_;
};

}  // namespace swai::operators
