// SPDX-License-Identifier: Apache-2.0
// The DMA engine: moves data between local and global memory while the core goes on. Transfers run in any
// order among each other and with the core, until they are waited for. Issuing waits only when the engine's
// queue is full.
//
//   const auto first = dma::load(buffer, source, 4096);
//   const auto second = dma::load(other, source + 1024, 4096);
//   dma::wait(first);    // buffer may be read
//
// Any alignment and any length (1 byte to 128 KiB) will do; whole aligned lines of 64 bytes are fastest.
#pragma once

#include "abi/global_ptr.hpp"
#include "swai/isa.hpp"
#include "swai/ldm.hpp"

namespace swai::cpe::dma {

// Names a transfer. Waiting for one waits for all that this CPE began before it, too.
struct Ticket {
  uint32_t number;
};

// Rows of a 2-D transfer. Strides go from the start of a row to the start of the next, in bytes.
struct Shape {
  uint16_t rows;
  uint16_t ldm_stride;
  int32_t global_stride;
};

// During its lifetime, transfers that begin have the background class: lists, arguments, or weights of the
// operator after the one that runs. Simulators count them separately (docs/hardware/cpe-memory.md).
class Background {
 public:
  [[gnu::always_inline]] Background() { set(isa::dma_class::kBackground); }
  [[gnu::always_inline]] ~Background() { set(isa::dma_class::kForeground); }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

 private:
  [[gnu::always_inline]] static void set(isa::dma_class::Kind kind) {
    isa::issue<isa::unit::kDma, isa::dma_op::kClass>(kind);
  }
};

namespace detail {

[[gnu::always_inline]] inline void set_global(uint64_t pointer) {
  isa::issue<isa::unit::kDma, isa::dma_op::kGlobal>(static_cast<uint32_t>(pointer),
                                                    static_cast<uint32_t>(pointer >> 32));
}
[[gnu::always_inline]] inline void set_shape(Shape shape) {
  isa::issue<isa::unit::kDma, isa::dma_op::kShape>(uint32_t{shape.rows} << 16 | shape.ldm_stride,
                                                   static_cast<uint32_t>(shape.global_stride));
}

}  // namespace detail

// Global to local memory. `to` may be used after wait().
[[gnu::always_inline]] inline Ticket load(void* to, GlobalPtr<const void> from, uint32_t bytes) {
  detail::set_global(from.bits());
  return {isa::ask<isa::unit::kDma, isa::dma_op::kLoad>(ldm_address(to), bytes)};
}
// The same with `bytes` per row.
[[gnu::always_inline]] inline Ticket load(void* to, GlobalPtr<const void> from, uint32_t bytes, Shape shape) {
  detail::set_shape(shape);
  return load(to, from, bytes);
}

// Local to global memory. `from` may be changed after wait(), and then the data are where others see them.
[[gnu::always_inline]] inline Ticket store(GlobalPtr<void> to, const void* from, uint32_t bytes) {
  detail::set_global(to.bits());
  return {isa::ask<isa::unit::kDma, isa::dma_op::kStore>(ldm_address(from), bytes)};
}
[[gnu::always_inline]] inline Ticket store(GlobalPtr<void> to, const void* from, uint32_t bytes,
                                           Shape shape) {
  detail::set_shape(shape);
  return store(to, from, bytes);
}

// Sleeps until the transfer and all before it are complete.
[[gnu::always_inline]] inline void wait(Ticket ticket) {
  isa::issue<isa::unit::kDma, isa::dma_op::kWait>(ticket.number);
}
// Whether they are.
[[gnu::always_inline]] inline bool done(Ticket ticket) {
  return isa::ask<isa::unit::kDma, isa::dma_op::kPoll>(ticket.number) != 0;
}

}  // namespace swai::cpe::dma
