// SPDX-License-Identifier: Apache-2.0
#include "host/transcribe/card_whisper.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cpe-kernels/operators/common/limits.hpp"
#include "host/transcribe/special_tokens.hpp"

namespace swai::transcribe {

CardWhisper make_card_whisper(const std::string& path, const models::WhisperShape& shape, Precision precision,
                              Storing storing, bool key_bias) {
  CardWhisper card;
  card.path = path;
  card.shape = shape;
  card.first_timestamp = special_tokens(path, shape.vocabulary).first_timestamp;
  card.precision = precision;
  card.storing = std::move(storing);
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
  if (model.is_llama()) {
    models::refuse(
        model.path,
        "is a language model; transcribing takes a Whisper model, and `swai generate` takes this one");
  }
  const bool key_bias = std::ranges::any_of(
      model.tensors, [](const models::Tensor& tensor) { return tensor.name.ends_with(".key.bias"); });
  return make_card_whisper(model.path, model.whisper(), precision, storing_of(precision, four_bits),
                           key_bias);
}

}  // namespace swai::transcribe
