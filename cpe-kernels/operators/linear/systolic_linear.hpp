// Linear layers on the systolic unit, for weights of any kind. A CPE makes blocks of 32 x 64 results. Sums
// are drained behind each part of the depth, which is all of it where a row of x has one scale. While the
// systolic unit works on a step, the one before goes through the vector unit, and operands of those to come
// are loaded.
#pragma once

#include <bit>

#include "cpe-kernels/operators/linear/activations.hpp"
#include "cpe-kernels/operators/linear/ending.hpp"
#include "cpe-kernels/operators/linear/plan.hpp"
#include "swai/systolic.hpp"

namespace swai::operators {

namespace systolic = cpe::systolic;

// Weights of a step as they lie in memory, in `count` pieces of `bytes`, a multiple of 32, that begin
// `stride` bytes apart. In local memory they lie one after the other.
struct Pieces {
  GlobalPtr<const void> at;
  uint32_t bytes;
  uint32_t count;
  uint32_t stride;

  dma::Ticket load(std::byte* to, const cpe::Part& own) const {
    const auto from = at.plus_bytes(int64_t{own.first * stride});
    std::byte* const place = to + own.first * bytes;
    if (stride == bytes) return dma::load(place, from, own.count * bytes);
    return dma::load(
        place, from, bytes,
        {static_cast<uint16_t>(own.count), static_cast<uint16_t>(bytes), static_cast<int32_t>(stride)});
  }
};

struct BlockWidth {
  uint32_t most;
  uint32_t unit;
};

// Rows of x in local memory, for what weights may add.
struct Rows {
  const std::byte* at;
  uint32_t pitch;
  const float* factors;    // their scales
  uint32_t factors_pitch;  // from group to group, in bytes
  bool stay;               // all of their depth is there, from the first step on
};

// `Weights` is made from the arguments and the arena, and has
//   Args
//   columns(args)        of a block at most, and among whose multiples CPEs are divided
//   kDepth, kFirstDepth  of a step, and of the very first one, where rows of x have one scale
//   kPart                sums of so much depth do not overflow; a power of two
//   kKind                for the systolic unit
//   room(depth, columns)            bytes that a step's take
//   pieces(step, depth, columns)    where they lie in memory
//   set(step, at, stride)           settings for those of a step in local memory, and the results' column
//   stride adds()               whether results get more than products of the systolic unit kMayAdd whether
//   that may ever be so; then add(...) issues what adds a step's to y
template <typename Weights>
class SystolicLinear {
 public:
  explicit SystolicLinear(const typename Weights::Args& args)
      : args_(args),
        grouped_(args.group != args.depth),
        part_shift_(static_cast<uint32_t>(std::countr_zero(grouped_ ? kScaleGroup : Weights::kPart))),
        parts_of_block_(((args.depth - 1) >> part_shift_) + 1),
        blocks_({args.rows, args.depth, args.columns},
                {kBlockRows, grouped_ ? kScaleGroup : Weights::kDepth, Weights::columns(args).most},
                Weights::columns(args).unit, grouped_ ? kScaleGroup : Weights::kFirstDepth),
        x_(args.x, args.x_stride, 1, blocks_, arena_),
        ending_(ending_of(args), blocks_, arena_),
        weights_(args, blocks_, x_, arena_),
        adds_up_(parts_of_block_ > 1 || weights_.adds()) {
    if (adds_up_) {
      for (std::byte*& part : parts_) part = arena_.take<std::byte>(blocks_.rows() * ending_.pitch());
    }
    if (x_.stay()) all_row_factors_ = arena_.take<std::byte>(groups() * kFewFactors);
    uint32_t room = 0;
    const auto take = [&](uint32_t bytes) {
      const uint32_t at = room;
      room += (bytes + 63) / 64 * 64;
      return at;
    };
    take(x_.room());
    w_offset_ = take(weights_.room(blocks_.depth(), blocks_.columns()));
    row_factors_offset_ = take(x_.stay() ? 0 : blocks_.rows() * 4);
    packed_offset_ = take(packs() ? blocks_.rows() * kScaleGroup : 0);
    const uint32_t ending_offset = (blocks_.columns() * 4 + 63) / 64 * 64;
    slots_.take(arena_, blocks_, room, ending_offset + ending_.room());
    ending_.put_into(slots_, ending_offset);
  }

