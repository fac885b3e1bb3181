// SPDX-License-Identifier: Apache-2.0
// A Whisper model as far as it needs no card.
#pragma once

#include <memory>

#include "host/models/tokenizer.hpp"
#include "host/transcribe/card_speech.hpp"
#include "host/transcribe/special_tokens.hpp"
#include "host/transcribe/whisper_model.hpp"

namespace swai::transcribe {

struct WhisperFile {
  // Throws InputError, with the model's path.
  explicit WhisperFile(WhisperModel ready);

  Forbidden forbidden() const;

  WhisperModel model;
  std::unique_ptr<models::Tokenizer> tokenizer;
  SpecialTokens special;
};

}  // namespace swai::transcribe
