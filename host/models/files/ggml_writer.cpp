// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/ggml_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/lib/new_file.hpp"
#include "host/models/files/loaders.hpp"

namespace swai::models {
namespace {

class Writer {
 public:
  Writer(const Model& model, GgmlWeights weights, const std::string& path)
      : model_(model), shape_(model.whisper()), weights_(weights), file_(path) {}

  void whole(std::span<const float> filters) {
    numbers<uint32_t>({kGgmlMagic, shape_.vocabulary, shape_.audio_context, shape_.width, shape_.audio_heads,
                       shape_.audio_layers, shape_.text_context, shape_.width, shape_.text_heads,
                       shape_.text_layers, shape_.mels, static_cast<uint32_t>(weights_)});
    numbers<uint32_t>({shape_.mels, static_cast<uint32_t>(filters.size() / shape_.mels)});
    put(filters);
    tokens();
    for (const Tensor& one : model_.tensors) {
      // What keys have in common changes no attention: the format has no place for it.
      if (!one.name.ends_with(".key.bias")) tensor(one);
    }
    file_.finish();
  }

 private:
  template <typename T>
  void put(std::span<const T> all) {
    const std::span<const uint8_t> bytes = {reinterpret_cast<const uint8_t*>(all.data()), all.size_bytes()};
    file_.write(at_, bytes);
    at_ += bytes.size();
  }
  template <typename T>
  void numbers(std::initializer_list<T> all) {
    put(std::span<const T>(all));
  }
  void text(const std::string& text) { put(std::span<const char>(text)); }

  // Those of texts, which come first; whisper.cpp knows by their number what the others are.
  void tokens() {
    const Vocabulary& words = model_.vocabulary;
    const auto first_other =
        std::ranges::find_if(words.kinds, [](PieceKind kind) { return kind != PieceKind::kNormal; });
    const auto count = static_cast<uint32_t>(first_other - words.kinds.begin());
    numbers<uint32_t>({count});
    for (uint32_t i = 0; i < count; ++i) {
      numbers<uint32_t>({static_cast<uint32_t>(words.pieces[i].size())});
      text(words.pieces[i]);
    }
  }

  void tensor(const Tensor& tensor) {
    const std::string name = name_in_file(*model_.architecture, Naming::kOpenAi, tensor.name);
    const bool matrix = tensor.shape.size() > 1 && !tensor.name.ends_with(".positions");
    const GgmlWeights type = matrix ? weights_ : GgmlWeights::kF32;
    Shape shape = tensor.shape;
    // They are added to columns.
    const bool of_convolution = tensor.name.starts_with("encoder.conv");
    if (of_convolution && shape.size() == 1) shape.push_back(1);
    numbers<uint32_t>({static_cast<uint32_t>(shape.size()), static_cast<uint32_t>(name.size()),
                       static_cast<uint32_t>(type)});
    std::ranges::reverse(shape);  // the fastest size first
    for (const uint64_t size : shape) numbers<uint32_t>({static_cast<uint32_t>(size)});
    text(name);
    const std::vector<float> values = floats(tensor);
    if (type == GgmlWeights::kF32) return put(std::span<const float>(values));
    std::vector<uint16_t> halves(values.size());
    std::ranges::transform(values, halves.begin(), half_of_float);
    if (!std::ranges::all_of(halves, [](uint16_t half) { return std::isfinite(float_of_half(half)); }))
      refuse(model_.path,
             fmt::format("has numbers in {} that fp16 cannot hold; export it in f32", tensor.name));
    put(std::span<const uint16_t>(halves));
  }

  const Model& model_;
  const WhisperShape& shape_;
  const GgmlWeights weights_;
  common::NewFile file_;
  size_t at_ = 0;
};

}  // namespace

void write_ggml(const Model& model, std::span<const float> filters, GgmlWeights weights,
                const std::string& path) {
  if (model.is_decoder())
    refuse(model.path, "is a language model; whisper.cpp's format, which is written here, holds Whisper");
  const WhisperShape& shape = model.whisper();
  if (shape.inner != 4 * shape.width)
    refuse(model.path, fmt::format("has feed-forward layers of {} channels, and whisper.cpp's are {} wide, "
                                   "4 times the model's width",
                                   shape.inner, 4 * shape.width));
  if (model.vocabulary.how != Pieces::kByteLevel)
    refuse(model.path, "has no tokens as Whisper's are; put tokenizer.json beside it");
  Writer(model, weights, path).whole(filters);
}

}  // namespace swai::models
