// SPDX-License-Identifier: Apache-2.0
#include "host/generate/card_llama.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cpe-kernels/operators/common/limits.hpp"

namespace swai::generate {
namespace {

constexpr std::string_view kLayer = "layer.";

// A bias that only some layers have counts: it is there in the graph of all.
bool any_bias(const models::Model& model, std::string_view projection) {
  for (uint32_t layer = 0; layer < model.llama().layers; ++layer)
    if (model.find(fmt::format("layer.{}.attention.{}.bias", layer, projection)) != nullptr) return true;
  return false;
}

void check_width(const std::string& path, const char* what, uint64_t width) {
  if (width > operators::kMaxRow) {
    models::refuse(path, fmt::format("has {} of {} channels; the card's operators take {} at most", what,
                                     width, operators::kMaxRow));
  }
}

// For contexts longer than those of training: long waves are stretched, short ones stay, those between are
// mixed.
double scaled(double frequency, const models::RotaryScaling& scaling) {
  switch (scaling.kind) {
    case models::RotaryScaling::kNone:
      return frequency;
    case models::RotaryScaling::kLinear:
      return frequency / scaling.factor;
    case models::RotaryScaling::kLlama3:
      break;
  }
  const double waves = scaling.original_context * frequency / (2 * std::numbers::pi);
  const double kept = std::clamp((waves - scaling.low) / (scaling.high - scaling.low), 0.0, 1.0);
  return frequency * (kept + (1 - kept) / scaling.factor);
}

std::vector<double> frequencies_of(const models::Model& model) {
  const models::LlamaShape& shape = model.llama();
  const models::Tensor* const factors = model.find("rotary.factors");
  const std::vector<float> divisors =
      factors == nullptr ? std::vector<float>(shape.head_width / 2, 1.0F) : models::floats(*factors);
  std::vector<double> frequencies;
  for (uint32_t pair = 0; pair < shape.head_width / 2; ++pair) {
    const double plain = std::pow(shape.rope_theta, -2.0 * pair / shape.head_width);
    frequencies.push_back(scaled(plain, shape.scaling) / static_cast<double>(divisors[pair]));
  }
  return frequencies;
}

uint32_t filled_up(uint32_t head_width) {
  constexpr uint32_t kHeadStep = 16;
  return (head_width + kHeadStep - 1) / kHeadStep * kHeadStep;
}

}  // namespace

CardLlama make_card_llama(const std::string& path, const models::LlamaShape& shape, Precision precision,
                          Stores stores, bool tied, const Biases& biases, std::vector<double> frequencies) {
  CardLlama card;
  card.path = path;
  card.shape = shape;
  card.precision = precision;
  card.stores = std::move(stores);
  card.tied = tied;
  card.biases = biases;
  card.head_width = filled_up(shape.head_width);
  card.frequencies = std::move(frequencies);
  check_width(path, "rows", shape.width);
  check_width(path, "queries", uint64_t{shape.heads} * card.head_width);
  return card;
}

CardLlama card_llama(const models::Model& model, Precision precision) {
  if (!model.is_llama())
    models::refuse(model.path, "is a model of speech; text comes from models of the llama kind");
  // Of few bits each lies as its operator wants it: rows of the one, packed columns of the other.
  const bool tied = precision == Precision::kFp32 && model.find("head") == nullptr;
  const Biases biases = {any_bias(model, "query"), any_bias(model, "key"), any_bias(model, "value"),
                         any_bias(model, "output")};
  const uint32_t head_width = model.llama().head_width;
  return make_card_llama(model.path, model.llama(), precision,
                         stores_of(model, precision, filled_up(head_width) == head_width), tied, biases,
                         frequencies_of(model));
}

std::string graph_name(std::string_view tensor) {
  std::string name(tensor);
  if (tensor.starts_with(kLayer)) {
    const size_t end = tensor.find('.', kLayer.size());
    name = fmt::format("layer[{}]{}", tensor.substr(kLayer.size(), end - kLayer.size()), tensor.substr(end));
  }
  // The other name is a word of the language.
  constexpr std::string_view kOutput = ".output";
  if (const size_t at = name.find(kOutput); at != std::string::npos) name.replace(at, kOutput.size(), ".mix");
  return name;
}

}  // namespace swai::generate
