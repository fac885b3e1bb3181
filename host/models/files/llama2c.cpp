// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/models/files/architectures/registry.hpp"
#include "host/models/files/loaders.hpp"
#include "host/models/files/reader.hpp"
#include "host/models/files/sentence_piece.hpp"

namespace swai::models {
namespace {

constexpr uint32_t kMagic = 0x616B3432;  // "ak42"
constexpr uint64_t kHeaderBytes = 256;

struct Header {
  DecoderShape shape;
  bool tied = true;
  uint64_t group = 0;  // values per scale
};

DecoderShape read_shape(Reader& reader, bool& tied) {
  DecoderShape shape;
  shape.width = reader.count<int32_t>("the width", 1, kMostWidth);
  shape.inner = reader.count<int32_t>("the inner width", 1, kMostInner);
  shape.layers = reader.count<int32_t>("the number of layers", 1, kMostLayers);
  shape.heads = reader.count<int32_t>("the number of heads", 1, kMostHeads);
  shape.kv_heads = reader.count<int32_t>("the number of heads of keys", 1, kMostHeads);
  const auto vocabulary = reader.number<int32_t>("the number of tokens");
  tied = vocabulary > 0;
  const int64_t tokens = vocabulary < 0 ? -int64_t{vocabulary} : vocabulary;
  if (tokens < 1 || tokens > kMostVocabulary)
    reader.fail(fmt::format("the number of tokens is {}; the file is damaged", vocabulary));
  shape.vocabulary = static_cast<uint32_t>(tokens);
  shape.context = reader.count<int32_t>("the context", 1, kMostContext);
  if (shape.width % shape.heads != 0)
    reader.fail(fmt::format("{} channels are not shared evenly by {} heads; the file is damaged", shape.width,
                            shape.heads));
  shape.head_width = shape.width / shape.heads;
  shape.rotation = Rotation::kNeighbours;
  check_shape(reader.path(), shape);
  return shape;
}

// A tensor of all layers, one behind the other, and which of our names each layer's part has.
struct Part {
  const char* name;
  Shape shape;
};

struct Parts {
  std::vector<Part> norms;
  std::vector<Part> matrices;
};

Parts parts_of(const DecoderShape& shape) {
  const uint64_t queries = uint64_t{shape.heads} * shape.head_width;
  const uint64_t keys = uint64_t{shape.kv_heads} * shape.head_width;
  return {{{"attention.norm", {shape.width}}, {"feed_forward.norm", {shape.width}}},
          {{"attention.query", {queries, shape.width}},
           {"attention.key", {keys, shape.width}},
           {"attention.value", {keys, shape.width}},
           {"attention.output", {shape.width, queries}},
           {"feed_forward.gate", {shape.inner, shape.width}},
           {"feed_forward.down", {shape.width, shape.inner}},
           {"feed_forward.up", {shape.inner, shape.width}}}};
}

class Loader {
 public:
  Loader(const SharedBytes& file, const Header& header, uint64_t at)
      : header_(header), reader_(file->path(), file->bytes(), at), weights_(file->path()) {}

  void one(const std::string& name, const Shape& shape, bool quantised) {
    Tensor tensor{name, Element::kF32, shape, {}, {}};
    // Sizes were bounded one by one: a product of two fits, and take() bounds it by the file.
    const uint64_t values = values_of(shape).value_or(uint64_t{1} << 60);
    if (quantised) {
      if (values % header_.group != 0)
        reader_.fail(
            fmt::format("{} values of {} are no whole number of groups of {}", values, name, header_.group));
      tensor.element = Element::kI8;
      tensor.data = reader_.take(values, name);
      tensor.scales = {reader_.take(values / header_.group * sizeof(float), name), header_.group, false};
    } else {
      tensor.data = reader_.take(values * sizeof(float), name);
    }
    weights_.add(std::move(tensor));
  }

  void all_layers(const Part& part, bool quantised) {
    for (uint32_t i = 0; i < header_.shape.layers; ++i)
      one(name_in_file(llama(), Naming::kGguf, fmt::format("layer.{}.{}", i, part.name)), part.shape,
          quantised);
  }

  void embedding(bool quantised) {
    one("token_embd.weight", {header_.shape.vocabulary, header_.shape.width}, quantised);
  }
  void norm() { one("output_norm.weight", {header_.shape.width}, false); }
  void head(bool quantised) {
    if (!header_.tied) one("output.weight", {header_.shape.vocabulary, header_.shape.width}, quantised);
  }

  // Two tables of rotations, which everybody can calculate.
  void skip_rotations() {
    reader_.take(uint64_t{header_.shape.context} * header_.shape.head_width * sizeof(float), "the rotations");
  }

