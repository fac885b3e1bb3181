// A Whisper model on a card, which stays there between requests.
#pragma once

#include <memory>

#include "host/http/speech_model.hpp"
#include "host/transcribe/whisper_file.hpp"

namespace swai::http {

class CardSpeechModel : public SpeechModel {
 public:
  // Throws walk::CardError when the card has not so much memory.
  CardSpeechModel(std::unique_ptr<transcribe::WhisperFile> file, walk::Walker& walker);

  Transcript transcribe(std::string_view file, const SpeechRequest& request,
                        const std::function<bool()>& go_on) override;

 private:
  const std::unique_ptr<transcribe::WhisperFile> file_;
  transcribe::CardSpeech speech_;
};

}  // namespace swai::http
