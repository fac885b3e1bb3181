// SPDX-License-Identifier: Apache-2.0
// A channel of the DMA engine: descriptors in a ring in SRAM. Never waits; who pushes asks for room() before.
#pragma once

#include <cstdint>

#include "abi/dma.hpp"
#include "card_regs.hpp"
#include "firmware/runtime/machine.hpp"

namespace swai::runtime {

template <Machine M>
class DmaChannel {
 public:
  static constexpr unsigned kEntriesLog2 = 5;
  static constexpr uint16_t kEntries = 1u << kEntriesLog2;
  static constexpr uint64_t kRingBytes = kEntries * sizeof(dma::Descriptor);

  DmaChannel(M& machine, unsigned number)
      : machine_(machine), registers_(regs::dma::kBase + number * regs::dma::control::kStride) {}

  // `ring`: SRAM that the engine reaches, kRingBytes, a multiple of 64. The channel begins anew, whatever it
  // did: what is under way ends first, which takes as long as the ring takes to answer. False: it has not
  // ended yet; restart() then.
  [[gnu::cold, gnu::noinline]] bool init(uint64_t ring, unsigned vector) {
    namespace reg = regs::dma;
    constexpr unsigned kLooks = 100;  // each takes some hundred cycles
    ring_ = ring;
    vector_ = vector;
    write<reg::control::kOffset>(reg::control::kClear.mask());
    for (unsigned i = 0; reg::status::kState.get(read<reg::status::kOffset>()) != reg::status::kStateIdle;
         ++i) {
      if (i != kLooks) continue;
      stuck_ = true;
      head_ = static_cast<uint16_t>(tail_ - 1);  // it is not idle
      return false;
    }
    stuck_ = false;
    head_ = tail_ = 0;
    write<reg::ring_base::kOffset>(ring);
    write<reg::ring_size::kOffset>(kEntriesLog2);
    write<reg::vector::kOffset>(vector);
    write<reg::control::kOffset>(reg::control::kEnable.mask() | reg::control::kErrorWork.mask());
    return true;
  }

  uint16_t room() const { return static_cast<uint16_t>(kEntries - static_cast<uint16_t>(tail_ - head_)); }
  bool idle() const { return tail_ == head_; }

  // Puts a descriptor into the ring; the engine hears of it with start(). Returns its number.
  [[gnu::always_inline]] uint16_t push(const dma::Descriptor& descriptor) {
    machine_.put(ring_ + tail_ % kEntries * sizeof descriptor, &descriptor, sizeof descriptor);
    return tail_++;
  }
  [[gnu::always_inline]] void start() {
    machine_.order();
    write<regs::dma::tail::kOffset>(tail_);
  }

  // It has not ended what it did when it was to begin anew: restart() is to be tried again.
  bool stuck() const { return stuck_; }
  // Looks how far the engine is: a read over the ring, so only when its work bit says that it is further.
  void poll() {
    if (!stuck_) head_ = static_cast<uint16_t>(read<regs::dma::head::kOffset>());
  }
  bool done(uint16_t number) const { return static_cast<int16_t>(static_cast<uint16_t>(head_ - number)) > 0; }

  // As init() left it: a reset of the endpoint ends that.
  bool enabled() { return regs::dma::control::kEnable.get(read<regs::dma::control::kOffset>()) != 0; }
  // What stopped the channel; 0: nothing did.
  unsigned error() {
    return static_cast<unsigned>(regs::dma::error::kCause.get(read<regs::dma::error::kOffset>()));
  }
  uint64_t error_address() { return read<regs::dma::error_address::kOffset>(); }
  // After an error, or a reset of the endpoint: everything that was pushed is forgotten.
  bool restart() { return init(ring_, vector_); }

 private:
  template <uint64_t kOffset>
  uint64_t read() {
    return machine_.read(registers_ + kOffset);
  }
  template <uint64_t kOffset>
  void write(uint64_t value) {
    machine_.write(registers_ + kOffset, value);
  }

  M& machine_;
  uint64_t registers_;
  uint64_t ring_ = 0;
  unsigned vector_ = 0;
  uint16_t head_ = 0;
  uint16_t tail_ = 0;
  bool stuck_ = false;
};

}  // namespace swai::runtime