  Weights& finish() {
    if (reader_.left() != 0)
      reader_.fail(
          fmt::format("{} bytes follow that are no part of the model; the file is damaged", reader_.left()));
    return weights_;
  }

 private:
  const Header& header_;
  Reader reader_;
  Weights weights_;
};

void load_version_0(Loader& loader, const Parts& parts) {
  loader.embedding(false);
  loader.all_layers(parts.norms[0], false);
  for (size_t i = 0; i < 4; ++i) loader.all_layers(parts.matrices[i], false);
  loader.all_layers(parts.norms[1], false);
  for (size_t i = 4; i < parts.matrices.size(); ++i) loader.all_layers(parts.matrices[i], false);
  loader.norm();
  loader.skip_rotations();
  loader.head(false);
}

void load_later_version(Loader& loader, const Parts& parts, bool quantised) {
  for (const Part& part : parts.norms) loader.all_layers(part, false);
  loader.norm();
  loader.embedding(quantised);
  for (const Part& part : parts.matrices) loader.all_layers(part, quantised);
  loader.head(quantised);
}

uint64_t bytes_of_version_0(const Header& header) {
  const DecoderShape& shape = header.shape;
  const Parts parts = parts_of(shape);
  uint64_t layer = 0;
  for (const auto& list : {parts.norms, parts.matrices})
    for (const Part& part : list) layer += values_of(part.shape).value_or(0);
  const uint64_t table = uint64_t{shape.vocabulary} * shape.width;
  return 28 + 4 * (layer * shape.layers + table * (header.tied ? 1 : 2) + shape.width +
                   uint64_t{shape.context} * shape.head_width);
}

}  // namespace

bool is_llama2c(const FileBytes& file) {
  if (file.bytes().size() < kHeaderBytes) return false;
  uint32_t magic = 0;
  std::memcpy(&magic, file.bytes().data(), sizeof(magic));
  if (magic == kMagic) return true;
  try {
    Reader reader(file.path(), file.bytes());
    Header header;
    header.shape = read_shape(reader, header.tied);
    return bytes_of_version_0(header) == file.bytes().size();
  } catch (const std::exception&) {
    return false;
  }
}

Model load_llama2c(const SharedBytes& file, const SharedBytes& tokens) {
  Reader reader(file->path(), file->bytes());
  Header header;
  uint32_t version = 0;
  const bool magic = reader.number<uint32_t>("the header") == kMagic;
  if (magic) {
    version = reader.count<int32_t>("the version", 1, 2);
  } else {
    reader = Reader(file->path(), file->bytes());
  }
  header.shape = read_shape(reader, header.tied);
  if (magic) {
    header.tied = reader.number<uint8_t>("whether the output is the embedding") != 0;
    if (version == 2) header.group = reader.count<int32_t>("the size of a group", 1, kMostInner);
    reader.take(kHeaderBytes - reader.at(), "the header");
  }
  const Parts parts = parts_of(header.shape);
  Loader loader(file, header, reader.at());
  if (version == 0) {
    load_version_0(loader, parts);
  } else {
    load_later_version(loader, parts, version == 2);
  }
  Model model;
  model.path = file->path();
  model.format = fmt::format("llama2.c version {}", version);
  model.shape = header.shape;
  model.files = {file};
  model.architecture = &llama();
  loader.finish().move_to(model, Naming::kGguf);
  if (tokens) model.vocabulary = read_llama2c_tokens(*tokens, header.shape.vocabulary);
  return model;
}

Vocabulary read_llama2c_tokens(const FileBytes& file, uint32_t count) {
  constexpr int64_t kMostPieceBytes = 1 << 12;
  Reader reader(file.path(), file.bytes());
  reader.count<int32_t>("the length of the longest token", 0, kMostPieceBytes);
  Vocabulary words;
  words.how = Pieces::kSentencePiece;
  for (uint32_t i = 0; i < count; ++i) {
    words.scores.push_back(reader.number<float>("a score"));
    const uint32_t bytes = reader.count<int32_t>("the length of a token", 0, kMostPieceBytes);
    words.pieces.emplace_back(reader.text(bytes, "a token"));
    // The file does not state the kind of a token. Unknown, begin and end come first; bytes, which not every
    // vocabulary has, are recognised by their text.
    words.kinds.push_back(i == 0                            ? PieceKind::kUnknown
                          : i < 3                           ? PieceKind::kControl
                          : byte_named(words.pieces.back()) ? PieceKind::kByte
                                                            : PieceKind::kNormal);
  }
  if (reader.left() != 0)
    reader.fail(fmt::format("has more than the {} tokens of the model; it is another model's", count));
  words.unknown = 0;
  words.begin = 1;
  words.end = 2;
  words.add_begin = true;
  words.space_first = true;
  return words;
}

}  // namespace swai::models
