// SPDX-License-Identifier: Apache-2.0
// What the processor hands over reaches all CPEs, and a line goes back.
#include "abi/kernel_arguments.hpp"
#include "swai/cpe.hpp"

using namespace swai::cpe;

namespace {

// Few words, so the argument is the words themselves and not where they lie: to read them from memory would
// take each CPE longer than all the rest. What a launch's kind tells is not asked for, either.
template <bool kWhole, bool kLast>
[[gnu::always_inline]] inline void take(const HandoverWord* argument) {
  const HandoverWord word(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(argument)));
  const uint32_t bytes = word.lines() * kLine;
  const GlobalPtr<std::byte> from(word.segment(), word.first() + (kWhole ? 0 : number() * bytes));
  std::byte* const buffer = free_ldm().data() + (kLast ? bytes : 0);
  const uint32_t others = launch_mask() >> number();  // now, as it would take longer behind the waiting
  dma::wait(dma::load(buffer, from, bytes));
  if (kLast && others == 1) {
    const GlobalPtr<std::byte> answer(static_cast<uint16_t>(word.segment() + 1), 0);
    dma::wait(dma::store(answer, buffer + bytes - kLine, kLine));
  }
}

}  // namespace

__kernel__ void hand_over(const HandoverWord* argument) { take<false, false>(argument); }
__kernel__ void hand_over_last(const HandoverWord* argument) { take<false, true>(argument); }
__kernel__ void hand_over_whole(const HandoverWord* argument) { take<true, false>(argument); }
__kernel__ void hand_over_whole_last(const HandoverWord* argument) { take<true, true>(argument); }
