// Takes a CPE through the steps of its blocks: those to come are loaded, one is computed, the one before is
// finished.
#pragma once

#include "cpe-kernels/operators/common/stream.hpp"
#include "cpe-kernels/operators/linear/blocks.hpp"

namespace swai::operators {

// Slots for the operands of steps and for what belongs to blocks: 2, 4 or 8 of them, as there is room.
class Slots {
 public:
  static constexpr uint32_t kMost = 8;

  void take(Arena& arena, uint32_t bytes) {
    bytes_ = (bytes + 63) / 64 * 64;
    while (mask_ + 1 < kMost && 2 * (mask_ + 1) * bytes_ <= arena.left()) mask_ = 2 * mask_ + 1;
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

// `Product` has
//   share    exchanges what all steps need; all CPEs, once
//   load     begins to load what a step needs, or this CPE's part of it; the ticket of the last transfer, or
//   0 receive  exchanges that with the others, when it is there start    begins to compute, and returns its
//   ticket finish   waits for that; then the step's slot is free
// Of `slots` steps that follow each other all but one are loaded or computed, one is finished.
template <typename Product>
void go_through(const Blocks& blocks, uint32_t slots, Product& product) {
  if (!blocks.any()) return product.share();
  dma::Ticket loaded[Slots::kMost] = {};
  Step to_load = blocks.first();
  bool more_to_load = true;
  const auto load = [&] {
    if (!more_to_load) return;
    loaded[to_load.number & (slots - 1)] = product.load(to_load);
    more_to_load = blocks.next(to_load);
  };
  const auto receive = [&](const Step& step) {
    dma::wait(loaded[step.number & (slots - 1)]);
    if (blocks.sharing()) product.receive(step);
  };
  for (uint32_t i = 0; i + 1 < slots; ++i) load();
  product.share();
  Step step = blocks.first();
  Step before = {};
  decltype(product.start(step)) ticket_before = {};
  receive(step);
  for (bool more = true; more;) {
    const auto ticket = product.start(step);
    if (step.number != 0) product.finish(before, ticket_before);
    load();
    before = step;
    ticket_before = ticket;
    more = blocks.next(step);
    if (more) receive(step);
  }
  product.finish(before, ticket_before);
}

}  // namespace swai::operators
