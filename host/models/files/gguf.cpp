// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/models/files/architectures/registry.hpp"
#include "host/models/files/byte_letters.hpp"
#include "host/models/files/loaders.hpp"
#include "host/models/files/reader.hpp"
#include "host/models/files/space_sign.hpp"

namespace swai::models {
namespace {

enum ValueType : uint32_t { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kText, kArray, kU64, kI64, kF64 };

constexpr uint64_t kMostTextBytes = 1 << 24;

struct Value {
  uint32_t type = 0;
  int64_t whole = 0;  // of whole numbers and bool
  double number = 0;  // of all numbers
  std::string_view text;
  // Of arrays.
  uint32_t element = 0;
  uint64_t count = 0;
  std::span<const uint8_t> numbers;
  std::vector<std::string_view> texts;

  bool is_whole() const { return type != kF32 && type != kF64 && type != kText && type != kArray; }
  bool is_number() const { return type != kText && type != kArray; }
};

uint64_t bytes_of_type(uint32_t type) {
  switch (type) {
    case kU8:
    case kI8:
    case kBool:
      return 1;
    case kU16:
    case kI16:
      return 2;
    case kU32:
    case kI32:
    case kF32:
      return 4;
    case kU64:
    case kI64:
    case kF64:
      return 8;
    default:
      return 0;
  }
}

template <typename T>
void set(Value& value, Reader& reader) {
  const T number = reader.number<T>("a value");
  value.number = static_cast<double>(number);
  if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
    value.whole = static_cast<int64_t>(std::min<uint64_t>(number, INT64_MAX));
  } else if constexpr (std::is_integral_v<T>) {
    value.whole = number;
  }
}

std::string_view read_text(Reader& reader, std::string_view what) {
  const auto bytes = reader.number<uint64_t>(what);
  if (bytes > kMostTextBytes)
    reader.fail(fmt::format("{} is said to have {} bytes; the file is damaged", what, bytes));
  return reader.text(bytes, what);
}

void read_number(Value& value, Reader& reader) {
  switch (value.type) {
    case kU8:
    case kBool:
      return set<uint8_t>(value, reader);
    case kI8:
      return set<int8_t>(value, reader);
    case kU16:
      return set<uint16_t>(value, reader);
    case kI16:
      return set<int16_t>(value, reader);
    case kU32:
      return set<uint32_t>(value, reader);
    case kI32:
      return set<int32_t>(value, reader);
    case kF32:
      return set<float>(value, reader);
    case kU64:
      return set<uint64_t>(value, reader);
    case kI64:
      return set<int64_t>(value, reader);
    case kF64:
      return set<double>(value, reader);
    default:
      reader.fail(fmt::format("a value has the type {}, which is none; the file is damaged", value.type));
  }
}

Value read_value(Reader& reader) {
  Value value;
  value.type = reader.number<uint32_t>("the type of a value");
  if (value.type == kText) {
    value.text = read_text(reader, "a text");
  } else if (value.type != kArray) {
    read_number(value, reader);
  } else {
    value.element = reader.number<uint32_t>("the type of a list");
    value.count = reader.number<uint64_t>("the length of a list");
    // A text takes eight bytes at least: nothing is put aside for what the file cannot hold.
    const uint64_t each = value.element == kText ? 8 : bytes_of_type(value.element);
    if (each == 0)
      reader.fail(fmt::format("a list is of type {}, which is none; the file is damaged", value.element));
    if (value.count > reader.left() / each)
      reader.fail(fmt::format("a list is said to have {} values; the file is damaged", value.count));
    if (value.element == kText) {
      value.texts.reserve(value.count);
      for (uint64_t i = 0; i < value.count; ++i) value.texts.push_back(read_text(reader, "a text"));
    } else {
      value.numbers = reader.take(value.count * each, "a list");
    }
  }
  return value;
}

// What the file says about its model, by key.
class Metadata {
 public:
  Metadata(Reader& reader, uint64_t pairs) : path_(reader.path()) {
    for (uint64_t i = 0; i < pairs; ++i) {
      std::string key(read_text(reader, "a key"));
      Value value = read_value(reader);
      if (!all_.emplace(key, std::move(value)).second)
        reader.fail(fmt::format("has the key '{}' twice; the file is damaged", key));
    }
  }

