// SPDX-License-Identifier: Apache-2.0
// How each operator becomes nodes of the card's list. Each throws GraphError for what the card cannot do.
#pragma once

#include "host/models/graph/emitter.hpp"

namespace swai::graph::writers {

void add(Emitter& out);
void multiply(Emitter& out);
void relu(Emitter& out);
void silu(Emitter& out);
void gelu(Emitter& out);
void cast(Emitter& out);
void layer_norm(Emitter& out);
void rms_norm(Emitter& out);
void softmax(Emitter& out);
void log_softmax(Emitter& out);
void embedding(Emitter& out);
void rotary(Emitter& out);
void linear(Emitter& out);
void matmul(Emitter& out);
void linear_row(Emitter& out);
void convolution(Emitter& out);
void attention(Emitter& out);
void quantise(Emitter& out);
void dequantise(Emitter& out);
void transpose(Emitter& out);
void argmax(Emitter& out);
void sample(Emitter& out);
void penalise(Emitter& out);
void mask(Emitter& out);
void prefer_group(Emitter& out);
void top_k(Emitter& out);
void copy(Emitter& out);
void slice(Emitter& out);
void extend(Emitter& out);
void place(Emitter& out);
void concat(Emitter& out);

// What they need while they run.
Size attention_workspace(const Use& use);
Size argmax_workspace(const Use& use);
Size sample_workspace(const Use& use);
Size softmax_workspace(const Use& use);
Size prefer_group_workspace(const Use& use);
Size top_k_workspace(const Use& use);

}  // namespace swai::graph::writers
