// SPDX-License-Identifier: Apache-2.0
// Logits of columns that cannot be chosen.
#pragma once

#include <bit>

#include "cpe-kernels/operators/common/stream.hpp"

namespace swai::operators {

inline constexpr uint32_t kNothing = 0xff80'0000;  // -infinity

// Logits in local memory from a multiple of 8 on. The vector unit's size and operands are others then.
inline vector::Ticket fill_with_nothing(float* logits, uint32_t columns) {
  vector::a(vector::value(std::bit_cast<float>(kNothing)));
  vector::b(vector::value(1));
  vector::result(logits);
  vector::size(columns);
  return vector::run(vector::Op::kMul);
}

class Nothing {
 public:
  explicit Nothing(Arena& arena) : logits_(arena.take<float>(kAtOnce * 4)) {
    vector::wait(fill_with_nothing(logits_, kAtOnce));
  }
  void store(GlobalPtr<void> to, uint32_t columns) {
    for (uint32_t first = 0; first < columns; first += kAtOnce)
      stored_ =
          dma::store(to.plus_bytes(int64_t{first} * 4), logits_, std::min(kAtOnce, columns - first) * 4);
  }
  void wait() const { dma::wait(stored_); }

 private:
  static constexpr uint32_t kAtOnce = 512;

  float* logits_;
  dma::Ticket stored_ = {};
};

}  // namespace swai::operators
