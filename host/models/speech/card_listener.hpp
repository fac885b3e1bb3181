// SPDX-License-Identifier: Apache-2.0
// A sound in one launch: the program `listen` (firmware/programs) leads the decoder, and goes from window to
// window.
#pragma once

#include <optional>

#include "host/models/exec/job.hpp"
#include "host/models/speech/card_speech.hpp"

namespace swai::transcribe {

class CardListener : public Listener {
 public:
  // `speech` stays as long as this. `name`: what messages call the program, whose file `program` is.
  CardListener(std::string name, std::span<const uint8_t> program, CardSpeech& speech,
               const SpecialTokens& special);

  // How the program builds and launches lists from now on; the next one while one runs, and each in one
  // launch, is the standard.
  void build(building::Mode mode) { mode_ = mode; }

  void take(std::span<const float> mel, uint64_t frames) override;
  void listen(const Wish& wish, const std::function<bool(const Heard&)>& heard) override;

  // Launches: of the program. Items: windows that were wanted.
  const CardSpeech::Work& work() const { return work_; }
  // Of the lists that it built for all sounds.
  const building::Work& building() const { return building_; }

 private:
  std::vector<uint8_t> arguments_of(const Wish& wish);
  void count(const building::Work& more);

  CardSpeech& speech_;
  const SpecialTokens special_;
  building::Mode mode_ = {building::When::kAsync, building::Launches::kList, building::Memory::kZeroCopy, 0};
  // Places the sound for windows after the first one, and notifies the program.
  void place_sound();

  walk::CardMemory kept_;
  std::optional<walk::CardMemory> sound_;
  std::vector<float> mel_;  // empty: it has been placed
  uint64_t frames_ = 0;
  walk::Job job_;
  CardSpeech::Work work_;
  building::Work building_ = {};
};

}  // namespace swai::transcribe
