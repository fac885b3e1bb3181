// What the processor hands over reaches all CPEs, and a line goes back.
#include "swai/arguments.hpp"
#include "swai/cpe.hpp"

using namespace swai::cpe;

// Few words, so the argument is the words themselves and not where they lie: to read them from memory would
// take each CPE longer than all the rest.
__kernel__ void handover(const HandoverWord* argument) {
  const HandoverWord word(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(argument)));
  const GlobalPtr<std::byte> block(word.segment(), 0);
  const uint32_t bytes = word.lines() * kLine;
  const uint32_t first = word.whole() ? 0 : rank() * bytes;
  std::byte* const buffer = free_ldm().data();
  dma::wait(dma::load(buffer, block.plus_bytes(HandoverWord::kData + first), bytes));
  if (rank() + 1 == count()) dma::wait(dma::store(block, buffer + bytes - kLine, kLine));
}
