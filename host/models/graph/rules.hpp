// SPDX-License-Identifier: Apache-2.0
// What operators take, and the types of what they make. Each throws GraphError for what it does not take.
#pragma once

#include "host/models/graph/use.hpp"

namespace swai::graph::rules {

std::vector<Type> as_operand(const Use& use);
std::vector<Type> cast(const Use& use);
std::vector<Type> embedding(const Use& use);
std::vector<Type> linear(const Use& use);
std::vector<Type> matmul(const Use& use);
std::vector<Type> linear_row(const Use& use);
std::vector<Type> norm(const Use& use);
std::vector<Type> rms_norm(const Use& use);
std::vector<Type> rotary(const Use& use);
std::vector<Type> attention(const Use& use);
std::vector<Type> extend(const Use& use);
std::vector<Type> place(const Use& use);
std::vector<Type> pairwise(const Use& use);
std::vector<Type> argmax(const Use& use);
std::vector<Type> sample(const Use& use);
std::vector<Type> penalise(const Use& use);
std::vector<Type> mask(const Use& use);
std::vector<Type> prefer_group(const Use& use);
std::vector<Type> top_k(const Use& use);
std::vector<Type> convolution(const Use& use);
std::vector<Type> transpose(const Use& use);
std::vector<Type> concat(const Use& use);
std::vector<Type> slice(const Use& use);
std::vector<Type> quantise(const Use& use);
std::vector<Type> dequantise(const Use& use);
std::vector<Type> copy(const Use& use);

}  // namespace swai::graph::rules
