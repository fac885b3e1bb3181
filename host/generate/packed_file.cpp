#include "host/generate/packed_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "abi/sha256.hpp"
#include "host/generate/llama_graph.hpp"
#include "host/generate/vocabulary_bytes.hpp"
#include "host/graph/layout.hpp"
#include "host/models/json_file.hpp"
#include "host/models/loaders.hpp"
#include "host/models/new_file.hpp"
#include "host/models/reader.hpp"

namespace swai::generate {
namespace {

using models::JsonFile, models::SharedBytes;
using nlohmann::json;

constexpr const char* kVersion = "2";
constexpr const char* kTokens = "tokens";

std::string hex(std::span<const uint8_t> digest) {
  std::string text;
  for (const uint8_t byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

// Weights do not depend on how long texts may be.
graph::Layout layout_of(const CardLlama& card) {
  return {llama_program(card, {1, 1}).pattern, graph::ValueKind::kWeight};
}

// --- Numbers of the model

json numbers_of(const CardLlama& card) {
  const models::LlamaShape& is = card.shape;
  json stores;
  for (const auto& [name, store] : card.stores) stores[name] = to_text(store);
  return {{"precision", to_text(card.precision)},
          {"stores", stores},
          {"width", is.width},
          {"inner", is.inner},
          {"layers", is.layers},
          {"heads", is.heads},
          {"kv_heads", is.kv_heads},
          {"head_width", is.head_width},
          {"vocabulary", is.vocabulary},
          {"context", is.context},
          {"epsilon", is.epsilon},
          {"tied", card.tied},
          {"query_bias", card.biases.query},
          {"key_bias", card.biases.key},
          {"value_bias", card.biases.value},
          {"output_bias", card.biases.output},
          {"frequencies", card.frequencies}};
}

std::vector<double> frequencies_of(const JsonFile& numbers, size_t count) {
  std::vector<double> all;
  const auto found = numbers.root().find("frequencies");
  if (found != numbers.root().end() && found->is_array()) {
    for (const json& one : *found)
      if (one.is_number() && std::abs(one.get<double>()) <= 1e6) all.push_back(one.get<double>());
  }
  if (all.size() != count)
    models::refuse(numbers.path(),
                   fmt::format("does not have {} rotary frequencies; the file is damaged", count));
  return all;
}

Stores stores_of(const JsonFile& numbers, Precision precision) {
  Stores stores;
  if (const std::optional<JsonFile> all = numbers.object("stores")) {
    for (const auto& [name, text] : all->root().items()) {
      const std::optional<Store> store = store_named(text.is_string() ? text.get<std::string>() : "");
      if (store) stores.emplace(name, *store);
    }
  }
  if (!are_stores(stores, precision))
    models::refuse(numbers.path(), "does not say how each kind of matrix is stored; the file is damaged");
  return stores;
}

CardLlama card_of(const JsonFile& numbers) {
  models::LlamaShape shape;
  shape.width = numbers.count("width", 1, models::kMostWidth);
  shape.inner = numbers.count("inner", 1, models::kMostInner);
  shape.layers = numbers.count("layers", 1, models::kMostLayers);
  shape.heads = numbers.count("heads", 1, models::kMostHeads);
  shape.kv_heads = numbers.count("kv_heads", 1, models::kMostHeads);
  shape.head_width = numbers.count("head_width", 1, models::kMostWidth);
  shape.vocabulary = numbers.count("vocabulary", 1, models::kMostVocabulary);
  shape.context = numbers.count("context", 1, models::kMostContext);
  shape.epsilon = numbers.number_or("epsilon", 0, 1, 1e-5);
  models::check_shape(numbers.path(), shape);
  const std::string name = numbers.text_or("precision", "");
  const std::optional<Precision> precision = precision_named(name);
  if (!precision)
    models::refuse(numbers.path(), fmt::format("is packed as '{}', which this swai does not know", name));
  const Biases biases = {numbers.flag_or("query_bias", false), numbers.flag_or("key_bias", false),
                         numbers.flag_or("value_bias", false), numbers.flag_or("output_bias", false)};
  return make_card_llama(numbers.path(), shape, *precision, stores_of(numbers, *precision),
                         numbers.flag_or("tied", false), biases,
                         frequencies_of(numbers, shape.head_width / 2));
}

// --- Header

struct Header {
  JsonFile numbers;
  JsonFile digests;
};

JsonFile header_json(const models::FileBytes& file) {
  models::Reader reader(file.path(), file.bytes());
  const auto bytes = reader.number<uint64_t>("the header's length");
  return {file.path(), reader.text(bytes, "the header")};
}

Header header_of(const SharedBytes& file) {
  const JsonFile root = header_json(*file);
  const JsonFile metadata = root.object("__metadata__").value();  // is_packed has seen it
  const std::string version = metadata.text_or("swai", "");
  if (version != kVersion) {
    models::refuse(file->path(),
                   fmt::format("was packed by another version of swai (format {}, this one reads {}); "
                               "pack the model again",
                               version, kVersion));
  }
  const std::string numbers = metadata.text_or("model", ""), digests = metadata.text_or("digests", "");
  return {JsonFile(file->path(), std::string_view(numbers)),
          JsonFile(file->path(), std::string_view(digests))};
}

models::Weights tensors_of(const SharedBytes& file) {
  models::Weights weights(file->path());
  models::read_safetensors(file, weights);
  return weights;
}

// What a tensor holds beside what fills it up to whole pages.
std::span<const uint8_t> contents_of(const SharedBytes& file, const models::Weights& tensors,
                                     const std::string& name, size_t bytes) {
  const models::Tensor* const tensor = tensors.find(name);
  if (tensor == nullptr || tensor->element != models::Element::kI8 ||
      tensor->data.size() != graph::pages(bytes)) {
    models::refuse(file->path(), fmt::format("does not have {} with {} bytes; the file is damaged", name,
                                             graph::pages(bytes)));
  }
  return tensor->data.first(bytes);
}

// --- Writing

// The header as it lies in the file, with its length in front, filled up to whole pages.
std::string header_text(const CardModel& model, const graph::Layout& layout, size_t token_bytes,
                        const json& digests) {
  json root = {{"__metadata__",
                {{"swai", kVersion}, {"model", numbers_of(model.card).dump()}, {"digests", digests.dump()}}}};
  const auto add = [&](const std::string& name, size_t at, size_t bytes) {
    root[name] = {{"dtype", "I8"}, {"shape", {bytes}}, {"data_offsets", {at, at + bytes}}};
  };
  for (const auto& [name, extent] : layout.extents) add(name, extent.offset, graph::pages(extent.bytes));
  add(kTokens, layout.bytes, token_bytes);
  std::string text = root.dump();
  text.resize(graph::pages(text.size() + sizeof(uint64_t)) - sizeof(uint64_t), ' ');
  const uint64_t bytes = text.size();
  return std::string(reinterpret_cast<const char*>(&bytes), sizeof bytes) + text;
}

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

bool is_packed(const models::FileBytes& file) {
  if (file.bytes().size() < 9 || file.bytes()[8] != '{') return false;
  try {
    const std::optional<JsonFile> metadata = header_json(file).object("__metadata__");
    return metadata && metadata->root().contains("swai");
  } catch (const std::exception&) {
    return false;  // whoever loads models says what it is
  }
}

CardModel open_packed(const SharedBytes& file) {
  const CardLlama card = card_of(header_of(file).numbers);
  const models::Weights tensors = tensors_of(file);
  const models::Tensor* const tokens = tensors.find(kTokens);
  if (tokens == nullptr) models::refuse(file->path(), "has no tokens; the file is damaged");
  models::Reader reader(file->path(), tokens->data);
  models::Vocabulary vocabulary = read_vocabulary(reader, card.shape.vocabulary);
  std::map<std::string, std::span<const uint8_t>> contents;
  for (const auto& [name, extent] : layout_of(card).extents)
    contents.emplace(name, contents_of(file, tensors, name, extent.bytes));
  return {card, std::move(vocabulary), [file, contents](const Put& put) {
            for (const auto& [name, bytes] : contents) put(name, bytes);
          }};
}

std::optional<std::string> damaged_tensor(const SharedBytes& file) {
  const Header header = header_of(file);
  const CardModel model = open_packed(file);
  std::optional<std::string> damaged;
  model.weights([&](const std::string& name, std::span<const uint8_t> contents) {
    if (!damaged && header.digests.text_or(name.c_str(), "") != hex(sha256(contents))) damaged = name;
  });
  const models::Weights tensors = tensors_of(file);
  if (!damaged && header.digests.text_or(kTokens, "") != hex(sha256(tensors.find(kTokens)->data)))
    damaged = kTokens;
  return damaged;
}

void write_packed(const CardModel& model, const std::string& path) {
  const graph::Layout layout = layout_of(model.card);
  const std::vector<uint8_t> tokens = bytes_of(model.vocabulary);
  json digests = {{kTokens, hex(sha256(tokens))}};
  for (const auto& [name, extent] : layout.extents) digests[name] = hex(std::array<uint8_t, 32>());
  // As long as it will be when the digests are known.
  const size_t data = header_text(model, layout, tokens.size(), digests).size();
  models::NewFile file(path);
  model.weights([&](const std::string& name, std::span<const uint8_t> contents) {
    file.write(data + layout.extents.at(name).offset, contents);
    digests[name] = hex(sha256(contents));
  });
  file.write(data + layout.bytes, tokens);
  file.write(0, bytes_of(header_text(model, layout, tokens.size(), digests)));
  file.finish();
}

}  // namespace swai::generate
