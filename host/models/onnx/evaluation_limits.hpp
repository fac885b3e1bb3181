// SPDX-License-Identifier: Apache-2.0
// What the evaluator refuses: inputs that do not fit, and work beyond its limits.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace swai::onnx {

// The inputs do not fit the operator; what() is the cause.
class EvaluationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct EvaluationLimits {
  int64_t max_elements = int64_t{1} << 28;  // of one result
  int64_t max_work = int64_t{1} << 36;      // multiplications of one node
};

}  // namespace swai::onnx
