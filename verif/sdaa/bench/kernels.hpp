// Arguments of the kernel that measurements launch.
#pragma once

#include <cstdint>

#include "abi/global_ptr.hpp"

namespace swai::sdaa {

// idle: does nothing with them.
struct IdleArgs {
  cpe::GlobalPtr<uint32_t> to;
  cpe::GlobalPtr<const uint32_t> from;
  uint64_t count;
};

}  // namespace swai::sdaa
