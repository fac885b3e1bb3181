// SPDX-License-Identifier: Apache-2.0
// CTranslate2's folders, which faster-whisper reads.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/models/files/architectures/registry.hpp"
#include "host/models/files/byte_letters.hpp"
#include "host/models/files/json_file.hpp"
#include "host/models/files/loaders.hpp"
#include "host/models/files/reader.hpp"

namespace swai::models {
namespace {

constexpr uint32_t kVersion = 6;
constexpr std::string_view kWhisper = "WhisperSpec";

std::string read_text(Reader& reader, std::string_view what) {
  const auto bytes = reader.number<uint16_t>(what);
  std::string text(reader.text(bytes, what));
  if (!text.ends_with('\0')) reader.fail(fmt::format("{} is no text; the file is damaged", what));
  text.pop_back();
  return text;
}

// Numbers about the model are tensors of one value, of different types.
using Scalars = std::map<std::string, int64_t, std::less<>>;

struct Contents {
  Weights weights;
  Scalars scalars;
};

void read_variable(Reader& reader, Contents& contents) {
  const std::string name = read_text(reader, "a tensor's name");
  const auto rank = reader.number<uint8_t>("the rank of a tensor");
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push_back(reader.number<uint32_t>("a size of a tensor"));
  const auto type = reader.number<uint8_t>("the type of a tensor");
  const auto data = reader.take(reader.number<uint32_t>("the length of a tensor"), name);
  if (rank == 0) {
    int64_t value = 0;
    if (data.size() > sizeof(value)) reader.fail(fmt::format("'{}' is no number; the file is damaged", name));
    if (type == 0 || type == 4) return;  // no whole number: nothing that Whisper needs
    std::memcpy(&value, data.data(), data.size());
    contents.scalars[name] = value;
    return;
  }
  constexpr std::optional<Element> kTypes[] = {Element::kF32, Element::kI8, {}, {}, Element::kF16};
  const auto element = type < std::size(kTypes) ? kTypes[type] : std::nullopt;
  // Tables of whole numbers, such as which heads align words.
  if (!element && bytes_of(Element::kF32, shape) == data.size() && !name.ends_with("/weight")) return;
  if (!element)
    refuse(reader.path(),
           fmt::format("tensor '{}' has the type {}; convert the model to float16 or int8", name, type));
  contents.weights.add({name, *element, shape, data, {}});
}

Contents read_contents(Reader& reader) {
  const auto version = reader.number<uint32_t>("the version");
  if (version != kVersion)
    refuse(reader.path(),
           fmt::format("has version {} of CTranslate2's format, and {} is supported", version, kVersion));
  if (const std::string kind = read_text(reader, "the architecture"); kind != kWhisper)
    refuse(reader.path(),
           fmt::format("has the architecture '{}'; of CTranslate2 only {} is supported", kind, kWhisper));
  reader.number<uint32_t>("the revision");
  Contents contents{Weights(reader.path()), {}};
  const uint32_t count = reader.count<uint32_t>("the number of tensors", 1, 1 << 20);
  for (uint32_t i = 0; i < count; ++i) read_variable(reader, contents);
  // Second names for tensors: the output is the embedding.
  const uint32_t aliases = reader.count<uint32_t>("the number of second names", 0, 1 << 20);
  for (uint32_t i = 0; i < aliases; ++i) {
    read_text(reader, "a second name");
    read_text(reader, "the name of a tensor");
  }
  return contents;
}

// An int8 weight has its rows' scales beside it.
void join_scales(Weights& weights, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const Tensor* const scales = weights.find(name + "_scale");
    const Tensor* const weight = weights.find(name);
    if (weight == nullptr || (weight->element == Element::kI8) != (scales != nullptr))
      refuse(weights.path(),
             fmt::format("'{}' and its scales do not belong together; the file is damaged", name));
    if (scales == nullptr) continue;
    if (scales->element != Element::kF32 || scales->values() != weight->shape.front())
      refuse(weights.path(), fmt::format("'{}' has no scale for each row; the file is damaged", name));
    Tensor whole = weights.take(name);
    whole.scales = {scales->data, whole.values() / whole.shape.front(), true};
    weights.drop(name + "_scale");
    weights.add(std::move(whole));
  }
}

// Queries, keys and values lie in one tensor, one under the other.
void cut(Weights& weights, const std::string& folder, const std::string& from,
         std::initializer_list<const char*> parts) {
  for (const char* const kind : {"weight", "bias"}) {
    const std::string name = folder + from + "/" + kind;
    const Tensor* const all = weights.find(name);
    if (all == nullptr) refuse(weights.path(), fmt::format("has no tensor '{}'; fetch it again", name));
    const uint64_t rows = all->shape.front();
    if (rows % parts.size() != 0)
      refuse(weights.path(),
             fmt::format("tensor '{}' has {} rows, which are not {} parts; the file is damaged", name, rows,
                         parts.size()));
    const Tensor whole = weights.take(name);
    uint64_t first = 0;
    for (const char* const part : parts) {
      weights.add(slice(whole, first, rows / parts.size(), folder + part + "/" + kind));
      first += rows / parts.size();
    }
  }
}

uint32_t scalar(const Contents& contents, const char* name, int64_t least, int64_t most) {
  const auto found = contents.scalars.find(name);
  if (found == contents.scalars.end() || found->second < least || found->second > most)
    refuse(contents.weights.path(),
           fmt::format("does not say '{}', or not from {} to {}; the file is damaged", name, least, most));
  return static_cast<uint32_t>(found->second);
}

// A size of a tensor that must be there.
uint32_t size(const Contents& contents, const std::string& name, size_t rank, size_t which, int64_t most) {
  const Tensor* const tensor = contents.weights.find(name);
  if (tensor == nullptr || tensor->shape.size() != rank || tensor->shape[which] > static_cast<uint64_t>(most))
    refuse(contents.weights.path(),
           fmt::format("has no tensor '{}' of a size that can be; the file is damaged", name));
  return static_cast<uint32_t>(tensor->shape[which]);
}

uint32_t count_layers(const Contents& contents, const std::string& side) {
  uint32_t layers = 0;
  while (contents.weights.find(fmt::format("{}/layer_{}/ffn/linear_0/weight", side, layers)) != nullptr)
    ++layers;
  if (layers == 0 || layers > kMostLayers)
    refuse(contents.weights.path(), fmt::format("has no layers in its {}; fetch it again", side));
  return layers;
}

WhisperShape shape_of(const Contents& contents) {
  WhisperShape shape;
  shape.width = size(contents, "encoder/conv1/weight", 3, 0, kMostWidth);
  shape.mels = size(contents, "encoder/conv1/weight", 3, 1, kMostMels);
  shape.audio_context = size(contents, "encoder/position_encodings/encodings", 2, 0, kMostContext);
  shape.text_context = size(contents, "decoder/position_encodings/encodings", 2, 0, kMostContext);
  shape.vocabulary = size(contents, "decoder/embeddings/weight", 2, 0, kMostVocabulary);
  shape.inner = size(contents, "encoder/layer_0/ffn/linear_0/weight", 2, 0, kMostInner);
  shape.audio_layers = count_layers(contents, "encoder");
  shape.text_layers = count_layers(contents, "decoder");
  shape.audio_heads = scalar(contents, "encoder/num_heads", 1, kMostHeads);
  shape.text_heads = scalar(contents, "decoder/num_heads", 1, kMostHeads);
  constexpr int64_t kGelu = 3;
  if (scalar(contents, "decoder/activation", 0, 100) != kGelu ||
      scalar(contents, "decoder/pre_norm", 0, 1) != 1)
    refuse(contents.weights.path(), "does not compute as Whisper does (GELU, norms first)");
  check_shape(contents.weights.path(), shape);
  return shape;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// What is written in letters for bytes, and what is not: tokens that stand for no text.
Vocabulary read_list(const std::string& path, const std::vector<std::string>& lines, uint32_t most) {
  if (lines.size() > most)
    refuse(path, fmt::format("has {} tokens, and the model {}; it is another model's", lines.size(), most));
  Vocabulary words;
  words.how = Pieces::kByteLevel;
  for (const std::string& line : lines) {
    const auto bytes = bytes_of_letters(line);
    const bool control = !bytes || (line.starts_with("<|") && line.ends_with("|>"));
    words.pieces.push_back(control ? line : *bytes);
    words.kinds.push_back(control ? PieceKind::kControl : PieceKind::kNormal);
  }
  words.pieces.resize(most);
  words.kinds.resize(most, PieceKind::kUnused);
  return words;
}

Vocabulary read_vocabulary(const Siblings& siblings, uint32_t most) {
  if (const SharedBytes file = siblings("tokenizer.json")) return read_tokenizer_json(*file, most);
  if (const SharedBytes file = siblings("vocabulary.txt"))
    return read_list(file->path(), lines_of(file->text()), most);
  if (const SharedBytes file = siblings("vocabulary.json")) {
    const auto list = parse_json(file->path(), file->text());
    std::vector<std::string> lines;
    for (const auto& one : list) {
      if (!list.is_array() || !one.is_string())
        refuse(file->path(), "is not a list of texts; fetch it again");
      lines.push_back(one.get<std::string>());
    }
    return read_list(file->path(), lines, most);
  }
  return {};
}

}  // namespace

bool is_ctranslate2(const FileBytes& file) {
  try {
    Reader reader(file.path(), file.bytes());
    return reader.number<uint32_t>("") <= 16 && read_text(reader, "").ends_with("Spec");
  } catch (const std::exception&) {
    return false;
  }
}

Model load_ctranslate2(const std::string& folder, const Siblings& siblings) {
  const SharedBytes file = siblings("model.bin");
  if (!file) refuse(folder, "has no model.bin; fetch the whole folder");
  Reader reader(file->path(), file->bytes());
  Contents contents = read_contents(reader);
  Model model;
  model.path = folder;
  model.format = "CTranslate2";
  const WhisperShape shape = shape_of(contents);
  model.shape = shape;
  model.files = {file};
  Weights& weights = contents.weights;
  std::vector<std::string> int8;
  for (const std::string side : {"encoder", "decoder"}) {
    for (uint32_t i = 0; i < (side == "encoder" ? shape.audio_layers : shape.text_layers); ++i) {
      const std::string layer = fmt::format("{}/layer_{}/", side, i);
      for (const char* const one :
           {"self_attention/linear_0", "self_attention/linear_1", "ffn/linear_0", "ffn/linear_1"})
        int8.push_back(layer + one + "/weight");
      if (side == "decoder")
        for (const int linear : {0, 1, 2})
          int8.push_back(fmt::format("{}attention/linear_{}/weight", layer, linear));
    }
  }
  int8.emplace_back("decoder/embeddings/weight");
  join_scales(weights, int8);
  for (uint32_t i = 0; i < shape.audio_layers; ++i)
    cut(weights, fmt::format("encoder/layer_{}/self_attention/", i), "linear_0", {"query", "key", "value"});
  for (uint32_t i = 0; i < shape.text_layers; ++i) {
    cut(weights, fmt::format("decoder/layer_{}/self_attention/", i), "linear_0", {"query", "key", "value"});
    cut(weights, fmt::format("decoder/layer_{}/attention/", i), "linear_1", {"key", "value"});
  }
  model.architecture = &whisper();
  weights.move_to(model, Naming::kCTranslate2);
  model.vocabulary = read_vocabulary(siblings, shape.vocabulary);
  return model;
}

}  // namespace swai::models
