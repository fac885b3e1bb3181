// Arguments of the kernel that measurements launch.
#pragma once

#include <cstdint>

#include "swai/global.hpp"

namespace swai::sdaa {

// idle: does nothing with them.
struct IdleArgs {
  cpe::GlobalPtr<uint32_t> to;
  cpe::GlobalPtr<const uint32_t> from;
  uint64_t count;
};

}  // namespace swai::sdaa
