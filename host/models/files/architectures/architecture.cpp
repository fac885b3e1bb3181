// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/architectures/architecture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace swai::models {
namespace {

constexpr std::string_view kLayer = "layer.", kBias = ".bias", kNumber = "{}";

void replace(std::string& text, std::string_view what, std::string_view by) {
  if (const size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), by);
}

uint64_t size_of(const DecoderShape& shape, Axis axis) {
  switch (axis) {
    case Axis::kWidth:
      return shape.width;
    case Axis::kInner:
      return shape.inner;
    case Axis::kVocabulary:
      return shape.vocabulary;
    case Axis::kQueries:
    case Axis::kMixed:
      return uint64_t{shape.heads} * shape.head_width;
    case Axis::kKeys:
    case Axis::kValues:
      return uint64_t{shape.kv_heads} * shape.head_width;
    case Axis::kHead:
      return shape.head_width;
    case Axis::kPairs:
      return shape.head_width / 2;
    default:
      throw std::logic_error("no axis of a decoder");
  }
}

uint64_t size_of(const WhisperShape& shape, Axis axis) {
  switch (axis) {
    case Axis::kWidth:
      return shape.width;
    case Axis::kInner:
      return shape.inner;
    case Axis::kVocabulary:
      return shape.vocabulary;
    case Axis::kMels:
      return shape.mels;
    case Axis::kTaps:
      return 3;
    case Axis::kAudioContext:
      return shape.audio_context;
    case Axis::kTextContext:
      return shape.text_context;
    default:
      throw std::logic_error("no axis of Whisper");
  }
}

uint32_t layers_of(const DecoderShape& shape, const std::string&) { return shape.layers; }
uint32_t layers_of(const WhisperShape& shape, const std::string& name) {
  return name.starts_with("encoder.") ? shape.audio_layers : shape.text_layers;
}

// Up to the number of the layer; empty: the tensor is in no layer.
std::string_view layer_prefix(const TensorName& row) {
  const size_t at = row.name.find(kNumber);
  return at == std::string::npos ? std::string_view() : std::string_view(row.name).substr(0, at);
}

template <typename AShape>
class List {
 public:
  explicit List(const AShape& shape) : shape_(shape) {}

  std::vector<Expected> all(const std::vector<TensorName>& rows) {
    for (auto row = rows.begin(); row != rows.end();) {
      const std::string_view prefix = layer_prefix(*row);
      const auto end = std::find_if(row, rows.end(),
                                    [&](const TensorName& other) { return layer_prefix(other) != prefix; });
      const uint32_t times = prefix.empty() ? 1 : layers_of(shape_, row->name);
      for (uint32_t layer = 0; layer < times; ++layer)
        std::for_each(row, end, [&](const TensorName& one) { add(one, layer); });
      row = end;
    }
    return std::move(list_);
  }

 private:
  void add(const TensorName& row, uint32_t layer) {
    Shape shape;
    for (const Axis axis : row.shape) shape.push_back(size_of(shape_, axis));
    std::string name = row.name;
    replace(name, kNumber, std::to_string(layer));
    list_.push_back({name, shape, row.optional});
    if (row.bias != Bias::kNone)
      list_.push_back({name + std::string(kBias), {shape.front()}, row.bias == Bias::kOptional});
  }

  const AShape& shape_;
  std::vector<Expected> list_;
};

// A tensor's name as its row has it, and what was taken out.
struct Taken {
  std::string name;
  std::string layer;
  bool bias = false;
};

Taken taken_apart(std::string_view tensor) {
  Taken taken = {std::string(tensor), {}, tensor.ends_with(kBias)};
  if (taken.bias) taken.name.resize(taken.name.size() - kBias.size());
  if (const size_t at = taken.name.find(kLayer); at != std::string::npos) {
    const size_t from = at + kLayer.size(), to = taken.name.find('.', from);
    taken.layer = taken.name.substr(from, to - from);
    taken.name.replace(from, to - from, kNumber);
  }
  return taken;
}

const TensorName& row_named(const Architecture& architecture, const std::string& name) {
  const auto found = std::ranges::find(architecture.tensors, name, &TensorName::name);
  if (found == architecture.tensors.end()) throw std::out_of_range("no tensor " + name);
  return *found;
}

}  // namespace

std::vector<Expected> expected_tensors(const Architecture& architecture, const AnyShape& shape) {
  return std::visit([&](const auto& one) { return List(one).all(architecture.tensors); }, shape);
}

const TensorName& row_of(const Architecture& architecture, std::string_view name) {
  return row_named(architecture, taken_apart(name).name);
}

std::string name_in_file(const Architecture& architecture, Naming naming, std::string_view name) {
  const Taken taken = taken_apart(name);
  const TensorName& row = row_named(architecture, taken.name);
  std::string pattern = naming == Naming::kGguf          ? row.gguf
                        : naming == Naming::kHuggingFace ? row.hugging_face
                        : naming == Naming::kOpenAi      ? row.openai
                                                         : row.ctranslate2;
  replace(pattern, kNumber, taken.layer);
  replace(pattern, "*", taken.bias ? "bias" : "weight");
  replace(pattern, "@", taken.bias ? "beta" : "gamma");
  return pattern;
}

std::vector<MatrixKind> matrix_kinds(const Architecture& architecture) {
  std::vector<MatrixKind> kinds;
  for (const TensorName& row : architecture.tensors) {
    const bool in_layer = !layer_prefix(row).empty();
    if (row.shape.size() != 2 || (!in_layer && row.name != "head")) continue;
    kinds.push_back(
        {in_layer ? row.name.substr(row.name.find(kNumber) + kNumber.size() + 1) : row.name, row.sensitive});
  }
  return kinds;
}

}  // namespace swai::models
