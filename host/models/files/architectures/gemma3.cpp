// SPDX-License-Identifier: Apache-2.0
// Gemma 3, as GGUF has it: norms before and after attention and feed-forward, norms of queries and keys,
// GeGLU, an embedding that is scaled, and another rotary base in five of six layers. Those five see the last
// 512 tokens only; contexts are no longer than that here.
#include "host/models/files/architectures/decoder_tensors.hpp"
#include "host/models/files/architectures/registry.hpp"
#include "host/models/files/decoder/graph.hpp"

namespace swai::models {
namespace {

graph::Tensor layer(DecoderGraph& g, graph::Tensor x) {
  const graph::Tensor seen = g.attention(g.norm("attention.norm", x), {.head_norms = true});
  const graph::Tensor mixed = g.add(x, g.norm("attention.post_norm", seen));
  const graph::Tensor inner = g.gated(g.norm("feed_forward.norm", mixed), {.activation = "gelu_tanh"});
  return g.add(mixed, g.norm("feed_forward.post_norm", inner));
}

}  // namespace

const Architecture& gemma3() {
  static const Architecture kGemma3 = {
      .name = "gemma3",
      .gguf = {"gemma3"},
      .tensors = decoder_tensors({{layer_norm("attention.norm", "attn_norm", "")},
                                  attention_tensors(Bias::kNone),
                                  head_norm_tensors(),
                                  {layer_norm("attention.post_norm", "post_attention_norm", "")},
                                  {layer_norm("feed_forward.norm", "ffn_norm", "")},
                                  gated_tensors(),
                                  {layer_norm("feed_forward.post_norm", "post_ffw_norm", "")}}),
      .decoder = Decoder{.standard = {.epsilon = 1e-6, .local_theta = 10'000, .global_every = 6},
                         .scales_embedding = true,
                         .layer = layer,
                         .chat = ChatFormat{.start = "<start_of_turn>",
                                            .end = "<end_of_turn>",
                                            .assistant = "model",
                                            .has_system = false}}};
  return kGemma3;
}

}  // namespace swai::models
