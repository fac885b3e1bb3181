// SPDX-License-Identifier: Apache-2.0
// What all linear layers do with a block of sums: bias, function, residual, conversion, and its way to
// memory.
#pragma once

#include "cpe-kernels/operators/linear/steps.hpp"
#include "cpe-kernels/operators/unary/functions.hpp"
#include "swai/systolic.hpp"

namespace swai::operators {

namespace systolic = cpe::systolic;

// Of a node's arguments.
struct EndingArgs {
  GlobalPtr<void> to;
  GlobalPtr<const void> biases;
  GlobalPtr<const void> residual;
  uint32_t to_stride;
  uint32_t residual_stride;
  uint16_t function;
  Number to_type;
  Number residual_type;

  // Sums may be stored as they are to be in memory.
  bool only_converts() const { return function == 0 && !residual; }
};
template <typename Args>
EndingArgs ending_of(const Args& args) {
  return {args.to,       args.biases,  args.residual,     args.to_stride, args.residual_stride,
          args.function, args.to_type, args.residual_type};
}

// Issues what makes results of sums in fp32 with their biases, at `place`: function, residual, conversion.
// The vector unit's size has been set. `to` may be the place of the sums. `last`: the run before. `sums`: the
// systolic unit's that makes them, if nobody has waited for it; the vector unit is told meanwhile what it
// will do.
vector::Ticket finish(const EndingArgs& args, const Place& place, const vector::Operand& to,
                      const vector::Operand& residual, vector::Ticket last, systolic::Ticket sums = {});

class Ending {
 public:
  // `sums`: what is stored of a block first. `rows`: that are finished at a time, at most.
  Ending(const EndingArgs& args, const Blocks& blocks, Arena& arena, uint32_t rows,
         Number sums = Number::kFp32)
      : args_(args), blocks_(blocks), pitch_(pitch_of(blocks.columns()) * bytes_of(sums) + 32) {
    // Of few rows, memory is the same whatever the function is.
    const uint32_t places = blocks.rows() <= kFewRows ? std::size(between_) : places_between(args_.function);
    const uint32_t bytes = std::min(rows, blocks.rows()) * pitch_;
    for (uint32_t i = 0; i < places; ++i) between_[i] = arena.take<std::byte>(bytes);
  }

  // Of rows of results in local memory; they begin in different banks.
  uint32_t pitch() const { return pitch_; }
  // A block's results, biases and residual lie together in its slot, `offset` bytes from its beginning.
  uint32_t room() const { return (args_.residual ? 2 : 1) * results_bytes() + biases_bytes(); }
  void put_into(const StepsAndBlocks& slots, uint32_t offset) {
    slots_ = &slots;
    offset_ = offset;
  }
  std::byte* results(const Step& step) const { return slots_->of_block(step) + offset_; }
  float* biases(const Step& step) const { return biases(step, *slots_); }
  // Where they lie in slots like its own.
  float* biases(const Step& step, const StepsAndBlocks& slots) const {
    return reinterpret_cast<float*>(slots.of_block(step) + offset_ + results_bytes());
  }

  vector::Operand at(const std::byte* place, Number number) const { return operand(place, number, pitch_); }
  bool only_converts() const { return args_.only_converts(); }
  Number to_type() const { return args_.to_type; }
  bool has_biases() const { return static_cast<bool>(args_.biases); }
  bool has_residual() const { return static_cast<bool>(args_.residual); }

  // Begins to load what belongs to the block. Ticket 0: nothing does.
  dma::Ticket load(const Step& step) {
    const dma::Ticket last = load_biases(args_.biases, step, *slots_);
    return args_.residual ? load_residual(step) : last;
  }
  dma::Ticket load_biases(GlobalPtr<const void> from, const Step& step, const StepsAndBlocks& slots) const {
    if (!from) return {};
    return dma::load(biases(step, slots), from.plus_bytes(int64_t{step.column} * 4), step.columns * 4);
  }
  // Wanted when the block is finished.
  dma::Ticket load_residual(const Step& step) {
    const uint32_t bytes = bytes_of(args_.residual_type);
    const Tile tile = tile_of(step);
    const dma::Ticket loaded =
        dma::load(residual(step), args_.residual.plus_bytes(offset_of(tile, args_.residual_stride, bytes)),
                  tile.columns * bytes,
                  {static_cast<uint16_t>(tile.rows), static_cast<uint16_t>(pitch_),
                   static_cast<int32_t>(tile.rows == 1 ? 0 : args_.residual_stride)});
    residual_loaded_[step.block & slots_->block_mask()] = loaded;
    return loaded;
  }

  // Before results go to the block's slot: those that were there are in memory.
  void free(const Step& step) const { dma::wait(stored_[step.block & slots_->block_mask()]); }

  // The same for a block from row `first` on.
  vector::Ticket finish(const Step& step, vector::Ticket last, uint32_t first = 0) const;
  void store(const Step& step) { store(step, {0, step.rows}, args_.to, step.column); }
  // Some rows of the block, to those columns.
  void store(const Step& step, const cpe::Part& rows, GlobalPtr<void> into, uint32_t column) {
    const Matrix to = {into, args_.to_stride, bytes_of(args_.to_type)};
    const Tile tile = {step.row + rows.first, rows.count, column, step.columns};
    last_stored_ = operators::store(to, results(step) + rows.first * pitch_, tile, pitch_);
    stored_[step.block & slots_->block_mask()] = last_stored_;
  }
  // All results are in memory.
  void wait() const { dma::wait(last_stored_); }

 private:
  // The systolic unit wants biases at multiples of 32.
  uint32_t results_bytes() const { return (blocks_.rows() * pitch_ + 31) / 32 * 32; }
  uint32_t biases_bytes() const { return pitch_of(blocks_.columns()) * 4; }
  std::byte* residual(const Step& step) const {
    return reinterpret_cast<std::byte*>(biases(step)) + biases_bytes();
  }
  Tile tile_of(const Step& step) const { return {step.row, step.rows, step.column, step.columns}; }

  EndingArgs args_;
  const Blocks& blocks_;
  const StepsAndBlocks* slots_ = nullptr;
  uint32_t offset_ = 0;
  uint32_t pitch_;
  std::byte* between_[3] = {};
  // Of the last blocks.
  dma::Ticket residual_loaded_[Slots::kMost] = {};
  dma::Ticket stored_[Slots::kMost] = {};
  dma::Ticket last_stored_ = {};
};

}  // namespace swai::operators
