// SPDX-License-Identifier: Apache-2.0
// What a launch of an empty kernel takes, in ns of the card that is in use.
#pragma once

namespace swai::cli::bench {

struct LaunchCosts {
  double waited_for = 0;  // by the host
  double not_waited_for = 0;
  double inside = 0;  // by a program on the management processor, which waits for it
};

// Throws cli::Error, walk::CardError.
LaunchCosts measure_launch_costs();

}  // namespace swai::cli::bench