  const Value* find(const std::string& key) const {
    const auto found = all_.find(key);
    return found == all_.end() ? nullptr : &found->second;
  }
  uint32_t count(const std::string& key, int64_t least, int64_t most) const {
    if (find(key) == nullptr)
      refuse(path_, fmt::format("does not say '{}'; it is another kind of model, or damaged", key));
    return count_or(key, least, most, 0);
  }
  uint32_t count_or(const std::string& key, int64_t least, int64_t most, uint32_t other) const {
    const Value* const value = find(key);
    if (value == nullptr) return other;
    if (!value->is_whole() || value->whole < least || value->whole > most)
      refuse(path_,
             fmt::format("'{}' is not a whole number from {} to {}; the file is damaged", key, least, most));
    return static_cast<uint32_t>(value->whole);
  }
  double number_or(const std::string& key, double least, double most, double other) const {
    const Value* const value = find(key);
    if (value == nullptr) return other;
    if (!value->is_number() || !(value->number >= least && value->number <= most))
      refuse(path_, fmt::format("'{}' is not a number from {} to {}; the file is damaged", key, least, most));
    return value->number;
  }
  std::string text_or(const std::string& key, const std::string& other) const {
    const Value* const value = find(key);
    if (value == nullptr) return other;
    if (value->type != kText) refuse(path_, fmt::format("'{}' is not a text; the file is damaged", key));
    return std::string(value->text);
  }
  bool flag_or(const std::string& key, bool other) const { return count_or(key, 0, 1, other ? 1 : 0) != 0; }
  // A list of that type and length; nothing when it is not there.
  const Value* list(const std::string& key, uint32_t element, std::optional<uint64_t> count) const {
    const Value* const value = find(key);
    if (value == nullptr) return nullptr;
    if (value->type != kArray || value->element != element || (count && value->count != *count))
      refuse(path_,
             fmt::format("'{}' is not a list of the type and length that it should have; the file is damaged",
                         key));
    return value;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::map<std::string, Value, std::less<>> all_;
};

DecoderShape shape_of(const Metadata& data, const std::string& kind, const Decoder& decoder) {
  const auto key = [&](const char* name) { return kind + "." + name; };
  DecoderShape shape = decoder.standard;
  shape.width = data.count(key("embedding_length"), 1, kMostWidth);
  shape.inner = data.count(key("feed_forward_length"), 1, kMostInner);
  shape.layers = data.count(key("block_count"), 1, kMostLayers);
  shape.heads = data.count(key("attention.head_count"), 1, kMostHeads);
  shape.kv_heads = data.count_or(key("attention.head_count_kv"), 1, kMostHeads, shape.heads);
  shape.head_width =
      data.count_or(key("attention.key_length"), 1, kMostWidth, std::max(shape.width / shape.heads, 1U));
  shape.context = data.count(key("context_length"), 1, kMostContext);
  shape.epsilon = data.number_or(key("attention.layer_norm_rms_epsilon"), 0, 1, shape.epsilon);
  shape.rope_theta = data.number_or(key("rope.freq_base"), 1, 1e12, shape.rope_theta);
  shape.rotation = decoder.gguf_rotation;
  // Within its window attention is attention.
  shape.context =
      std::min(shape.context, data.count_or(key("attention.sliding_window"), 1, kMostContext, shape.context));
  if (data.count_or(key("rope.dimension_count"), 1, kMostWidth, shape.head_width) != shape.head_width ||
      data.count_or(key("attention.value_length"), 1, kMostWidth, shape.head_width) != shape.head_width)
    refuse(data.path(),
           "rotates a part of each head, or has values of another width, which is not supported");
  if (data.count_or(key("expert_count"), 0, 1 << 16, 0) != 0)
    refuse(data.path(), "has several experts in a layer, which is not supported");
  const std::string scaling = data.text_or(key("rope.scaling.type"), "none");
  if (scaling == "linear") {
    shape.scaling.kind = RotaryScaling::kLinear;
    shape.scaling.factor = data.number_or(key("rope.scaling.factor"), 1, 1e6, 1);
  } else if (scaling != "none") {
    refuse(data.path(), fmt::format("scales its rotary embedding by '{}', which is not supported", scaling));
  }
  check_shape(data.path(), shape);
  return shape;
}

std::optional<uint32_t> token(const Metadata& data, const char* name, uint32_t tokens) {
  const std::string key = fmt::format("tokenizer.ggml.{}_token_id", name);
  if (data.find(key) == nullptr) return std::nullopt;
  return data.count(key, 0, int64_t{tokens} - 1);
}

void read_pieces(const Metadata& data, uint32_t tokens, Vocabulary& words) {
  const Value* const texts = data.list("tokenizer.ggml.tokens", kText, tokens);
  if (texts == nullptr) refuse(data.path(), "has a tokenizer without tokens; fetch it again");
  words.kinds.assign(tokens, PieceKind::kNormal);
  if (const Value* const kinds = data.list("tokenizer.ggml.token_type", kI32, tokens)) {
    for (uint32_t i = 0; i < tokens; ++i) {
      int32_t kind = 0;
      std::memcpy(&kind, kinds->numbers.data() + 4 * size_t{i}, 4);
      if (kind < 1 || kind > 6)
        refuse(data.path(),
               fmt::format("token {} is of kind {}, which is none; the file is damaged", i, kind));
      words.kinds[i] = static_cast<PieceKind>(kind);
    }
  }
  for (uint32_t i = 0; i < tokens; ++i) {
    const std::string_view text = texts->texts[i];
    if (words.how == Pieces::kSentencePiece) {
      words.pieces.push_back(with_spaces(text));
      continue;
    }
    auto bytes = words.kinds[i] == PieceKind::kNormal ? bytes_of_letters(text) : std::nullopt;
    words.pieces.push_back(bytes ? std::move(*bytes) : std::string(text));
  }
}

void read_merges(const Metadata& data, Vocabulary& words) {
  const Value* const merges = data.list("tokenizer.ggml.merges", kText, std::nullopt);
  if (merges == nullptr) refuse(data.path(), "has a tokenizer without merges; fetch it again");
  for (const std::string_view merge : merges->texts) {
    const size_t space = std::min(merge.find(' '), merge.size());
    const auto left = bytes_of_letters(merge.substr(0, space));
    const auto right = bytes_of_letters(merge.substr(std::min(space + 1, merge.size())));
    if (!left || !right || left->empty() || right->empty())
      refuse(data.path(), "has a merge that is no pair of texts; the file is damaged");
    words.merges.emplace_back(*left, *right);
  }
}

Vocabulary read_vocabulary(const Metadata& data, uint32_t tokens) {
  Vocabulary words;
  const std::string kind = data.text_or("tokenizer.ggml.model", "");
  if (kind.empty()) return words;
  if (kind == "llama") {
    words.how = Pieces::kSentencePiece;
  } else if (kind == "gpt2") {
    words.how = Pieces::kByteLevel;
    const std::string cut = data.text_or("tokenizer.ggml.pre", "default");
    if (cut == "smollm") {
      words.splitter = Splitter::kGpt2Digits;
    } else if (cut != "gpt-2" && cut != "default") {
      refuse(data.path(), fmt::format("cuts text as '{}' does; supported are gpt-2 and smollm", cut));
    }
  } else {
    refuse(data.path(), fmt::format("has a tokenizer of kind '{}'; supported are llama and gpt2", kind));
  }
  read_pieces(data, tokens, words);
  if (words.how == Pieces::kByteLevel) {
    read_merges(data, words);
  } else {
    const Value* const scores = data.list("tokenizer.ggml.scores", kF32, tokens);
    if (scores == nullptr) refuse(data.path(), "has tokens without scores; fetch it again");
    words.scores.resize(tokens);
    std::memcpy(words.scores.data(), scores->numbers.data(), scores->numbers.size());
  }
  const bool texts = words.how == Pieces::kSentencePiece;
  words.begin = token(data, "bos", tokens);
  words.end = token(data, "eos", tokens);
  words.unknown = token(data, "unknown", tokens);
  words.add_begin = data.flag_or("tokenizer.ggml.add_bos_token", texts) && words.begin;
  words.space_first = data.flag_or("tokenizer.ggml.add_space_prefix", texts);
  words.chat_template = data.text_or("tokenizer.chat_template", "");
  return words;
}

struct Entry {
  Tensor tensor;
  uint64_t offset;
  uint64_t bytes;
};

Entry read_entry(Reader& reader) {
  Entry entry;
  Tensor& tensor = entry.tensor;
  tensor.name = read_text(reader, "a tensor's name");
  const uint32_t rank = reader.count<uint32_t>("the rank of a tensor", 1, 4);
  for (uint32_t i = 0; i < rank; ++i)
    tensor.shape.insert(tensor.shape.begin(), reader.number<uint64_t>("a size of a tensor"));
  const auto type = reader.number<uint32_t>("the type of a tensor");
  entry.offset = reader.number<uint64_t>("where a tensor lies");
  const auto element = element_of_ggml(type);
  if (!element)
    refuse(
        reader.path(),
        fmt::format(
            "tensor '{}' has the type {}; supported are F32, F16, BF16, Q8_0, Q5_0, Q4_0, Q4_1, Q4_K, Q6_K",
            tensor.name, type));
  tensor.element = *element;
  const auto bytes = bytes_of(*element, tensor.shape);
  if (!bytes)
    refuse(
        reader.path(),
        fmt::format("tensor '{}' is said to have {} values of type {}, which cannot be; the file is damaged",
                    tensor.name, shape_text(tensor.shape), info(*element).name));
  entry.bytes = *bytes;
  return entry;
}

void read_weights(Reader& reader, uint64_t count, uint64_t alignment, const SharedBytes& file,
                  Weights& weights) {
  std::vector<Entry> entries;
  for (uint64_t i = 0; i < count; ++i) entries.push_back(read_entry(reader));
  const uint64_t start = (reader.at() + alignment - 1) / alignment * alignment;
  const auto data = file->bytes().subspan(std::min<uint64_t>(start, file->bytes().size()));
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.offset < b.offset; });
  uint64_t end = 0;
  for (Entry& entry : entries) {
    const std::string& name = entry.tensor.name;
    if (entry.offset % alignment != 0 || entry.offset < end)
      refuse(file->path(),
             fmt::format("tensor '{}' does not begin where one can; the file is damaged", name));
    if (entry.offset > data.size() || entry.bytes > data.size() - entry.offset)
      refuse(file->path(), fmt::format("ends before the end of tensor '{}'; fetch it again", name));
    end = entry.offset + entry.bytes;
    entry.tensor.data = data.subspan(entry.offset, entry.bytes);
    weights.add(std::move(entry.tensor));
  }
}

}  // namespace

