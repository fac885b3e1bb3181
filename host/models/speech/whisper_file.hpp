// SPDX-License-Identifier: Apache-2.0
// A Whisper model as far as it needs no card.
#pragma once

#include <memory>

#include "host/models/files/tokenizer.hpp"
#include "host/models/speech/card_speech.hpp"
#include "host/models/speech/special_tokens.hpp"
#include "host/models/speech/whisper_model.hpp"

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
