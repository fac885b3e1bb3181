// SPDX-License-Identifier: Apache-2.0
// The part of the device memory that is the kernel's own: the host is kept out, no segment covers it, and it
// is not poisoned on request.
#pragma once

#include <cstdint>

namespace swai::boot {

// From the beginning of group 0's memory.
inline constexpr uint64_t kKernelMemoryBytes = uint64_t{80} << 20;

}  // namespace swai::boot
