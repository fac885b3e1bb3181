// SPDX-License-Identifier: Apache-2.0
#include "host/models/weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace swai::models {
namespace {

// {}: the number of the layer. *: `weight` or `bias`. @: `gamma` or `beta`. Neither: a tensor without a bias.
struct Row {
  const char* ours;
  const char* first;
  const char* second;
  const char* third;
};

constexpr Row kLlama[] = {
    // GGUF, Hugging Face
    {"embedding", "token_embd.*", "model.embed_tokens.*", ""},
    {"layer.{}.attention.norm", "blk.{}.attn_norm.*", "model.layers.{}.input_layernorm.*", ""},
    {"layer.{}.attention.query", "blk.{}.attn_q.*", "model.layers.{}.self_attn.q_proj.*", ""},
    {"layer.{}.attention.key", "blk.{}.attn_k.*", "model.layers.{}.self_attn.k_proj.*", ""},
    {"layer.{}.attention.value", "blk.{}.attn_v.*", "model.layers.{}.self_attn.v_proj.*", ""},
    {"layer.{}.attention.output", "blk.{}.attn_output.*", "model.layers.{}.self_attn.o_proj.*", ""},
    {"layer.{}.feed_forward.norm", "blk.{}.ffn_norm.*", "model.layers.{}.post_attention_layernorm.*", ""},
    {"layer.{}.feed_forward.gate", "blk.{}.ffn_gate.*", "model.layers.{}.mlp.gate_proj.*", ""},
    {"layer.{}.feed_forward.up", "blk.{}.ffn_up.*", "model.layers.{}.mlp.up_proj.*", ""},
    {"layer.{}.feed_forward.down", "blk.{}.ffn_down.*", "model.layers.{}.mlp.down_proj.*", ""},
    {"norm", "output_norm.*", "model.norm.*", ""},
    {"head", "output.*", "lm_head.*", ""},
    {"rotary.factors", "rope_freqs.*", "", ""},
};

constexpr Row kWhisper[] = {
    // OpenAI and whisper.cpp, Hugging Face, CTranslate2. Its self-attention is one tensor, which the loader
    // has cut.
    {"encoder.conv1", "encoder.conv1.*", "model.encoder.conv1.*", "encoder/conv1/*"},
    {"encoder.conv2", "encoder.conv2.*", "model.encoder.conv2.*", "encoder/conv2/*"},
    {"encoder.positions", "encoder.positional_embedding", "model.encoder.embed_positions.weight",
     "encoder/position_encodings/encodings"},
    {"encoder.norm", "encoder.ln_post.*", "model.encoder.layer_norm.*", "encoder/layer_norm/@"},
    {"decoder.embedding", "decoder.token_embedding.weight", "model.decoder.embed_tokens.weight",
     "decoder/embeddings/weight"},
    {"decoder.positions", "decoder.positional_embedding", "model.decoder.embed_positions.weight",
     "decoder/position_encodings/encodings"},
    {"decoder.norm", "decoder.ln.*", "model.decoder.layer_norm.*", "decoder/layer_norm/@"},
};

// In a layer of Whisper, behind "encoder.layer.{}." and the like.
constexpr Row kWhisperLayer[] = {
    {"attention.norm", "attn_ln.*", "self_attn_layer_norm.*", "self_attention/layer_norm/@"},
    {"attention.query", "attn.query.*", "self_attn.q_proj.*", "self_attention/query/*"},
    {"attention.key", "attn.key.*", "self_attn.k_proj.*", "self_attention/key/*"},
    {"attention.value", "attn.value.*", "self_attn.v_proj.*", "self_attention/value/*"},
    {"attention.output", "attn.out.*", "self_attn.out_proj.*", "self_attention/linear_1/*"},
    {"cross.norm", "cross_attn_ln.*", "encoder_attn_layer_norm.*", "attention/layer_norm/@"},
    {"cross.query", "cross_attn.query.*", "encoder_attn.q_proj.*", "attention/linear_0/*"},
    {"cross.key", "cross_attn.key.*", "encoder_attn.k_proj.*", "attention/key/*"},
    {"cross.value", "cross_attn.value.*", "encoder_attn.v_proj.*", "attention/value/*"},
    {"cross.output", "cross_attn.out.*", "encoder_attn.out_proj.*", "attention/linear_2/*"},
    {"feed_forward.norm", "mlp_ln.*", "final_layer_norm.*", "ffn/layer_norm/@"},
    {"feed_forward.up", "mlp.0.*", "fc1.*", "ffn/linear_0/*"},
    {"feed_forward.down", "mlp.2.*", "fc2.*", "ffn/linear_1/*"},
};

void replace(std::string& text, std::string_view what, std::string_view by) {
  if (const size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), by);
}

