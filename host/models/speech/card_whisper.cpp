// SPDX-License-Identifier: Apache-2.0
#include "host/models/speech/card_whisper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "cpe-kernels/operators/common/limits.hpp"
#include "host/lib/elf.hpp"
#include "host/models/speech/special_tokens.hpp"

namespace swai::transcribe {
namespace {

using models::MatrixKind;

// "encoder" and "encoder.attention" begin "encoder.attention.query"; "enc" does not.
bool begins(std::string_view kind, std::string_view name) {
  return kind.starts_with(name) && (kind.size() == name.size() || kind[name.size()] == '.');
}

}  // namespace

std::span<const MatrixKind> whisper_matrices() {
  static const std::array kKinds = {MatrixKind{"encoder.attention.query", true},
                                    MatrixKind{"encoder.attention.key", true},
                                    MatrixKind{"encoder.attention.value", true},
                                    MatrixKind{"encoder.attention.output", true},
                                    MatrixKind{"encoder.feed_forward.up", false},
                                    MatrixKind{"encoder.feed_forward.down", false},
                                    MatrixKind{"decoder.attention.query", false},
                                    MatrixKind{"decoder.attention.key", true},
                                    MatrixKind{"decoder.attention.value", true},
                                    MatrixKind{"decoder.attention.output", false},
                                    MatrixKind{"decoder.cross.query", false},
                                    MatrixKind{"decoder.cross.key", true},
                                    MatrixKind{"decoder.cross.value", true},
                                    MatrixKind{"decoder.cross.output", false},
                                    MatrixKind{"decoder.feed_forward.up", false},
                                    MatrixKind{"decoder.feed_forward.down", true},
                                    MatrixKind{"head", true}};
  return kKinds;
}

std::string kind_of(std::string_view tensor) {
  constexpr std::string_view kLayer = ".layer.";
  const size_t layer = tensor.find(kLayer);
  if (layer == std::string_view::npos) return std::string(tensor);
  const size_t rest = tensor.find('.', layer + kLayer.size());
  return std::string(tensor.substr(0, layer)) + std::string(tensor.substr(rest));
}

models::WeightFormats whisper_formats(Precision precision, std::span<const std::string> four_bits) {
  if (four_bits.empty()) return weight_formats(whisper_matrices(), precision);
  models::WeightFormats formats = weight_formats(whisper_matrices(), Precision::kW8A8);
  for (const std::string& name : four_bits) {
    if (precision != Precision::kW4A8)
      throw common::InputError(fmt::format("four bits for {}: only the precision w4a8 has them", name));
    bool found = false;
    for (auto& [kind, format] : formats) {
      if (!begins(kind, name)) continue;
      format = models::WeightFormat::kInt4;
      found = true;
    }
    if (found) continue;
    std::vector<std::string_view> names;
    for (const MatrixKind& kind : whisper_matrices()) names.emplace_back(kind.name);
    throw common::InputError(
        fmt::format("four bits for {}: there is no such matrix; there are {}, and how these begin", name,
                    fmt::join(names, ", ")));
  }
  return formats;
}

uint32_t CardWhisper::taken(size_t waiting, uint32_t past) const {
  if (eager_rows == 0) return static_cast<uint32_t>(std::min<size_t>(waiting, kChunk));
  return past == 0 && waiting == eager_rows ? eager_rows : 1;
}

CardWhisper make_card_whisper(const std::string& path, const models::WhisperShape& shape, Precision precision,
                              models::WeightFormats formats, bool key_bias) {
  CardWhisper card;
  card.path = path;
  card.shape = shape;
  card.first_timestamp = special_tokens(path, shape.vocabulary).first_timestamp;
  card.precision = precision;
  card.formats = std::move(formats);
  card.key_bias = key_bias;
  card.moments = shape.audio_context;
  if (shape.width > operators::kMaxRow) {
    models::refuse(path, fmt::format("has rows of {} channels; the card's operators take {} at most",
                                     shape.width, operators::kMaxRow));
  }
  return card;
}

CardWhisper card_whisper(const models::Model& model, Precision precision,
                         std::span<const std::string> four_bits) {
  if (model.is_decoder()) {
    models::refuse(
        model.path,
        "is a language model; transcribing takes a Whisper model, and `swai generate` takes this one");
  }
  const bool key_bias = std::ranges::any_of(
      model.tensors, [](const models::Tensor& tensor) { return tensor.name.ends_with(".key.bias"); });
  return make_card_whisper(model.path, model.whisper(), precision, whisper_formats(precision, four_bits),
                           key_bias);
}

}  // namespace swai::transcribe
