// SPDX-License-Identifier: Apache-2.0
#include "cpe-kernels/operators/linear/steps.hpp"

#include "swai/ldm.hpp"

namespace swai::operators {

LDM Ahead ahead;

}  // namespace swai::operators
