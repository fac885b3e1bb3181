// SPDX-License-Identifier: Apache-2.0
// Llama, and what computes like it: Mistral, SmolLM2, llama2.c's stories. RMS norm, rotary embedding, queries
// that share keys, SwiGLU.
#include "host/models/files/architectures/decoder_tensors.hpp"
#include "host/models/files/architectures/registry.hpp"
#include "host/models/files/decoder/graph.hpp"

namespace swai::models {
namespace {

graph::Tensor layer(DecoderGraph& g, graph::Tensor x) {
  const graph::Tensor mixed = g.attention(g.norm("attention.norm", x), {.residual = x});
  return g.gated(g.norm("feed_forward.norm", mixed), {.activation = "silu", .residual = mixed});
}

}  // namespace

const Architecture& llama() {
  static const Architecture kLlama = {
      .name = "llama",
      .gguf = {"llama"},
      .hugging_face = {"llama", "mistral"},
      .tensors = decoder_tensors({{layer_norm("attention.norm", "attn_norm", "input_layernorm")},
                                  attention_tensors(Bias::kOptional),
                                  {layer_norm("feed_forward.norm", "ffn_norm", "post_attention_layernorm")},
                                  gated_tensors()}),
      .decoder = Decoder{.gguf_rotation = Rotation::kNeighbours, .layer = layer, .chat = chat_ml()}};
  return kLlama;
}

}  // namespace swai::models
