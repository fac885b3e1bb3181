// SPDX-License-Identifier: Apache-2.0
// Calculation with sizes that may fail: where a size has no form, it is unknown.
#pragma once

#include <optional>

#include "host/models/graph/size.hpp"

namespace swai::onnx {

template <typename Function>
std::optional<graph::Size> calculated(Function function) {
  try {
    return function();
  } catch (const graph::SizeError&) {
    return std::nullopt;
  }
}

// a / b, if that is a sum of products of symbols again.
std::optional<graph::Size> divided(const graph::Size& a, const graph::Size& b);

}  // namespace swai::onnx
