// SPDX-License-Identifier: Apache-2.0
// Small models of verif/host/models/files/data as a card has them.
#pragma once

#include "host/models/speech/card_whisper.hpp"

namespace swai::transcribe {

// Its vocabulary is none of OpenAI's: the last tokens are said to be timestamps.
inline CardWhisper tiny_card(const models::Model& model, Precision precision = Precision::kFp32,
                             std::span<const std::string> four_bits = {}) {
  CardWhisper card;
  card.precision = precision;
  card.formats = whisper_formats(precision, four_bits);
  card.path = model.path;
  card.shape = model.whisper();
  card.moments = card.shape.audio_context;
  card.first_timestamp = card.shape.vocabulary - 6;
  card.key_bias = model.find("encoder.layer.0.attention.key.bias") != nullptr;
  return card;
}

}  // namespace swai::transcribe
