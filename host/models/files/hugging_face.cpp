// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "host/models/files/architectures/registry.hpp"
#include "host/models/files/json_file.hpp"
#include "host/models/files/loaders.hpp"

namespace swai::models {
namespace {

constexpr double kMostTheta = 1e12;

// Newer files have rope_parameters with the base in it.
RotaryScaling read_scaling(const JsonFile& from) {
  RotaryScaling scaling;
  const std::string kind = from.text_or("rope_type", from.text_or("type", "default"));
  if (kind == "default") return scaling;
  scaling.factor = from.number_or("factor", 1, 1e6, 1);
  if (kind == "linear") {
    scaling.kind = RotaryScaling::kLinear;
  } else if (kind == "llama3") {
    scaling.kind = RotaryScaling::kLlama3;
    scaling.low = from.number_or("low_freq_factor", 1e-3, 1e6, 1);
    scaling.high = from.number_or("high_freq_factor", 1e-3, 1e6, 4);
    scaling.original_context = from.number_or("original_max_position_embeddings", 1, kMostContext, 8192);
    if (!(scaling.high > scaling.low))
      refuse(from.path(), "high_freq_factor is not above low_freq_factor; the file is damaged");
  } else {
    refuse(from.path(), fmt::format("scales its rotary embedding by '{}', which is not supported", kind));
  }
  return scaling;
}

DecoderShape decoder_shape(const JsonFile& config, const Decoder& decoder) {
  DecoderShape shape = decoder.standard;
  shape.width = config.count("hidden_size", 1, kMostWidth);
  shape.inner = config.count("intermediate_size", 1, kMostInner);
  shape.layers = config.count("num_hidden_layers", 1, kMostLayers);
  shape.heads = config.count("num_attention_heads", 1, kMostHeads);
  shape.kv_heads = config.count_or("num_key_value_heads", 1, kMostHeads, shape.heads);
  shape.head_width = config.count_or("head_dim", 1, kMostWidth, std::max(shape.width / shape.heads, 1U));
  shape.vocabulary = config.count("vocab_size", 1, kMostVocabulary);
  shape.context = config.count_or("max_position_embeddings", 1, kMostContext, 2048);
  // Within its window attention is attention.
  if (config.flag_or("use_sliding_window", true))
    shape.context =
        std::min(shape.context, config.count_or("sliding_window", 1, kMostContext, shape.context));
  shape.epsilon = config.number_or("rms_norm_eps", 0, 1, 1e-6);
  shape.rope_theta = config.number_or("rope_theta", 1, kMostTheta, 10000);
  shape.rotation = Rotation::kHalves;
  for (const char* const key : {"rope_scaling", "rope_parameters"}) {
    if (const auto rope = config.object(key)) {
      shape.scaling = read_scaling(*rope);
      shape.rope_theta = rope->number_or("rope_theta", 1, kMostTheta, shape.rope_theta);
    }
  }
  if (const std::string act = config.text_or("hidden_act", decoder.activation); act != decoder.activation)
    refuse(config.path(),
           fmt::format("has the activation '{}'; only {} is supported", act, decoder.activation));
  check_shape(config.path(), shape);
  return shape;
}

WhisperShape whisper_shape(const JsonFile& config) {
  WhisperShape shape;
  shape.mels = config.count("num_mel_bins", 1, kMostMels);
  shape.width = config.count("d_model", 1, kMostWidth);
  shape.inner = config.count("encoder_ffn_dim", 1, kMostInner);
  shape.audio_context = config.count("max_source_positions", 1, kMostContext);
  shape.audio_layers = config.count("encoder_layers", 1, kMostLayers);
  shape.audio_heads = config.count("encoder_attention_heads", 1, kMostHeads);
  shape.text_context = config.count("max_target_positions", 1, kMostContext);
  shape.text_layers = config.count("decoder_layers", 1, kMostLayers);
  shape.text_heads = config.count("decoder_attention_heads", 1, kMostHeads);
  shape.vocabulary = config.count("vocab_size", 1, kMostVocabulary);
  if (config.count("decoder_ffn_dim", 1, kMostInner) != shape.inner)
    refuse(config.path(), "encoder and decoder have feed-forward layers of two sizes, which Whisper has not");
  if (const std::string act = config.text_or("activation_function", "gelu"); act != "gelu")
    refuse(config.path(), fmt::format("has the activation '{}'; Whisper has gelu", act));
  if (config.flag_or("scale_embedding", false))
    refuse(config.path(), "scales its embedding, which is not supported");
  check_shape(config.path(), shape);
  return shape;
}

SharedBytes needed(const std::string& folder, const Siblings& siblings, const std::string& name) {
  SharedBytes file = siblings(name);
  if (!file) refuse(folder, fmt::format("has no {}; fetch the whole folder", name));
  return file;
}

// One file, or several that an index names.
void read_weights(const std::string& folder, const Siblings& siblings, Weights& weights, Model& model) {
  const auto read = [&](const std::string& name) {
    model.files.push_back(needed(folder, siblings, name));
    add_tensors(read_safetensors(*model.files.back()), weights);
  };
  const SharedBytes list = siblings("model.safetensors.index.json");
  if (!list) return read("model.safetensors");
  const auto map = JsonFile(list->path(), list->text()).object("weight_map");
  if (!map) refuse(list->path(), "has no weight_map; fetch it again");
  std::set<std::string> names;
  for (const auto& [tensor, name] : map->root().items()) {
    if (!name.is_string()) refuse(list->path(), fmt::format("does not name the file of tensor '{}'", tensor));
    names.insert(name.get<std::string>());
  }
  for (const std::string& name : names) {
    // It must not lead out of the folder.
    if (name.empty() || name.starts_with('.') || name.find('/') != std::string::npos)
      refuse(list->path(), fmt::format("names the file '{}', which is not one of this folder", name));
    read(name);
  }
}

}  // namespace

Model load_hugging_face(const std::string& folder, const Siblings& siblings) {
  const SharedBytes text = needed(folder, siblings, "config.json");
  const JsonFile config(text->path(), text->text());
  const std::string kind = config.text_or("model_type", "");
  Model model;
  model.path = folder;
  model.format = "safetensors";
  Weights weights(folder);
  uint32_t tokens = 0;
  model.architecture = architecture_of_hugging_face(kind);
  if (model.architecture == nullptr) {
    refuse(config.path(),
           fmt::format("describes a model of type '{}'; supported are {}", kind, hugging_face_kinds()));
  }
  if (model.architecture->decoder) {
    const DecoderShape shape = decoder_shape(config, *model.architecture->decoder);
    model.shape = shape;
    tokens = shape.vocabulary;
    read_weights(folder, siblings, weights, model);
    weights.drop_if([](const std::string& name) { return name.ends_with(".rotary_emb.inv_freq"); });
    if (config.flag_or("tie_word_embeddings", false)) {
      weights.drop("lm_head.weight");
    } else if (weights.find("lm_head.weight") == nullptr) {
      refuse(folder, "has no tensor 'lm_head.weight', and config.json does not tie it to the embedding");
    }
    weights.move_to(model, Naming::kHuggingFace);
  } else {
    const WhisperShape shape = whisper_shape(config);
    model.shape = shape;
    tokens = shape.vocabulary;
    read_weights(folder, siblings, weights, model);
    weights.drop("proj_out.weight");  // the embedding once more
    weights.move_to(model, Naming::kHuggingFace);
    if (const auto training = config.object("trained_for"))
      model.training = {training->text_or("only", ""), training->flag_or("short_windows", false)};
  }
  if (const SharedBytes file = siblings("tokenizer.json"))
    model.vocabulary = read_tokenizer_json(*file, tokens);
  return model;
}

}  // namespace swai::models
