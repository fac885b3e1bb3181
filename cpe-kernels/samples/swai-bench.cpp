// SPDX-License-Identifier: Apache-2.0
// Three parameters and nothing to do.
#include "swai/cpe.hpp"

using namespace swai::cpe;

__global__ void empty(GlobalPtr<uint32_t>, GlobalPtr<const uint32_t>, uint32_t) {}
