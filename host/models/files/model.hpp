// SPDX-License-Identifier: Apache-2.0
// A model as all loaders describe it, whatever file it came from: what it is, its numbers, and its weights
// under one set of names. docs/use/models.md lists the names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/models/files/file_bytes.hpp"
#include "host/models/files/tensor.hpp"
#include "host/models/files/vocabulary.hpp"

namespace swai::models {

// Which channels of a head rotate together: neighbours (2j, 2j + 1), or halves (j, j + half).
enum class Rotation : uint8_t { kNeighbours, kHalves };

// Frequencies of the rotary embedding for contexts longer than those of training.
struct RotaryScaling {
  enum Kind : uint8_t { kNone, kLinear, kLlama3 } kind = kNone;
  double factor = 1;
  double low = 1;
  double high = 4;
  double original_context = 0;
};

// A decoder of text: RMS norm, rotary embedding, grouped queries.
struct DecoderShape {
  uint32_t width = 0;
  uint32_t inner = 0;
  uint32_t layers = 0;
  uint32_t heads = 0;
  uint32_t kv_heads = 0;
  uint32_t head_width = 0;
  uint32_t vocabulary = 0;
  uint32_t context = 0;
  double epsilon = 1e-5;
  double rope_theta = 10000;
  Rotation rotation = Rotation::kNeighbours;
  RotaryScaling scaling;
  // Layers that rotate by another base than each `global_every`th: 0, all rotate alike.
  double local_theta = 0;
  uint32_t global_every = 0;
};

// Encoder of sound and decoder of text.
struct WhisperShape {
  uint32_t mels = 0;
  uint32_t width = 0;
  uint32_t inner = 0;
  uint32_t audio_context = 0;
  uint32_t audio_layers = 0;
  uint32_t audio_heads = 0;
  uint32_t text_context = 0;
  uint32_t text_layers = 0;
  uint32_t text_heads = 0;
  uint32_t vocabulary = 0;
};

// What a folder of ours says about how its model was trained (models/digits/spread.py).
struct Training {
  std::string only;            // what it knows, if not whatever people say: "spoken digits"
  bool short_windows = false;  // windows of sound that are shorter than its context are as good
};

using AnyShape = std::variant<DecoderShape, WhisperShape>;

struct Architecture;

struct Model {
  std::string path;
  std::string format;  // "GGUF", "safetensors", ...
  const Architecture* architecture = nullptr;
  AnyShape shape;
  Training training;
  std::vector<Tensor> tensors;  // in the order of expected_tensors
  Vocabulary vocabulary;
  std::vector<SharedBytes> files;  // which the tensors look into

  const Tensor* find(std::string_view name) const;
  const Tensor& at(std::string_view name) const;  // which must be there
  bool is_decoder() const { return std::holds_alternative<DecoderShape>(shape); }
  const DecoderShape& decoder() const { return std::get<DecoderShape>(shape); }
  const WhisperShape& whisper() const { return std::get<WhisperShape>(shape); }
};

// Numbers that are in range one by one, and do not fit each other: throws InputError.
void check_shape(const std::string& path, const DecoderShape& shape);
void check_shape(const std::string& path, const WhisperShape& shape);

// What no model exceeds that people have, with room; the loaders refuse what does before they reckon with it.
inline constexpr int64_t kMostWidth = 1 << 16;
inline constexpr int64_t kMostInner = 1 << 19;
inline constexpr int64_t kMostLayers = 1 << 10;
inline constexpr int64_t kMostHeads = 1 << 10;
inline constexpr int64_t kMostVocabulary = 1 << 20;
inline constexpr int64_t kMostContext = 1 << 24;
inline constexpr int64_t kMostMels = 1 << 10;

}  // namespace swai::models
