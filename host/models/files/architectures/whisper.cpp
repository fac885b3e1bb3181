// SPDX-License-Identifier: Apache-2.0
// Whisper: an encoder of sound, and a decoder of text that sees what it made. host/models/speech has its
// graphs.
#include "host/models/files/architectures/registry.hpp"

namespace swai::models {
namespace {

// In a layer, after "encoder.layer.{}." and the like.
struct InLayer {
  const char* name;
  const char* openai;
  const char* hugging_face;
  const char* ctranslate2;  // its self-attention is one tensor, which the loader has cut
  std::vector<Axis> shape;
  Bias bias = Bias::kNeeded;
};

const std::vector<Axis> kNorm = {Axis::kWidth}, kSquare = {Axis::kWidth, Axis::kWidth};

std::vector<InLayer> attention(const std::string& name) {
  if (name == "cross") {
    return {{"cross.norm", "cross_attn_ln.*", "encoder_attn_layer_norm.*", "attention/layer_norm/@", kNorm},
            {"cross.query", "cross_attn.query.*", "encoder_attn.q_proj.*", "attention/linear_0/*", kSquare},
            // Keys have no bias; some files hold one of zeros.
            {"cross.key", "cross_attn.key.*", "encoder_attn.k_proj.*", "attention/key/*", kSquare,
             Bias::kOptional},
            {"cross.value", "cross_attn.value.*", "encoder_attn.v_proj.*", "attention/value/*", kSquare},
            {"cross.output", "cross_attn.out.*", "encoder_attn.out_proj.*", "attention/linear_2/*", kSquare}};
  }
  return {
      {"attention.norm", "attn_ln.*", "self_attn_layer_norm.*", "self_attention/layer_norm/@", kNorm},
      {"attention.query", "attn.query.*", "self_attn.q_proj.*", "self_attention/query/*", kSquare},
      {"attention.key", "attn.key.*", "self_attn.k_proj.*", "self_attention/key/*", kSquare, Bias::kOptional},
      {"attention.value", "attn.value.*", "self_attn.v_proj.*", "self_attention/value/*", kSquare},
      {"attention.output", "attn.out.*", "self_attn.out_proj.*", "self_attention/linear_1/*", kSquare}};
}

std::vector<InLayer> feed_forward() {
  return {{"feed_forward.norm", "mlp_ln.*", "final_layer_norm.*", "ffn/layer_norm/@", kNorm},
          {"feed_forward.up", "mlp.0.*", "fc1.*", "ffn/linear_0/*", {Axis::kInner, Axis::kWidth}},
          {"feed_forward.down", "mlp.2.*", "fc2.*", "ffn/linear_1/*", {Axis::kWidth, Axis::kInner}}};
}

std::vector<TensorName> tensors() {
  std::vector<TensorName> all = {{.name = "encoder.conv1",
                                  .hugging_face = "model.encoder.conv1.*",
                                  .openai = "encoder.conv1.*",
                                  .ctranslate2 = "encoder/conv1/*",
                                  .shape = {Axis::kWidth, Axis::kMels, Axis::kTaps},
                                  .bias = Bias::kNeeded},
                                 {.name = "encoder.conv2",
                                  .hugging_face = "model.encoder.conv2.*",
                                  .openai = "encoder.conv2.*",
                                  .ctranslate2 = "encoder/conv2/*",
                                  .shape = {Axis::kWidth, Axis::kWidth, Axis::kTaps},
                                  .bias = Bias::kNeeded},
                                 {.name = "encoder.positions",
                                  .hugging_face = "model.encoder.embed_positions.weight",
                                  .openai = "encoder.positional_embedding",
                                  .ctranslate2 = "encoder/position_encodings/encodings",
                                  .shape = {Axis::kAudioContext, Axis::kWidth}}};
  const auto layers = [&](const std::string& side, const std::vector<std::vector<InLayer>>& parts) {
    for (const std::vector<InLayer>& part : parts) {
      for (const InLayer& one : part) {
        all.push_back({.name = side + ".layer.{}." + one.name,
                       .hugging_face = "model." + side + ".layers.{}." + one.hugging_face,
                       .openai = side + ".blocks.{}." + one.openai,
                       .ctranslate2 = side + "/layer_{}/" + one.ctranslate2,
                       .shape = one.shape,
                       .bias = one.bias});
      }
    }
  };
  const auto norm = [&](const std::string& side, const std::string& openai) {
    all.push_back({.name = side + ".norm",
                   .hugging_face = "model." + side + ".layer_norm.*",
                   .openai = openai,
                   .ctranslate2 = side + "/layer_norm/@",
                   .shape = kNorm,
                   .bias = Bias::kNeeded});
  };
  layers("encoder", {attention("attention"), feed_forward()});
  norm("encoder", "encoder.ln_post.*");
  all.push_back({.name = "decoder.embedding",
                 .hugging_face = "model.decoder.embed_tokens.weight",
                 .openai = "decoder.token_embedding.weight",
                 .ctranslate2 = "decoder/embeddings/weight",
                 .shape = {Axis::kVocabulary, Axis::kWidth}});
  all.push_back({.name = "decoder.positions",
                 .hugging_face = "model.decoder.embed_positions.weight",
                 .openai = "decoder.positional_embedding",
                 .ctranslate2 = "decoder/position_encodings/encodings",
                 .shape = {Axis::kTextContext, Axis::kWidth}});
  layers("decoder", {attention("attention"), attention("cross"), feed_forward()});
  norm("decoder", "decoder.ln.*");
  return all;
}

}  // namespace

const Architecture& whisper() {
  static const Architecture kWhisper = {.name = "whisper", .hugging_face = {"whisper"}, .tensors = tensors()};
  return kWhisper;
}

}  // namespace swai::models
