// SPDX-License-Identifier: Apache-2.0
// A Whisper model on a card, which stays there between requests.
#pragma once

#include <memory>

#include "host/daemon/http/speech_model.hpp"
#include "host/models/speech/card_listener.hpp"
#include "host/models/speech/whisper_file.hpp"

namespace swai::http {

class CardSpeechModel : public SpeechModel {
 public:
  // `program`: the file of the program `listen`, which messages call `name`. `max_seconds`: maximum length of
  // a sound; longer ones are refused. Throws walk::CardError if the card has too little memory.
  CardSpeechModel(std::unique_ptr<transcribe::WhisperFile> file, walk::Walker& walker, std::string name,
                  std::span<const uint8_t> program, uint32_t max_seconds);

  Transcript transcribe(std::string_view file, const SpeechRequest& request,
                        const std::function<bool()>& go_on) override;

 private:
  const std::unique_ptr<transcribe::WhisperFile> file_;
  const uint32_t max_seconds_;
  transcribe::CardSpeech speech_;
  transcribe::CardListener listener_;
};

}  // namespace swai::http
