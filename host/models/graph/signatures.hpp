// SPDX-License-Identifier: Apache-2.0
// The table of operators. How they compute is the business of cpe-kernels/operators.
#pragma once

#include <span>

#include "host/models/graph/signature.hpp"

namespace swai::graph {

std::span<const Signature> signatures();
// What counts when a parameter that is no tensor is not given.
Setting standard_of(const Parameter& parameter);
// Null: there is none of this name.
const Signature* find_signature(const std::string& name);

}  // namespace swai::graph
