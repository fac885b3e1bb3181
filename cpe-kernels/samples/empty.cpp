// SPDX-License-Identifier: Apache-2.0
// Nothing: what a launch costs.
#include "swai/cpe.hpp"

__kernel__ void empty() {}
