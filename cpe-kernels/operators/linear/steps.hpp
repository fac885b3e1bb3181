// SPDX-License-Identifier: Apache-2.0
// Takes a CPE through the steps of its blocks: those to come are loaded, one is computed, the one before is
// finished.
#pragma once

#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/linear/blocks.hpp"

namespace swai::operators {

// Slots for the operands of steps, or for what belongs to blocks: 2, 4 or 8 of them, as there is room.
class Slots {
 public:
  static constexpr uint32_t kMost = 8;

  void take(Arena& arena, uint32_t bytes, uint32_t most = kMost) {
    bytes_ = (bytes + 63) / 64 * 64;
    while (mask_ + 1 < most && 2 * (mask_ + 1) * bytes_ <= arena.left()) mask_ = 2 * mask_ + 1;
    if (mask_ == 0) __builtin_trap();
    at_ = arena.take<std::byte>((mask_ + 1) * bytes_);
  }
  uint32_t count() const { return mask_ + 1; }
  uint32_t mask() const { return mask_; }
  std::byte* at(uint32_t number) const { return at_ + (number & mask_) * bytes_; }

 private:
  uint32_t bytes_ = 0;
  uint32_t mask_ = 0;
  std::byte* at_ = nullptr;
};

// Slots for steps and for blocks. Steps come in all but one slot ahead: where that never is beyond the next
// block, two blocks at a time will do, else there are as many slots for blocks as for steps.
class StepsAndBlocks {
 public:
  void take(Arena& arena, const Blocks& blocks, uint32_t step_bytes, uint32_t block_bytes,
            uint32_t most = Slots::kMost) {
    const auto lines = [](uint32_t bytes) { return (bytes + 63) / 64 * 64; };
    const auto blocks_for = [&](uint32_t count) {
      return blocks.all().depth > (count - 2) * blocks.depth() ? 2 : count;
    };
    uint32_t count = most;
    while (count > 2 && count * lines(step_bytes) + blocks_for(count) * lines(block_bytes) > arena.left())
      count /= 2;
    blocks_.take(arena, block_bytes, blocks_for(count));
    steps_.take(arena, step_bytes, count);
  }
  // Slots behind those of so many steps and blocks are the first now.
  void begin_behind(uint32_t steps, uint32_t blocks) {
    first_step_ = (first_step_ + steps) & steps_.mask();
    first_block_ = (first_block_ + blocks) & blocks_.mask();
  }
  uint32_t count() const { return steps_.count(); }
  std::byte* of_step(const Step& step) const { return steps_.at(first_step_ + step.number); }
  std::byte* of_block(const Step& step) const { return blocks_.at(first_block_ + step.block); }
  uint32_t block_mask() const { return blocks_.mask(); }
  uint32_t first_step() const { return first_step_; }
  uint32_t first_block() const { return first_block_; }

 private:
  uint32_t first_step_ = 0;
  uint32_t first_block_ = 0;
  Slots steps_;
  Slots blocks_;
};

// What was loaded for the node whose number the walker's state has as `ahead`: slots that its steps and
// blocks begin with, and its first steps.
struct Ahead {
  uint32_t steps, blocks;
  uint32_t count;
  dma::Ticket loaded[Slots::kMost];
};
extern Ahead ahead;

// `Product` has
// - begin: waits for the node's barrier, and begins to load what all steps need; once, with the first step
// - share: exchanges what all steps need; all CPEs, once
// - load: begins to load what a step needs, or this CPE's part of it; the ticket of the last transfer, or 0
// - receive: exchanges that with the others, when it is there
// - load_behind: what follows upon all steps, if it likes; their number, and that of their blocks
// - prepare: tells units what they can know before
// - start: begins to compute what was prepared, and returns its ticket
// - go_on: computes what else there is of it, once the one before is finished; the last ticket of that
// - finish: waits for that; then the step's slot is free
// - prepare_behind: the node, while the last step is computed
// Of `slots` steps that follow each other all but one are loaded or computed, one is finished. Those that
// share operands load only the first before they compute it, because a late one keeps all others waiting, and
// catch up with some more in each of the next steps: not in short ones, which leave no time for that.
inline constexpr uint32_t kCatchUp = 2;
inline constexpr uint32_t kShortSteps = 2;
template <typename Product>
void go_through(const Blocks& blocks, uint32_t slots, Product& product) {
  const bool sharing = blocks.sharing();
  dma::Ticket loaded[Slots::kMost] = {};
  Step step = blocks.first();
  Step to_load = step;
  bool more_to_load = true;
  const auto load = [&] {
    if (!more_to_load) return product.load_behind(to_load);
    loaded[to_load.number & (slots - 1)] = product.load(to_load);
    more_to_load = blocks.next(to_load);
  };
  const auto receive = [&](const Step& step) {
    dma::wait(loaded[step.number & (slots - 1)]);
    if (sharing) product.receive(step);
  };
  product.begin(step);
  if (!blocks.any()) return product.share();
  for (uint32_t i = 0; i != (sharing ? 1 : slots - 1); ++i) load();
  product.share();
  product.prepare(step);
  Step before = {};
  decltype(product.start(step)) ticket_before = {};
  receive(step);
  // Those that share operands exchange the next step's before they finish the one before: meanwhile that may
  // end. Of two slots the next step's is free only then.
  const bool early = sharing && slots > 2;
  for (bool more = true; more;) {
    const Step here = step;
    auto ticket = product.start(here);
    more = blocks.next(step);
    if (early && (here.number == 0 || here.number > kShortSteps)) {
      for (uint32_t i = 0; i != kCatchUp && to_load.number + 1 < here.number + slots; ++i) load();
    }
    if (more && early) receive(step);
    if (here.number != 0) product.finish(before, ticket_before);
    if (here.number != 0 || !early) load();
    ticket = product.go_on(here, ticket);
    if (more) product.prepare(step);
    if (more && !early) receive(step);
    before = here;
    ticket_before = ticket;
  }
  if (sharing) product.prepare_behind();
  product.finish(before, ticket_before);
}

}  // namespace swai::operators
