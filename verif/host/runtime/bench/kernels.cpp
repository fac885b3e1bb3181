// SPDX-License-Identifier: Apache-2.0
// Kernels that cost little: what is measured is how they are launched, and how data comes to them.
#include "verif/host/runtime/bench/kernels.hpp"

#include "abi/program.hpp"
#include "swai/cpe.hpp"
#include "verif/host/runtime/programs/timed.hpp"

using namespace swai::cpe;
using namespace swai::sdaa;
namespace timed = swai::timed;

__kernel__ void idle(const IdleArgs*) {}

// That is worked out now.
template <typename T>
[[gnu::always_inline]] inline void settle(T& value) {
  asm volatile("" : "+r"(value));
}

// What is needed behind the waiting is there before it, as it would take longer there.
__kernel__ void take_shares(const SharesWord* argument) {
  constexpr uint32_t kLine = 64;
  const SharesWord word(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(argument)));
  const uint32_t bytes = 1U << word.shift();
  const uint32_t at = word.first() + (row_number() << word.row_shift()) + (column_number() << word.shift());
  std::byte* const share = free_ldm().data();
  const auto load = dma::load(share, GlobalPtr<std::byte>(word.segment(), at), bytes);
  uint32_t others = launch_mask() >> number();
  std::byte* last_line = share + bytes - kLine;
  uint64_t answer = word.is_beside() ? swai::program::kAnswerPointer + timed::kBeside
                                     : swai::segment::pointer(word.segment(), at + bytes);
  uint32_t line = kLine;
  settle(others);
  settle(last_line);
  settle(answer);
  settle(line);
  // Who does not answer has nothing to do behind it.
  if (others != 1) return dma::wait(load);
  dma::wait(load);
  dma::wait(dma::store(GlobalPtr<std::byte>(answer), last_line, line));
}