Model load_gguf(const SharedBytes& file) {
  Reader reader(file->path(), file->bytes());
  reader.take(4, "the header");
  const auto version = reader.number<uint32_t>("the version");
  if (version != 2 && version != 3)
    refuse(file->path(), fmt::format("has version {} of GGUF; supported are 2 and 3", version));
  const auto tensors = reader.number<uint64_t>("the number of tensors");
  const auto pairs = reader.number<uint64_t>("the number of keys");
  // Each takes more than eight bytes; a loop over more would only find the end of the file.
  if (tensors > reader.left() / 8 || pairs > reader.left() / 8)
    refuse(file->path(),
           fmt::format("is said to have {} tensors and {} keys; the file is damaged", tensors, pairs));
  const Metadata data(reader, pairs);
  const std::string kind = data.text_or("general.architecture", "");
  const Architecture* const architecture = architecture_of_gguf(kind);
  if (architecture == nullptr)
    refuse(file->path(), fmt::format("has the architecture '{}'; supported are {}", kind, gguf_kinds()));
  const uint32_t alignment = data.count_or("general.alignment", 1, 1 << 20, 32);
  Model model;
  model.path = file->path();
  model.format = fmt::format("GGUF version {}", version);
  model.files = {file};
  Weights weights(file->path());
  read_weights(reader, tensors, alignment, file, weights);
  DecoderShape shape = shape_of(data, kind, *architecture->decoder);
  const Tensor* const embedding = weights.find("token_embd.weight");
  if (embedding == nullptr || embedding->shape.size() != 2 || embedding->shape[0] > kMostVocabulary)
    refuse(file->path(), "has no tensor 'token_embd.weight' with a row for each token; fetch it again");
  shape.vocabulary = static_cast<uint32_t>(embedding->shape[0]);
  model.architecture = architecture;
  model.shape = shape;
  weights.move_to(model, Naming::kGguf);
  model.vocabulary = read_vocabulary(data, shape.vocabulary);
  return model;
}

}  // namespace swai::models
