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
  Schedule(const AttentionArgs& args, uint32_t rank, uint32_t count)
      : args_(args),
        rank_(rank),
        count_(count),
        shared_(uses_workspace(args.rows, args.kv_heads, args.keys)) {
    const uint32_t group = args.heads / args.kv_heads;
    const uint32_t most = most_queries(args.width);
    tile_heads_ = std::min(group, most);
    head_tiles_ = (group + tile_heads_ - 1) / tile_heads_;
    const uint32_t fit = most / tile_heads_;
    // All CPEs should have some.
    const uint64_t share = (uint64_t{args.rows} * args.kv_heads * head_tiles_ + count - 1) / count;
    tile_rows_ = std::min(shared_ ? args.rows : static_cast<uint32_t>(share), fit);
    tiles_ = (args.rows + tile_rows_ - 1) / tile_rows_ * args.kv_heads * head_tiles_;
    blocks_ = key_blocks(args.keys);
    const uint32_t steps = shared_ ? tiles_ * blocks_ : 0;
    first_ = rank * (steps / count) + std::min(rank, steps % count);
    end_ = first_ + steps / count + (rank < steps % count);
  }

  // Queries that local memory has room for.
  static constexpr uint32_t most_queries(uint32_t width) { return std::min<uint32_t>(2048 / width, 64); }

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
    return step.tile < tiles_;
  }
  // False: that was all.
  bool next(Step& step) const {
    if (shared_) {
      ++step.number;
      return settle(step);
    }
    if (++step.block < blocks_of(step.tile)) return true;
    step.block = 0;
    step.tile = turn(++step.number);
    return step.tile < tiles_;
  }

  QueryTile tile(uint32_t number) const {
    const uint32_t part = number % head_tiles_;
    const uint32_t kv_head = number / head_tiles_ % args_.kv_heads;
    const uint32_t row = number / head_tiles_ / args_.kv_heads * tile_rows_;
    const uint32_t group = args_.heads / args_.kv_heads;
    return {row, std::min(tile_rows_, args_.rows - row), kv_head * group + part * tile_heads_,
            std::min(tile_heads_, group - part * tile_heads_), kv_head};
  }
  // Keys that the last row of a tile sees.
  uint32_t keys_of(const QueryTile& tile) const { return visible_keys(args_, tile.row + tile.rows - 1); }

 private:
  uint32_t blocks_of(uint32_t number) const { return key_blocks(keys_of(tile(number))); }

  // Later rows see more: forwards and backwards in turn, all CPEs get alike.
  uint32_t turn(uint32_t number) const {
    return number % 2 == 0 ? number * count_ + rank_ : (number + 1) * count_ - 1 - rank_;
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

  const AttentionArgs& args_;
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
