// SPDX-License-Identifier: Apache-2.0
// Softmax and its logarithm of rows that do not fit into local memory.
#pragma once

#include "operators.hpp"

namespace swai::operators {

void long_softmax(const SoftmaxArgs& args, bool logarithm);

}  // namespace swai::operators
