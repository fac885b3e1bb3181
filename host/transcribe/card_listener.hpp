// A sound in one launch: the program `listen` (firmware/programs) leads the decoder, and goes from window to
// window.
#pragma once

#include <optional>

#include "host/transcribe/card_speech.hpp"
#include "host/walk/job.hpp"

namespace swai::transcribe {

class CardListener : public Listener {
 public:
  // `speech` stays as long as this. `name`: what messages call the program, whose file `program` is.
  CardListener(std::string name, std::span<const uint8_t> program, CardSpeech& speech,
               const SpecialTokens& special);

  void take(std::span<const float> mel, uint64_t frames) override;
  void listen(const Wish& wish, const std::function<bool(const Heard&)>& heard) override;

  // Launches: of the program. Items: windows that were wanted.
  const CardSpeech::Work& work() const { return work_; }

 private:
  std::vector<uint8_t> arguments_of(const Wish& wish) const;

  CardSpeech& speech_;
  const SpecialTokens special_;
  std::vector<listen::Formula> several_, one_;  // of the sound's windows
  walk::CardMemory parameters_, kept_;
  std::optional<walk::CardMemory> sound_;
  uint64_t frames_ = 0;
  walk::Job job_;
  CardSpeech::Work work_;
};

}  // namespace swai::transcribe
