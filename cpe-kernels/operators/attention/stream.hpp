// SPDX-License-Identifier: Apache-2.0
// Keys and values on their way into local memory, as a CPE's schedule asks for them: those of a block of keys
// one piece after the other, then the values, a few pieces ahead of the one that is used.
#pragma once

#include "cpe-kernels/operators/attention/schedule.hpp"
#include "cpe-kernels/operators/common/placed_rows.hpp"

namespace swai::operators {

class KeyValueStream {
 public:
  struct Piece {
    std::byte* rows;      // of keys or values
    const float* scales;  // int8 only
    uint32_t first;       // of the block's
    uint32_t count;
  };

  KeyValueStream(Arena& arena, const AttentionArgs& args, const Schedule& schedule)
      : args_(args),
        schedule_(schedule),
        row_bytes_(args.width * bytes_of(args.kv_type)),
        most_(std::min(kKeyBlock, kPieceBytes / row_bytes_)) {
    for (Slot& slot : slots_) {
      slot.piece.rows = arena.take<std::byte>(most_ * row_bytes_);
      slot.scales = args.kv_type == Number::kInt8 ? arena.take<float>(most_ * sizeof(float)) : nullptr;
      slot.piece.scales = slot.scales;
    }
  }

  // Before the node's barrier, if nothing in memory says where keys are. `first`: of the schedule's steps.
  void prepare(const Step& first) {
    step_ = first;
    if (!args_.chunks) enter_tile();
  }
  // Asks for the first pieces.
  void begin() {
    if (args_.chunks) enter_tile();
    for (uint32_t i = 0; i < kPlaces; ++i) fetch();
  }

  uint32_t row_bytes() const { return row_bytes_; }

  // The next piece. It stays until two more have been taken; then what reads it must have been issued.
  const Piece& take() {
    if (taken_ >= kBehind) {
      vector::wait(slots_[(taken_ - kBehind) % kPlaces].read);
      fetch();
    }
    Slot& slot = slots_[taken_++ % kPlaces];
    dma::wait(slot.loaded);
    return slot.piece;
  }
  // The last run that reads the piece taken last.
  void read_by(vector::Ticket ticket) { slots_[(taken_ - 1) % kPlaces].read = ticket; }

 private:
  static constexpr uint32_t kPlaces = 4;
  static constexpr uint32_t kBehind = 2;
  static constexpr uint32_t kPieceBytes = 16384;
  static_assert(kMaxHeadWidth * kKeyBlock <= kPieceBytes,
                "of int8 a block is one piece, with all its scales");

  struct Slot {
    Piece piece;
    float* scales;
    dma::Ticket loaded;
    vector::Ticket read;
  };

  void enter_tile() {
    const QueryTile tile = schedule_.tile(step_.tile);
    kv_head_ = tile.kv_head;
    chunks_ = chunks_of(args_, tile.row);
    keys_ = schedule_.keys_of(tile);
    enter_block();
  }
  void enter_block() {
    block_keys_ = std::min(kKeyBlock, keys_ - step_.block * kKeyBlock);
    place_ = begin_of_chunk(chunks_, step_.block);
  }

  // Begins to load the next piece, if there is one.
  void fetch() {
    if (!more_) return;
    Slot& slot = slots_[fetched_++ % kPlaces];
    const uint32_t count = std::min(most_, block_keys_ - key_);
    const uint32_t place = place_ + key_;
    slot.piece.first = key_;
    slot.piece.count = count;
    if (args_.kv_type == Number::kInt8) {
      const auto scales = values_ ? args_.v_scales : args_.k_scales;
      dma::load(slot.scales,
                scales.plus_bytes(static_cast<int64_t>(uint64_t{kv_head_} * args_.scales_stride +
                                                       uint64_t{place} * sizeof(float))),
                count * sizeof(float));
    }
    const auto rows = values_ ? args_.v : args_.k;
    const auto at = rows.plus_bytes(
        static_cast<int64_t>(uint64_t{place} * args_.kv_stride + uint64_t{kv_head_} * row_bytes_));
    slot.loaded = dma::load(slot.piece.rows, at, row_bytes_,
                            {static_cast<uint16_t>(count), static_cast<uint16_t>(row_bytes_),
                             static_cast<int32_t>(count == 1 ? 0 : args_.kv_stride)});
    advance(count);
  }

  void advance(uint32_t count) {
    key_ += count;
    if (key_ < block_keys_) return;
    key_ = 0;
    values_ = !values_;
    if (values_) return;
    const uint32_t tile = step_.tile;
    more_ = schedule_.next(step_);
    if (!more_) return;
    if (step_.tile == tile) {
      enter_block();
    } else {
      enter_tile();
    }
  }

  const AttentionArgs& args_;
  const Schedule& schedule_;
  uint32_t row_bytes_;
  uint32_t most_;  // keys of a piece
  Slot slots_[kPlaces] = {};
  uint32_t taken_ = 0;
  uint32_t fetched_ = 0;

  // What is fetched next.
  bool more_ = true;
  Step step_ = {};
  bool values_ = false;
  uint32_t key_ = 0;  // of the block's
  uint32_t kv_head_ = 0;
  GlobalPtr<const void> chunks_;
  uint32_t keys_ = 0;        // that the tile sees
  uint32_t block_keys_ = 0;  // of the block
  uint32_t place_ = 0;       // of the block's first key in memory
};

}  // namespace swai::operators
