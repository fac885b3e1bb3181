// SPDX-License-Identifier: Apache-2.0
// Divides a matrix into tiles, and the tiles among CPEs. Nothing here depends on the card: tests run it on
// the host. A CPE takes a dozen cycles for a division, so what is known without one is told without one: a
// single row has none that says something.
#pragma once

#include <algorithm>
#include <cstdint>

namespace swai::operators {

struct Tile {
  uint32_t row;
  uint32_t rows;
  uint32_t column;
  uint32_t columns;
};

// Rows in local memory are this many elements apart, whatever their type: the vector unit wants 8, the DMA
// engine likes whole lines of 64 bytes.
constexpr uint32_t pitch_of(uint32_t columns) { return (columns + 15) / 16 * 16; }

// What one of `count` does of `all`, from `first` to `end`: as much as each other, or one more.
struct Share {
  uint32_t first;
  uint32_t end;

  constexpr Share(uint32_t all, uint32_t rank, uint32_t count)
      : first(std::min(rank, all)), end(std::min(rank + 1, all)) {
    if (all <= count) return;
    const uint32_t each = all / count;
    const uint32_t more = all % count;
    first = rank * each + std::min(rank, more);
    end = first + each + (rank < more);
  }
};

// A tile's room for so many elements in all: as much as there is, up to `most`, because memory is faster
// where reads and writes come in long pieces, but no more than leaves each of `count` two tiles. Multiples
// of 64.
constexpr uint32_t room_for(uint32_t all, uint32_t least, uint32_t most, uint32_t count) {
  constexpr uint32_t kTiles = 2;
  return std::clamp((all / (kTiles * count) + 63) / 64 * 64, least, most);
}

class Grid {
 public:
  // `room`: elements that a tile has in local memory, a multiple of 64. Rows that are too few for all, or too
  // long, are cut, evenly.
  Grid(uint32_t rows, uint32_t columns, uint32_t room, uint32_t rank, uint32_t count)
      : Grid(std::min((even_part(part_of(rows, columns, count), room) + 63) / 64 * 64, columns),
             {rows, columns, room, rank, count}) {}
  // Rows are cut only where they are too few for all, and only between units of so many columns. Whole ones
  // have room, or who asks has refused the node.
  static Grid of_units(uint32_t unit, uint32_t rows, uint32_t columns, uint32_t room, uint32_t rank,
                       uint32_t count) {
    const uint32_t units = unit >= columns ? 1 : (part_of(rows, columns, count) + unit - 1) / unit;
    return Grid(std::min(units * unit, columns), {rows, columns, room, rank, count});
  }
  static Grid of_rows(uint32_t rows, uint32_t columns, uint32_t room, uint32_t rank, uint32_t count) {
    return Grid(columns, {rows, columns, room, rank, count});
  }

  // This CPE's.
  uint32_t first() const { return share_.first; }
  uint32_t end() const { return share_.end; }
  // How often all CPEs can load together, and then store together what they loaded before. Not at all unless
  // each has two tiles, and they are so many that memory has more to do than they have.
  uint32_t turns() const { return turns_; }
  // No CPE has nothing to do.
  bool everyone() const { return everyone_; }

  Tile tile(uint32_t number) const {
    const uint32_t row = across_ == 1 ? number * tile_rows_ : number / across_ * tile_rows_;
    const uint32_t column = across_ == 1 ? 0 : number % across_ * tile_columns_;
    return {row, std::min(tile_rows_, rows_ - row), column, std::min(tile_columns_, columns_ - column)};
  }

 private:
  static constexpr uint32_t kMany = 16;

  struct Division {
    uint32_t rows, columns, room, rank, count;
  };
  Grid(uint32_t tile_columns, const Division& all)
      : rows_(all.rows),
        columns_(all.columns),
        tile_columns_(tile_columns),
        across_(parts(all.columns, tile_columns)) {
    if (all.rows > all.count) {
      const uint32_t fit = std::max(all.room / pitch_of(tile_columns), uint32_t{1});
      tile_rows_ = even_part(parts(all.rows, all.count), fit);
    }
    const uint32_t tiles = (tile_rows_ == 1 ? all.rows : parts(all.rows, tile_rows_)) * across_;
    share_ = Share(tiles, all.rank, all.count);
    everyone_ = tiles >= all.count;
    if (tiles >= 2 * all.count && all.count >= kMany) turns_ = (tiles - 1) / all.count;
  }
  static constexpr uint32_t parts(uint32_t all, uint32_t most) {
    return all <= most ? 1 : (all + most - 1) / most;
  }
  // Of what does not fit at once.
  static constexpr uint32_t even_part(uint32_t all, uint32_t most) {
    return all <= most ? all : parts(all, parts(all, most));
  }
  // Of a row, if there are too few for all.
  static constexpr uint32_t part_of(uint32_t rows, uint32_t columns, uint32_t count) {
    if (rows >= count) return columns;
    return parts(columns, rows == 1 ? count : count / rows);
  }

  uint32_t rows_;
  uint32_t columns_;
  uint32_t tile_rows_ = 1;
  uint32_t tile_columns_;
  uint32_t across_;
  Share share_{0, 0, 1};
  uint32_t turns_ = 0;
  bool everyone_ = false;
};

}  // namespace swai::operators
