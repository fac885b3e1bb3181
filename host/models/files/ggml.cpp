// SPDX-License-Identifier: Apache-2.0
// whisper.cpp's own format: no names for numbers, no offsets, one thing behind the other.
#include <fmt/format.h>

#include "host/models/files/architectures/registry.hpp"
#include "host/models/files/loaders.hpp"
#include "host/models/files/reader.hpp"

namespace swai::models {
namespace {

WhisperShape read_shape(Reader& reader) {
  const auto count = [&](const char* what, int64_t most) { return reader.count<int32_t>(what, 1, most); };
  WhisperShape shape;
  shape.vocabulary = count("the number of tokens", kMostVocabulary);
  shape.audio_context = count("the encoder's context", kMostContext);
  shape.width = count("the encoder's width", kMostWidth);
  shape.audio_heads = count("the number of the encoder's heads", kMostHeads);
  shape.audio_layers = count("the number of the encoder's layers", kMostLayers);
  shape.text_context = count("the decoder's context", kMostContext);
  const uint32_t width = count("the decoder's width", kMostWidth);
  shape.text_heads = count("the number of the decoder's heads", kMostHeads);
  shape.text_layers = count("the number of the decoder's layers", kMostLayers);
  shape.mels = count("the number of mel bands", kMostMels);
  if (width != shape.width)
    reader.fail(
        fmt::format("encoder and decoder are {} and {} wide; the file is damaged", shape.width, width));
  shape.inner = 4 * shape.width;
  check_shape(reader.path(), shape);
  return shape;
}

// The filters are OpenAI's, which we calculate.
void skip_filters(Reader& reader, const WhisperShape& shape) {
  const uint32_t mels = reader.count<int32_t>("the number of mel filters", 1, kMostMels);
  const uint32_t bins = reader.count<int32_t>("the length of a mel filter", 1, 1 << 16);
  if (mels != shape.mels)
    reader.fail(fmt::format("has {} mel filters for {} bands; the file is damaged", mels, shape.mels));
  reader.take(uint64_t{mels} * bins * sizeof(float), "the mel filters");
}

// Tokens of texts alone; those behind them have no names in the file.
Vocabulary read_tokens(Reader& reader, uint32_t most) {
  constexpr int64_t kMostPieceBytes = 1 << 12;
  Vocabulary words;
  words.how = Pieces::kByteLevel;
  const uint32_t count = reader.count<int32_t>("the number of named tokens", 0, most);
  for (uint32_t i = 0; i < count; ++i)
    words.pieces.emplace_back(
        reader.text(reader.count<uint32_t>("the length of a token", 0, kMostPieceBytes), "a token"));
  words.kinds.assign(count, PieceKind::kNormal);
  words.pieces.resize(most);
  words.kinds.resize(most, PieceKind::kControl);
  return words;
}

Tensor read_tensor(Reader& reader) {
  const uint32_t rank = reader.count<int32_t>("the rank of a tensor", 1, 4);
  const uint32_t name_bytes = reader.count<int32_t>("the length of a tensor's name", 1, 256);
  const auto type = reader.number<uint32_t>("the type of a tensor");
  Tensor tensor;
  // The fastest first, in the file.
  for (uint32_t i = 0; i < rank; ++i)
    tensor.shape.insert(tensor.shape.begin(), reader.count<int32_t>("a size of a tensor", 1, 1 << 30));
  tensor.name = reader.text(name_bytes, "a tensor's name");
  const auto element = element_of_ggml(type);
  if (!element)
    reader.fail(
        fmt::format("tensor '{}' has the type {}; supported are F32, F16, Q8_0, Q5_0, Q4_0, Q4_1, Q4_K, Q6_K",
                    tensor.name, type));
  tensor.element = *element;
  const auto bytes = bytes_of(*element, tensor.shape);
  if (!bytes)
    reader.fail(fmt::format("tensor '{}' is said to have {} values, which cannot be; the file is damaged",
                            tensor.name, shape_text(tensor.shape)));
  tensor.data = reader.take(*bytes, tensor.name);
  return tensor;
}

}  // namespace

Model load_ggml(const SharedBytes& file) {
  Reader reader(file->path(), file->bytes());
  if (reader.number<uint32_t>("the header") != kGgmlMagic) refuse(file->path(), "is no file of whisper.cpp");
  const WhisperShape shape = read_shape(reader);
  reader.number<int32_t>("the type of weights");  // each tensor says its own
  Model model;
  model.path = file->path();
  model.format = "whisper.cpp";
  model.shape = shape;
  model.files = {file};
  skip_filters(reader, shape);
  model.vocabulary = read_tokens(reader, shape.vocabulary);
  Weights weights(file->path());
  while (reader.left() != 0) weights.add(read_tensor(reader));
  model.architecture = &whisper();
  weights.move_to(model, Naming::kOpenAi);
  return model;
}

}  // namespace swai::models
