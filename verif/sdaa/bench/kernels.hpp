// Arguments of the kernels that measurements launch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/global_ptr.hpp"

namespace swai::sdaa {

// idle: does nothing with them.
struct IdleArgs {
  cpe::GlobalPtr<uint32_t> to;
  cpe::GlobalPtr<const uint32_t> from;
  uint64_t count;
};

// take_shares: each core takes its share of the bytes, and the last one stores its last line.
struct TakeSharesArgs {
  cpe::GlobalPtr<const std::byte> from;
  cpe::GlobalPtr<std::byte> last_line;
  uint64_t bytes;
};

}  // namespace swai::sdaa
