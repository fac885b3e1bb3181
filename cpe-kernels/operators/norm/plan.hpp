// SPDX-License-Identifier: Apache-2.0
// What norms take. Rows of other lengths than kMaxRow need an operator of their own.
#pragma once

#include "cpe-kernels/operators/common/limits.hpp"

namespace swai::operators {

constexpr Refusal check(const NormArgs& args) { return check_rows(args); }

}  // namespace swai::operators
