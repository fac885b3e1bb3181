// SPDX-License-Identifier: Apache-2.0
// Blocks of keys and values on their way into local memory, in the order in which a CPE takes them. Keys come
// in two blocks ahead, and so do values.
#pragma once

#include "cpe-kernels/operators/attention/schedule.hpp"
#include "cpe-kernels/operators/attention_int8/plan.hpp"
#include "cpe-kernels/operators/common/placed_rows.hpp"

namespace swai::operators {

// One block of keys for one tile of queries.
struct KeyBlock {
  QueryTile tile;
  uint32_t tile_number;  // among the CPE's own
  uint32_t first;        // its first key
  uint32_t keys;         // of the block, that the tile's last row sees
  uint32_t place;        // of the first key in memory
  bool begins;           // the tile

  // Keys that are computed: whole tiles of the systolic unit.
  uint32_t columns() const { return (keys + 7) / 8 * 8; }
};

class Int8KeyBlocks {
 public:
  struct Keys {
    int8_t* rows;
    float* scales;
    float* value_scales;
    dma::Ticket loaded;
  };
  struct Values {
    int8_t* rows;
    dma::Ticket loaded;
  };

  Int8KeyBlocks(Arena& arena, const AttentionInt8Args& args, const Schedule& schedule)
      : args_(args), schedule_(schedule) {
    for (Keys& slot : keys_) {
      slot.rows = arena.take<int8_t>(kKeyBlock * args.width);
      for (float** const scales : {&slot.scales, &slot.value_scales})
        *scales = arena.take<float>(kKeyBlock * sizeof(float));
    }
    for (Values& slot : values_) slot.rows = arena.take<int8_t>(kKeyBlock * args.width);
    more_ = schedule.begin(step_);
    if (more_) enter_tile();
    for (uint32_t i = 0; i < kSlots; ++i) load_keys();
    for (uint32_t i = 0; i < kSlots; ++i) load_values(i);
  }

  // Known for all whose keys have been asked for.
  bool has(uint32_t number) const { return number < count_; }
  const KeyBlock& operator[](uint32_t number) const { return blocks_[number % kKnown]; }
  bool ends_tile(uint32_t number) const { return !has(number + 1) || (*this)[number + 1].begins; }

  const Keys& keys(uint32_t number) const { return keys_[number % kSlots]; }
  const Values& values(uint32_t number) const { return values_[number % kSlots]; }

  // Nobody reads a block's keys, or values, any more.
  void drop_keys() { load_keys(); }
  void drop_values(uint32_t number) { load_values(number + kSlots); }

 private:
  static constexpr uint32_t kSlots = 2;
  // When block n computes its values, the keys of n + 3 are asked for.
  static constexpr uint32_t kKnown = 4;

  void enter_tile() { tile_ = schedule_.tile(step_.tile); }

  KeyBlock block() const {
    const uint32_t first = step_.block * kKeyBlock;
    return {tile_,
            step_.number,
            first,
            std::min(kKeyBlock, schedule_.keys_of(tile_) - first),
            begin_of_chunk(args_.chunks, step_.block),
            step_.block == 0};
  }

  void load_keys() {
    if (!more_) return;
    const uint32_t number = count_++;
    const KeyBlock& here = blocks_[number % kKnown] = block();
    Keys& slot = keys_[number % kSlots];
    const auto scales = static_cast<int64_t>(uint64_t{here.tile.kv_head} * args_.scales_stride +
                                             uint64_t{here.place} * sizeof(float));
    dma::load(slot.scales, args_.k_scales.plus_bytes(scales), here.keys * sizeof(float));
    dma::load(slot.value_scales, args_.v_scales.plus_bytes(scales), here.keys * sizeof(float));
    slot.loaded = load(slot.rows, args_.k, here);
    const uint32_t tile = step_.tile;
    more_ = schedule_.next(step_);
    if (more_ && step_.tile != tile) enter_tile();
  }

  void load_values(uint32_t number) {
    if (!has(number)) return;
    Values& slot = values_[number % kSlots];
    slot.loaded = load(slot.rows, args_.v, (*this)[number]);
  }

  dma::Ticket load(int8_t* to, GlobalPtr<const void> from, const KeyBlock& block) const {
    return dma::load(to,
                     from.plus_bytes(static_cast<int64_t>(uint64_t{block.place} * args_.kv_stride +
                                                          uint64_t{block.tile.kv_head} * args_.width)),
                     args_.width,
                     {static_cast<uint16_t>(block.keys), static_cast<uint16_t>(args_.width),
                      static_cast<int32_t>(block.keys == 1 ? 0 : args_.kv_stride)});
  }

  const AttentionInt8Args& args_;
  const Schedule& schedule_;
  Keys keys_[kSlots] = {};
  Values values_[kSlots] = {};
  KeyBlock blocks_[kKnown] = {};
  uint32_t count_ = 0;

  // The next one whose keys are loaded.
  Step step_ = {};
  QueryTile tile_ = {};
  bool more_;
};

}  // namespace swai::operators
