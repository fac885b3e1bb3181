// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/decoder/card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cpe-kernels/operators/common/limits.hpp"

namespace swai::models {
namespace {

constexpr std::string_view kLayer = "layer.";

std::string in_layer(uint32_t layer, const std::string& kind) {
  return fmt::format("{}{}.{}", kLayer, layer, kind);
}

void check_width(const std::string& path, const char* what, uint64_t width) {
  if (width > operators::kMaxRow) {
    refuse(path, fmt::format("has {} of {} channels; the card's operators take {} at most", what, width,
                             operators::kMaxRow));
  }
}

// For contexts longer than those of training: long waves are stretched, short ones stay, those between are
// mixed.
double scaled(double frequency, const RotaryScaling& scaling) {
  switch (scaling.kind) {
    case RotaryScaling::kNone:
      return frequency;
    case RotaryScaling::kLinear:
      return frequency / scaling.factor;
    case RotaryScaling::kLlama3:
      break;
  }
  const double waves = scaling.original_context * frequency / (2 * std::numbers::pi);
  const double kept = std::clamp((waves - scaling.low) / (scaling.high - scaling.low), 0.0, 1.0);
  return frequency * (kept + (1 - kept) / scaling.factor);
}

std::vector<double> frequencies_of(const Model& model, double theta) {
  const DecoderShape& shape = model.decoder();
  const Tensor* const factors = model.find("rotary.factors");
  const std::vector<float> divisors =
      factors == nullptr ? std::vector<float>(shape.head_width / 2, 1.0F) : floats(*factors);
  std::vector<double> frequencies;
  for (uint32_t pair = 0; pair < shape.head_width / 2; ++pair) {
    const double plain = std::pow(theta, -2.0 * pair / shape.head_width);
    frequencies.push_back(scaled(plain, shape.scaling) / static_cast<double>(divisors[pair]));
  }
  return frequencies;
}

uint32_t filled_up(uint32_t head_width) {
  constexpr uint32_t kHeadStep = 16;
  return (head_width + kHeadStep - 1) / kHeadStep * kHeadStep;
}

bool has_minima(const Tensor& tensor) {
  return tensor.element == Element::kQ4_0 || tensor.element == Element::kQ4_1;
}

// What the file has in four bits with minima is taken as it is, where columns are those of the file.
WeightFormats formats_of(const Model& model, Precision precision) {
  const DecoderShape& shape = model.decoder();
  const std::vector<MatrixKind> kinds = matrix_kinds(*model.architecture);
  WeightFormats formats = weight_formats(kinds, precision);
  if (precision != Precision::kW4A8) return formats;
  for (const MatrixKind& kind : kinds) {
    if (kind.name == "head") continue;
    bool as_in_file = true;
    for (uint32_t layer = 0; layer < shape.layers; ++layer)
      as_in_file = as_in_file && has_minima(model.at(in_layer(layer, kind.name)));
    const Axis columns = row_of(*model.architecture, in_layer(0, kind.name)).shape[1];
    const bool whole_groups = columns != Axis::kMixed || filled_up(shape.head_width) == shape.head_width;
    if (as_in_file && whole_groups) formats[kind.name] = WeightFormat::kInt4Minima;
  }
  return formats;
}

std::set<std::string, std::less<>> biased_in(const Model& model) {
  std::set<std::string, std::less<>> biased;
  constexpr std::string_view kBias = ".bias";
  for (const Tensor& tensor : model.tensors) {
    if (!tensor.name.ends_with(kBias)) continue;
    const std::string kind = kind_of(tensor.name);
    biased.insert(kind.substr(0, kind.size() - kBias.size()));
  }
  return biased;
}

}  // namespace

CardDecoder card_decoder(const std::string& path, DecoderFacts facts) {
  CardDecoder card;
  card.path = path;
  card.architecture = facts.architecture;
  card.shape = facts.shape;
  card.precision = facts.precision;
  card.formats = std::move(facts.formats);
  card.tied = facts.tied;
  card.biased = std::move(facts.biased);
  card.head_width = filled_up(card.shape.head_width);
  card.frequencies = std::move(facts.frequencies);
  card.local_frequencies = std::move(facts.local_frequencies);
  check_width(path, "rows", card.shape.width);
  check_width(path, "queries", uint64_t{card.shape.heads} * card.head_width);
  const bool norms = std::ranges::any_of(card.architecture->tensors, [](const TensorName& row) {
    return row.shape == std::vector{Axis::kHead};
  });
  if (norms && card.head_width != card.shape.head_width) {
    refuse(path, fmt::format("normalises heads of {} channels; the card does so with multiples of 16",
                             card.shape.head_width));
  }
  return card;
}

CardDecoder card_decoder(const Model& model, Precision precision) {
  if (!model.is_decoder())
    refuse(model.path, "is a model of speech; text comes from models of the llama kind");
  const DecoderShape& shape = model.decoder();
  return card_decoder(
      model.path,
      {.architecture = model.architecture,
       .shape = shape,
       .precision = precision,
       .formats = formats_of(model, precision),
       // Of few bits each lies as its operator wants it: rows of the one, packed columns of the other.
       .tied = precision == Precision::kFp32 && model.find("head") == nullptr,
       .biased = biased_in(model),
       .frequencies = frequencies_of(model, shape.rope_theta),
       .local_frequencies =
           shape.global_every == 0 ? std::vector<double>() : frequencies_of(model, shape.local_theta)});
}

std::string graph_name(std::string_view tensor) {
  if (!tensor.starts_with(kLayer)) return std::string(tensor);
  const size_t end = tensor.find('.', kLayer.size());
  return fmt::format("layer[{}]{}", tensor.substr(kLayer.size(), end - kLayer.size()), tensor.substr(end));
}

std::string kind_of(std::string_view tensor) {
  if (!tensor.starts_with(kLayer)) return std::string(tensor);
  return std::string(tensor.substr(tensor.find('.', kLayer.size()) + 1));
}

}  // namespace swai::models
