// SPDX-License-Identifier: Apache-2.0
// How long something may take before it is called off, in the card's time and in ours.
#pragma once

#include <chrono>
#include <cstdint>

namespace swai::sdaa {

struct Limits {
  uint64_t boot_cycles = 50'000'000;
  uint64_t request_cycles = 20'000'000;
  uint64_t wait_cycles = uint64_t{1} << 34;  // without anything having become complete
  // The card does not answer, or its time stands still. A job that takes longer on a slow machine is none of
  // these.
  std::chrono::milliseconds real{600'000};
  // Then it is told what is waited for.
  std::chrono::milliseconds silent{5'000};
  // Of a launch that names no limit of its own; 0: the firmware's.
  uint32_t launch_cycles = 0;
  // The card sleeps and nothing is left to do: only another thread could still change something.
  std::chrono::milliseconds asleep{10'000};
};

}  // namespace swai::sdaa
