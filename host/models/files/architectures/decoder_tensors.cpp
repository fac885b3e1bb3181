// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/architectures/decoder_tensors.hpp"

namespace swai::models {
namespace {

TensorName in_layer(const std::string& name, const std::string& gguf, const std::string& hugging_face,
                    std::vector<Axis> shape) {
  return {.name = "layer.{}." + name,
          .gguf = "blk.{}." + gguf + ".*",
          .hugging_face = "model.layers.{}." + hugging_face + ".*",
          .shape = std::move(shape)};
}

}  // namespace

TensorName layer_norm(const std::string& name, const std::string& gguf, const std::string& hugging_face) {
  return in_layer(name, gguf, hugging_face, {Axis::kWidth});
}

std::vector<TensorName> head_norm_tensors() {
  return {in_layer("attention.query_norm", "attn_q_norm", "self_attn.q_norm", {Axis::kHead}),
          in_layer("attention.key_norm", "attn_k_norm", "self_attn.k_norm", {Axis::kHead})};
}

std::vector<TensorName> attention_tensors(Bias bias) {
  std::vector<TensorName> all = {
      in_layer("attention.query", "attn_q", "self_attn.q_proj", {Axis::kQueries, Axis::kWidth}),
      in_layer("attention.key", "attn_k", "self_attn.k_proj", {Axis::kKeys, Axis::kWidth}),
      in_layer("attention.value", "attn_v", "self_attn.v_proj", {Axis::kValues, Axis::kWidth}),
      in_layer("attention.output", "attn_output", "self_attn.o_proj", {Axis::kWidth, Axis::kMixed})};
  for (TensorName& one : all) one.bias = bias;
  all[1].sensitive = all[2].sensitive = true;
  return all;
}

std::vector<TensorName> gated_tensors() {
  std::vector<TensorName> all = {
      in_layer("feed_forward.gate", "ffn_gate", "mlp.gate_proj", {Axis::kInner, Axis::kWidth}),
      in_layer("feed_forward.up", "ffn_up", "mlp.up_proj", {Axis::kInner, Axis::kWidth}),
      in_layer("feed_forward.down", "ffn_down", "mlp.down_proj", {Axis::kWidth, Axis::kInner})};
  all[2].sensitive = true;
  return all;
}

std::vector<TensorName> decoder_tensors(const std::vector<std::vector<TensorName>>& layer) {
  std::vector<TensorName> all = {{.name = "embedding",
                                  .gguf = "token_embd.*",
                                  .hugging_face = "model.embed_tokens.*",
                                  .shape = {Axis::kVocabulary, Axis::kWidth}}};
  for (const std::vector<TensorName>& part : layer) all.insert(all.end(), part.begin(), part.end());
  all.push_back(
      {.name = "norm", .gguf = "output_norm.*", .hugging_face = "model.norm.*", .shape = {Axis::kWidth}});
  all.push_back({.name = "head",
                 .gguf = "output.*",
                 .hugging_face = "lm_head.*",
                 .shape = {Axis::kVocabulary, Axis::kWidth},
                 .optional = true,
                 .sensitive = true});
  // By which each frequency of the rotary embedding is divided.
  all.push_back(
      {.name = "rotary.factors", .gguf = "rope_freqs.*", .shape = {Axis::kPairs}, .optional = true});
  return all;
}

ChatFormat chat_ml() { return {.start = "<|im_start|>", .end = "<|im_end|>", .assistant = "assistant"}; }

}  // namespace swai::models
