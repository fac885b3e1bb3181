// SPDX-License-Identifier: Apache-2.0
// The least that a CPE needs to run launches, for tests and tools that have no other daemon.
#pragma once

#include <array>
#include <cstdint>

namespace swai::iss::cpe {

// To lie at the boot pc.
inline constexpr std::array<uint32_t, 6> kPlainDaemon = {
    0x10020137,  //       lui sp, 0x10020          the end of the local memory
    0x0000028b,  // next: control launch t0
    0x0200050b,  //       control argument a0
    0x000280e7,  //       jalr ra, t0
    0x0400000b,  //       control done
    0xff1ff06f,  //       j next
};

}  // namespace swai::iss::cpe
