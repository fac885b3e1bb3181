// SPDX-License-Identifier: Apache-2.0
// Patterns of small operators, and the operator that each becomes. A match returns what replaces the
// pattern's last node.
#pragma once

#include "host/models/onnx/rewrite.hpp"

namespace swai::onnx {

using Match = std::optional<Node>;

// Reshape with a calculated shape -> with a constant; two Reshape or two Transpose -> one.
Match match_reshape(Matcher& matcher, const Node& node);
// Two Slice along different axes -> one.
Match match_slices(Matcher& matcher, const Node& node);
// ReduceMean, Sub, Pow, ReduceMean, Add, Sqrt, Div, Mul, Add and their variants -> LayerNormalization.
Match match_layer_norm(Matcher& matcher, const Node& node);
// Pow, ReduceMean, Add, Sqrt, Div, Mul and their variants -> RMSNormalization.
Match match_rms_norm(Matcher& matcher, const Node& node);
// Products of x and Erf, Tanh, Sigmoid or 1 / (1 + Exp) -> Gelu or Swish.
Match match_activation(Matcher& matcher, const Node& node);
// MatMul, Mul or Div, Add, Softmax, MatMul, with the heads' Reshape and Transpose -> Attention.
Match match_attention(Matcher& matcher, const Node& node);
// x * cos + turned(x) * sin -> RotaryEmbedding.
Match match_rotary(Matcher& matcher, const Node& node);
// MatMulInteger, Cast, Mul, Add, or MatMul of DequantizeLinear -> MatMulIntegerToFloat.
Match match_quantized(Matcher& matcher, const Node& node);
// Conv, Add -> Conv.
Match match_conv_bias(Matcher& matcher, const Node& node);

}  // namespace swai::onnx
