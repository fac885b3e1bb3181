// SPDX-License-Identifier: Apache-2.0
// Tensors that decoders of text have in common.
#pragma once

#include "host/models/files/architectures/architecture.hpp"

namespace swai::models {

// The embedding, the tensors of a layer, the last norm, and the head, which the embedding may stand for.
std::vector<TensorName> decoder_tensors(const std::vector<std::vector<TensorName>>& layer);

// A vector of the model's width in each layer. `gguf` and `hugging_face`: behind the layer's name.
TensorName layer_norm(const std::string& name, const std::string& gguf, const std::string& hugging_face);
// The norms of queries and keys, head by head.
std::vector<TensorName> head_norm_tensors();
// Query, key, value and output of attention; gate, up and down of what follows it.
std::vector<TensorName> attention_tensors(Bias bias);
std::vector<TensorName> gated_tensors();

// ChatML: <|im_start|>ROLE, the text, <|im_end|>.
ChatFormat chat_ml();

}  // namespace swai::models
