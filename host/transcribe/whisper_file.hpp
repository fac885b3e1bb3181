// A Whisper model as far as it needs no card.
#pragma once

#include <memory>

#include "host/models/model.hpp"
#include "host/models/tokenizer.hpp"
#include "host/transcribe/card_speech.hpp"
#include "host/transcribe/special_tokens.hpp"
#include "host/transcribe/whisper_graph.hpp"

namespace swai::transcribe {

struct WhisperFile {
  // Throws InputError. `four_bits`: as storing_of takes it.
  WhisperFile(models::Model loaded, Precision precision, std::span<const std::string> four_bits = {});

  Forbidden forbidden() const;

  models::Model model;
  CardWhisper card;
  std::unique_ptr<models::Tokenizer> tokenizer;
  SpecialTokens special;
  WhisperPrograms programs;
};

}  // namespace swai::transcribe
