// What softmax takes.
#pragma once

#include "cpe-kernels/operators/common/limits.hpp"

namespace swai::operators {

constexpr Refusal check(const SoftmaxArgs& args) { return check_rows(args); }

}  // namespace swai::operators
