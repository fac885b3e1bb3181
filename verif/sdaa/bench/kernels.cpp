// Kernels that cost little: what is measured is how they are launched, and how data comes to them.
#include "verif/sdaa/bench/kernels.hpp"

#include "swai/cpe.hpp"

using namespace swai::cpe;
using namespace swai::sdaa;

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
  const uint32_t at = word.first() + (number() << word.shift());
  std::byte* const share = free_ldm().data();
  const auto load = dma::load(share, GlobalPtr<std::byte>(word.segment(), at), bytes);
  uint32_t others = launch_mask() >> number();
  std::byte* last_line = share + bytes - kLine;
  uint32_t answer = at + bytes;
  uint32_t line = kLine;
  settle(others);
  settle(last_line);
  settle(answer);
  settle(line);
  dma::wait(load);
  if (others == 1) [[likely]]
    dma::wait(dma::store(GlobalPtr<std::byte>(word.segment(), answer), last_line, line));
}
