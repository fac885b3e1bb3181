// SPDX-License-Identifier: Apache-2.0
// Which queries and which blocks of keys a CPE takes, and in which order. Nothing here depends on the card.
#pragma once

#include "cpe-kernels/operators/attention/plan.hpp"

namespace swai::operators {

// Some rows of some heads that share keys. Its queries are counted row by row.
struct QueryTile {
  uint32_t row;
  uint32_t rows;
  uint32_t head;
  uint32_t heads;
  uint32_t kv_head;

  uint32_t queries() const { return rows * heads; }
};

// One block of keys for one tile of queries.
struct Step {
  uint32_t tile;
  uint32_t block;
  uint32_t number;  // where the CPE is in its work
};

class Schedule {
 public:
  // `most_queries` fit into a tile. `shared`: CPEs share the blocks of a tile, which has as many rows as fit.
  Schedule(const AttentionSizes& sizes, uint32_t most_queries, bool shared, uint32_t rank, uint32_t count)
      : sizes_(sizes), rank_(rank), count_(count), shared_(shared) {
    const uint32_t group = sizes.heads / sizes.kv_heads;
    tile_heads_ = std::min(group, most_queries);
    head_tiles_ = (group + tile_heads_ - 1) / tile_heads_;
    const uint32_t fit = most_queries / tile_heads_;
    // Rows of different texts have no keys in common.
    tile_rows_ = sizes.positions != nullptr ? 1 : shared_ ? std::min(sizes.rows, fit) : rows_of_tile(fit);
    tiles_ = (sizes.rows + tile_rows_ - 1) / tile_rows_ * columns_of_tiles();
    blocks_ = key_blocks(sizes.keys);
    const uint32_t steps = shared_ ? tiles_ * blocks_ : 0;
    first_ = rank * (steps / count) + std::min(rank, steps % count);
    end_ = first_ + steps / count + (rank < steps % count);
  }

  // How many CPEs have something to do, at most.
  uint32_t workers() const { return std::min(shared_ ? tiles_ * blocks_ : tiles_, count_); }

  // Whether blocks of a tile are shared among CPEs.
  bool shared() const { return shared_; }

  // False: this CPE has no work.
  bool begin(Step& step) const {
    step = {};
    if (shared_) {
      step.number = first_;
      return settle(step);
    }
    step.tile = turn(0);
    return settle_tile(step);
  }
  // False: that was all.
  bool next(Step& step) const {
    if (shared_) {
      ++step.number;
      return settle(step);
    }
    if (++step.block < blocks_of(step.tile)) return true;
    return next_tile(step);
  }
  // Where tiles are not shared: past the rest of this one.
  bool next_tile(Step& step) const {
    step.block = 0;
    step.tile = turn(++step.number);
    return settle_tile(step);
  }

  QueryTile tile(uint32_t number) const {
    const uint32_t part = number % head_tiles_;
    const uint32_t kv_head = number / head_tiles_ % sizes_.kv_heads;
    const uint32_t row = number / head_tiles_ / sizes_.kv_heads * tile_rows_;
    const uint32_t group = sizes_.heads / sizes_.kv_heads;
    return {row, std::min(tile_rows_, sizes_.rows - row), kv_head * group + part * tile_heads_,
            std::min(tile_heads_, group - part * tile_heads_), kv_head};
  }
  // Keys that the last row of a tile sees.
  uint32_t keys_of(const QueryTile& tile) const { return keys_of_row(tile.row + tile.rows - 1); }
  uint32_t keys_of_row(uint32_t row) const { return visible_keys(sizes_, row); }

 private:
  // Tiles of the same rows.
  uint32_t columns_of_tiles() const { return sizes_.kv_heads * head_tiles_; }

  // As few as there can be when no CPE takes more tiles than it has to: then all CPEs get alike.
  uint32_t rows_of_tile(uint32_t most) const {
    if (sizes_.rows == 1) return 1;
    const uint32_t least_tiles = ((sizes_.rows - 1) / most + 1) * columns_of_tiles();
    const uint32_t rounds = (least_tiles + count_ - 1) / count_;
    return (sizes_.rows - 1) / (rounds * count_ / columns_of_tiles()) + 1;
  }

  uint32_t blocks_of(uint32_t number) const { return key_blocks(keys_of(tile(number))); }

  // Later rows see more: forwards and backwards in turn, all CPEs get alike.
  uint32_t turn(uint32_t number) const {
    return number % 2 == 0 ? number * count_ + rank_ : (number + 1) * count_ - 1 - rank_;
  }
  // From its tile on, past those of no text.
  bool settle_tile(Step& step) const {
    while (sizes_.positions != nullptr && step.tile < tiles_ && blocks_of(step.tile) == 0)
      step.tile = turn(++step.number);
    return step.tile < tiles_;
  }
  // From its number, past blocks that no row of the tile sees.
  bool settle(Step& step) const {
    for (; step.number < end_; ++step.number) {
      step.tile = step.number / blocks_;
      step.block = step.number % blocks_;
      if (step.block < blocks_of(step.tile)) return true;
    }
    return false;
  }

  AttentionSizes sizes_;
  uint32_t rank_;
  uint32_t count_;
  bool shared_;
  uint32_t tile_heads_;
  uint32_t head_tiles_;
  uint32_t tile_rows_;
  uint32_t tiles_;
  uint32_t blocks_;
  uint32_t first_;
  uint32_t end_;
};

}  // namespace swai::operators