const char* column(const Row& row, Naming naming) {
  switch (naming) {
    case Naming::kGguf:
    case Naming::kOpenAi:
      return row.first;
    case Naming::kHuggingFaceLlama:
    case Naming::kHuggingFaceWhisper:
      return row.second;
    case Naming::kCTranslate2:
      break;
  }
  return row.third;
}

std::string whole_name(std::string pattern, std::string_view layer, bool bias) {
  replace(pattern, "{}", layer);
  replace(pattern, "*", bias ? "bias" : "weight");
  replace(pattern, "@", bias ? "beta" : "gamma");
  return pattern;
}

std::string layer_prefix(Naming naming, bool encoder) {
  const std::string side = encoder ? "encoder" : "decoder";
  switch (naming) {
    case Naming::kOpenAi:
      return side + ".blocks.{}.";
    case Naming::kHuggingFaceWhisper:
      return "model." + side + ".layers.{}.";
    default:
      return side + "/layer_{}/";
  }
}

Shape without_ones(const Shape& shape) {
  Shape rest;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(rest), [](uint64_t size) { return size != 1; });
  return rest;
}

}  // namespace

std::string name_in_file(Naming naming, std::string_view name) {
  std::string pattern(name);
  const bool bias = pattern.ends_with(".bias");
  if (bias) pattern.resize(pattern.size() - 5);
  std::string layer;
  if (const size_t at = pattern.find("layer."); at != std::string::npos) {
    const size_t from = at + 6;
    const size_t to = pattern.find('.', from);
    layer = pattern.substr(from, to - from);
    pattern.replace(from, to - from, "{}");
  }
  const bool llama = naming == Naming::kGguf || naming == Naming::kHuggingFaceLlama;
  const std::string_view within = "coder.layer.{}.";
  const size_t at = llama ? std::string::npos : pattern.find(within);
  const std::string wanted = at == std::string::npos ? pattern : pattern.substr(at + within.size());
  const auto look = [&](const auto& rows) -> std::string {
    for (const Row& row : rows)
      if (wanted == row.ours) return column(row, naming);
    return {};
  };
  if (llama) return whole_name(look(kLlama), layer, bias);
  if (at == std::string::npos) return whole_name(look(kWhisper), layer, bias);
  return whole_name(layer_prefix(naming, pattern.starts_with("encoder")) + look(kWhisperLayer), layer, bias);
}

void Weights::add(Tensor tensor) {
  const auto bytes = bytes_of(tensor.element, tensor.shape);
  const std::string name = tensor.name;
  if (!bytes)
    refuse(
        path_,
        fmt::format("tensor '{}' is said to have {} values of type {}, which cannot be; the file is damaged",
                    name, shape_text(tensor.shape), info(tensor.element).name));
  if (*bytes != tensor.data.size())
    refuse(path_, fmt::format(
                      "tensor '{}' of {} {} values takes {} bytes, and {} are given; the file is damaged",
                      name, shape_text(tensor.shape), info(tensor.element).name, *bytes, tensor.data.size()));
  if (!all_.emplace(name, std::move(tensor)).second)
    refuse(path_, fmt::format("has tensor '{}' twice; the file is damaged", name));
}

const Tensor* Weights::find(std::string_view name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? nullptr : &found->second;
}

void Weights::drop(std::string_view name) {
  if (const auto found = all_.find(name); found != all_.end()) all_.erase(found);
}

Tensor Weights::take(std::string_view name) { return std::move(all_.extract(all_.find(name)).mapped()); }

void Weights::move_to(Model& model, Naming naming) {
  const std::vector<Expected> expected =
      std::visit([](const auto& shape) { return expected_tensors(shape); }, model.shape);
  for (const Expected& one : expected) {
    const std::string name = name_in_file(naming, one.name);
    if (find(name) == nullptr) {
      if (one.optional) continue;
      refuse(path_, fmt::format("has no tensor '{}' ({}); the file is not complete, fetch it again", name,
                                one.name));
    }
    Tensor tensor = take(name);
    // whisper.cpp writes biases as matrices of one row.
    if (without_ones(tensor.shape) != without_ones(one.shape))
      refuse(path_,
             fmt::format("tensor '{}' has the shape {}, not {} as the file's own numbers say; it is damaged",
                         name, shape_text(tensor.shape), shape_text(one.shape)));
    tensor.name = one.name;
    tensor.shape = one.shape;
    model.tensors.push_back(std::move(tensor));
  }
  if (!all_.empty())
    refuse(path_,
           fmt::format("has tensor '{}', which is no part of such a model: its architecture is another one, "
                       "which is not supported",
                       all_.begin()->first));
}

}  // namespace swai::models
