// Logits of columns that cannot be chosen.
#pragma once

#include "cpe-kernels/operators/common/stream.hpp"

namespace swai::operators {

inline constexpr uint32_t kNothing = 0xff80'0000;  // -infinity

class Nothing {
 public:
  explicit Nothing(Arena& arena) : logits_(arena.take<uint32_t>(kAtOnce * 4)) {
    for (uint32_t i = 0; i < kAtOnce; ++i) logits_[i] = kNothing;
  }
  void store(GlobalPtr<void> to, uint32_t columns) {
    for (uint32_t first = 0; first < columns; first += kAtOnce)
      stored_ =
          dma::store(to.plus_bytes(int64_t{first} * 4), logits_, std::min(kAtOnce, columns - first) * 4);
  }
  void wait() const { dma::wait(stored_); }

 private:
  static constexpr uint32_t kAtOnce = 512;

  uint32_t* logits_;
  dma::Ticket stored_ = {};
};

}  // namespace swai::operators
