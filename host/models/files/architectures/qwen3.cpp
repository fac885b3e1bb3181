// SPDX-License-Identifier: Apache-2.0
// Qwen 3: Llama with norms of queries and keys, head by head, in place of biases.
#include "host/models/files/architectures/decoder_tensors.hpp"
#include "host/models/files/architectures/registry.hpp"
#include "host/models/files/decoder/graph.hpp"

namespace swai::models {
namespace {

graph::Tensor layer(DecoderGraph& g, graph::Tensor x) {
  const graph::Tensor mixed = g.attention(g.norm("attention.norm", x), {.head_norms = true, .residual = x});
  return g.gated(g.norm("feed_forward.norm", mixed), {.activation = "silu", .residual = mixed});
}

}  // namespace

const Architecture& qwen3() {
  static const Architecture kQwen3 = {
      .name = "qwen3",
      .gguf = {"qwen3"},
      .hugging_face = {"qwen3"},
      .tensors = decoder_tensors({{layer_norm("attention.norm", "attn_norm", "input_layernorm")},
                                  attention_tensors(Bias::kNone),
                                  head_norm_tensors(),
                                  {layer_norm("feed_forward.norm", "ffn_norm", "post_attention_layernorm")},
                                  gated_tensors()}),
      .decoder = Decoder{.layer = layer, .chat = chat_ml()}};
  return kQwen3;
}

}  // namespace swai::models