  void run() {
    if (!begin(blocks_, x_)) return;
    // Who only shares activations needs no scales, and would not wait for them.
    if (x_.stay() && blocks_.any()) load_all_row_factors();
    go_through(blocks_, slots_.count(), *this);
    ending_.wait();
  }

  void share() { x_.share(); }

  dma::Ticket load(const Step& step) {
    dma::Ticket last = x_.load(step, slots_.of_step(step));
    const Pieces pieces = weights_.pieces(step, blocks_.depth_of(step), blocks_.columns_of(step));
    if (const auto own = blocks_.own_of_w(pieces.count); own.count != 0) {
      last = pieces.load(weights(step), own);
    }
    if (blocks_.empty(step)) return last;
    if (!x_.stay()) {
      const uint64_t group = grouped_ ? step.k / kScaleGroup : 0;
      last = dma::load(slots_.of_step(step) + row_factors_offset_,
                       args_.x_scales.plus_bytes(
                           static_cast<int64_t>(group * args_.x_scales_stride + uint64_t{step.row} * 4)),
                       blocks_.rows_of(step) * 4);
    }
    if (step.k == 0) {
      ending_.load(step);
      last = dma::load(slots_.of_block(step), args_.w_scales.plus_bytes(int64_t{step.column} * 4),
                       blocks_.columns_of(step) * 4);
    }
    return last;
  }

  void receive(const Step& step) {
    const Pieces pieces = weights_.pieces(step, blocks_.depth_of(step), blocks_.columns_of(step));
    exchange(blocks_, step, slots_.of_step(step), x_.pitch(), weights(step), pieces.bytes, pieces.count);
    if (packs() && !blocks_.empty(step)) pack(step);
  }

  systolic::Ticket start(const Step& step) {
    if (blocks_.empty(step)) return {};
    const uint32_t depth = blocks_.depth_of(step);
    const uint32_t tiles = (blocks_.columns_of(step) + 7) / 8;
    const bool drains = ends_part(step);
    if (drains && !adds_up_) ending_.free(step);
    const bool plain = !adds_up_ && ending_.only_converts();
    const Number number = plain ? ending_.to_type() : Number::kFp32;
    if (packs()) {
      systolic::activations(packed(step), blocks_.rows_of(step) * 8, 8);
    } else {
      systolic::activations(x_.at(step, slots_.of_step(step)), 8, x_.pitch());
    }
    weights_.set(step, weights(step), static_cast<int32_t>(8 * bytes_of(number)));
    systolic::output(adds_up_ ? part(step) : ending_.results(step), static_cast<int32_t>(ending_.pitch()));
    systolic::factors(reinterpret_cast<float*>(slots_.of_block(step)), ending_.biases(step));
    systolic::row_factors(row_factors(step));
    systolic::size({tiles, padded_depth(depth) / 8, tiles, blocks_.rows_of(step)});
    return systolic::run({.weights = Weights::kKind,
                          .keep = !begins_part(step),
                          .drain = drains,
                          .half = part_number(step) & 1,
                          .result = static_cast<cpe::Number>(number),
                          .row_factors = true,
                          .bias = ending_.has_biases() && step.k >> part_shift_ == 0});
  }

