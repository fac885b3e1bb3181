// Kernels that cost little: what is measured is how they are launched, and how data comes to them.
#include "verif/sdaa/bench/kernels.hpp"

#include "swai/cpe.hpp"

using namespace swai::cpe;
using namespace swai::sdaa;

__kernel__ void idle(const IdleArgs*) {}

__kernel__ void take_shares(const TakeSharesArgs* args) {
  constexpr uint32_t kLine = 64;
  const auto bytes = static_cast<uint32_t>(args->bytes) / count();
  std::byte* const share = free_ldm().data();
  dma::wait(dma::load(share, args->from + number() * bytes, bytes));
  if (number() + 1 == count()) dma::wait(dma::store(args->last_line, share + bytes - kLine, kLine));
}
