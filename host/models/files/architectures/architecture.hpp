// SPDX-License-Identifier: Apache-2.0
// What is known of an architecture: which files have it, what they call its tensors, and what it computes.
// Each one is described in a file of its own in this folder; docs/extend/add-architecture.md is the recipe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/models/files/model.hpp"
#include "host/models/files/weight_format.hpp"
#include "host/models/graph/builder.hpp"

namespace swai::models {

class DecoderGraph;

// What a dimension of a tensor counts.
enum class Axis : uint8_t {
  kWidth,
  kInner,
  kVocabulary,
  kQueries,  // channels of the heads of queries, which rotate
  kKeys,     // the same of keys
  kValues,   // channels of the heads of values
  kMixed,    // what the heads of queries make of values
  kHead,     // channels of one head, which rotate
  kPairs,    // of channels that rotate together
  kMels,
  kTaps,  // of a convolution
  kAudioContext,
  kTextContext,
};

enum class Bias : uint8_t { kNone, kOptional, kNeeded };

// A tensor, and what files call it; empty: it is in no such file. {}: the number of the layer. *: `weight` or
// `bias`. @: `gamma` or `beta`.
struct TensorName {
  std::string name;
  std::string gguf = {};
  std::string hugging_face = {};
  std::string openai = {};  // and whisper.cpp
  std::string ctranslate2 = {};
  std::vector<Axis> shape = {};  // the slowest first
  Bias bias = Bias::kNone;
  bool optional = false;
  bool sensitive = false;  // a matrix that four bits cost much (models/studies)
};

// How a conversation is written: START role, the text, END.
struct ChatFormat {
  std::string start, end;
  std::string assistant;   // the role of the model
  bool has_system = true;  // else what a model is told first stands before the user's first message
};

// A decoder of text.
struct Decoder {
  // Numbers that files of this architecture leave out.
  DecoderShape standard = {};
  Rotation gguf_rotation = Rotation::kHalves;
  std::string activation = "silu";  // as Hugging Face's config.json calls it
  bool scales_embedding = false;    // by the square root of the width
  // What a layer makes of x.
  graph::Tensor (*layer)(DecoderGraph& graph, graph::Tensor x) = nullptr;
  std::optional<ChatFormat> chat = {};
};

struct Architecture {
  std::string name;
  std::vector<std::string> gguf = {};          // general.architecture
  std::vector<std::string> hugging_face = {};  // model_type
  std::vector<TensorName> tensors = {};        // those of layers one after the other
  std::optional<Decoder> decoder = {};         // none: of speech
};

// All tensors of a model of this shape.
struct Expected {
  std::string name;
  Shape shape;
  bool optional = false;
};
std::vector<Expected> expected_tensors(const Architecture& architecture, const AnyShape& shape);

// The row of a tensor, whatever its layer; its bias has the same.
const TensorName& row_of(const Architecture& architecture, std::string_view name);

// Who names tensors.
enum class Naming : uint8_t { kGguf, kHuggingFace, kOpenAi, kCTranslate2 };
// What such a file calls a tensor; empty when it never holds it.
std::string name_in_file(const Architecture& architecture, Naming naming, std::string_view name);

// The matrices of a decoder's products, by name without the layer: those of layers, and "head".
std::vector<MatrixKind> matrix_kinds(const Architecture& architecture);

}  // namespace swai::models