  // After its run: adds up, and a block that is complete goes to memory.
  void finish(const Step& step, systolic::Ticket ticket) {
    systolic::wait(ticket);
    if (blocks_.empty(step)) return;
    const uint32_t columns = blocks_.columns_of(step);
    const uint32_t rows = blocks_.rows_of(step);
    const auto y = ending_.at(ending_.results(step), Number::kFp32);
    vector::Ticket last = {};
    if (adds_up_ && step.k == 0) ending_.free(step);
    if constexpr (Weights::kMayAdd) {
      if (weights_.adds()) {
        last = weights_.add(step, {rows, blocks_.depth_of(step), columns}, weights(step), y,
                            {x_.at(step, slots_.of_step(step)), x_.pitch(), row_factors(step),
                             grouped_ ? kFewFactors : 0, x_.stay()});
      }
    }
    vector::size(columns, rows);
    if (adds_up_ && ends_part(step)) {
      const bool first = !weights_.adds() && step.k >> part_shift_ == 0;
      vector::a(ending_.at(part(step), Number::kFp32));
      vector::b(vector::value(1));
      vector::c(y);
      into(y);
      last = vector::run(first ? vector::Op::kMul : vector::Op::kAdd);
    }
    if (!blocks_.last(step)) return vector::wait(last);
    if (adds_up_ || !ending_.only_converts()) last = ending_.finish(step, last);
    vector::wait(last);
    ending_.store(step);
  }

 private:
  // Where each step is drained, drain and vector unit use local memory beside the systolic unit, which then
  // waits for activations: a row's lie in a word of their own, so it wants one in every cycle. Packed, one
  // word has those of four rows.
  bool packs() const { return grouped_ && blocks_.sharing(); }
  std::byte* packed(const Step& step) const { return slots_.of_step(step) + packed_offset_; }
  void pack(const Step& step) const {
    const uint32_t rows = blocks_.rows_of(step);
    auto from = operand(x_.at(step, slots_.of_step(step)), Number::kInt8, x_.pitch());
    auto to = operand(packed(step), Number::kInt8, 8);
    vector::size(8, rows);
    vector::b(vector::value(1));
    vector::Ticket last = {};
    for (uint32_t tiles = padded_depth(blocks_.depth_of(step)) / 8; tiles != 0; --tiles) {
      vector::a(from);
      into(to);
      last = vector::run(vector::Op::kMul, {.overlap = true});
      from.at += 8;
      to.at += 8 * rows;
    }
    vector::wait(last);
  }
  uint32_t part_number(const Step& step) const {
    return step.block * parts_of_block_ + (step.k >> part_shift_);
  }
  bool begins_part(const Step& step) const { return (step.k & ((1u << part_shift_) - 1)) == 0; }
  bool ends_part(const Step& step) const {
    const uint32_t end = step.k + blocks_.depth_of(step);
    return end == args_.depth || (end & ((1u << part_shift_) - 1)) == 0;
  }
  // Where the sums of a part go before they are added up.
  std::byte* part(const Step& step) const { return parts_[part_number(step) & 1]; }
  std::byte* weights(const Step& step) const { return slots_.of_step(step) + w_offset_; }

  // Where all activations stay, all of their scales do: a line of few rows' for each group.
  static constexpr uint32_t kFewFactors = 64;
  uint32_t groups() const { return grouped_ ? parts_of_block_ : 1; }
  void load_all_row_factors() {
    load_rows(all_row_factors_, kFewFactors, args_.x_scales, args_.x_scales_stride, {0, groups()},
              args_.rows * 4);
  }
  const float* row_factors(const Step& step) const {
    const std::byte* const at = x_.stay()
                                    ? all_row_factors_ + (grouped_ ? step.k / kScaleGroup * kFewFactors : 0)
                                    : slots_.of_step(step) + row_factors_offset_;
    return reinterpret_cast<const float*>(at);
  }

  const typename Weights::Args& args_;
  bool grouped_;
  uint32_t part_shift_;
  uint32_t parts_of_block_;
  Blocks blocks_;
  Arena arena_;
  Activations x_;
  Ending ending_;
  Weights weights_;
  bool adds_up_;  // results are more than one drain's
  std::byte* parts_[2] = {};
  std::byte* all_row_factors_ = nullptr;
  uint32_t w_offset_;
  uint32_t row_factors_offset_;
  uint32_t packed_offset_;
  StepsAndBlocks slots_;  // a block's begins with the factors of its columns
};

}  // namespace swai::operators
