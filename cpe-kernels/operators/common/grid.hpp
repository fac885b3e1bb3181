// Divides a matrix into tiles, and the tiles among CPEs. Nothing here depends on the card: tests run it on
// the host.
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

  constexpr Share(uint32_t all, uint32_t rank, uint32_t count) {
    const uint32_t each = all / count;
    const uint32_t more = all % count;
    first = rank * each + std::min(rank, more);
    end = first + each + (rank < more);
  }
};

class Grid {
 public:
  // `room`: elements that a tile has in local memory, a multiple of 64. Who divides by rows (norms) asks for
  // whole ones: they fit, or he has refused the node.
  Grid(uint32_t rows, uint32_t columns, uint32_t room, uint32_t rank, uint32_t count, bool whole_rows = false)
      : rows_(rows), columns_(columns), tile_columns_(columns) {
    if (!whole_rows) {
      // Too few rows for all, or rows too long: they are cut.
      const uint32_t parts = rows < count ? count / rows : 1;
      const uint32_t part = (columns + parts - 1) / parts;
      tile_columns_ = std::min({std::max((part + 63) / 64 * 64, uint32_t{64}), room, columns});
    }
    across_ = (columns + tile_columns_ - 1) / tile_columns_;
    const uint32_t fit = std::max(room / pitch_of(tile_columns_), uint32_t{1});
    const uint32_t share = (rows + count - 1) / count;
    const uint32_t batches = (share + fit - 1) / fit;
    tile_rows_ = (share + batches - 1) / batches;
    share_ = Share((rows + tile_rows_ - 1) / tile_rows_ * across_, rank, count);
  }

  // This CPE's.
  uint32_t first() const { return share_.first; }
  uint32_t end() const { return share_.end; }

  Tile tile(uint32_t number) const {
    const uint32_t row = across_ == 1 ? number * tile_rows_ : number / across_ * tile_rows_;
    const uint32_t column = across_ == 1 ? 0 : number % across_ * tile_columns_;
    return {row, std::min(tile_rows_, rows_ - row), column, std::min(tile_columns_, columns_ - column)};
  }

 private:
  uint32_t rows_;
  uint32_t columns_;
  uint32_t tile_rows_ = 1;
  uint32_t tile_columns_;
  uint32_t across_ = 1;
  Share share_{0, 0, 1};
};

}  // namespace swai::operators
