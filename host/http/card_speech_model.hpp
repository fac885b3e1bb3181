// A Whisper model on a card, which stays there between requests.
#pragma once

#include <memory>

#include "host/http/speech_model.hpp"
#include "host/transcribe/card_listener.hpp"
#include "host/transcribe/whisper_file.hpp"

namespace swai::http {

class CardSpeechModel : public SpeechModel {
 public:
  // Throws walk::CardError when the card has not so much memory. `name`: what messages call the program
  // `listen`, whose file `program` is.
  CardSpeechModel(std::unique_ptr<transcribe::WhisperFile> file, walk::Walker& walker, std::string name,
                  std::span<const uint8_t> program);

  Transcript transcribe(std::string_view file, const SpeechRequest& request,
                        const std::function<bool()>& go_on) override;

 private:
  const std::unique_ptr<transcribe::WhisperFile> file_;
  transcribe::CardSpeech speech_;
  transcribe::CardListener listener_;
};

}  // namespace swai::http
