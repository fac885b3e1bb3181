// SPDX-License-Identifier: Apache-2.0
// What a model hears in sounds, as JSON: for programs that compute it without a card.
#pragma once

#include <iostream>
#include <nlohmann/json.hpp>

#include "host/models/audio/mel.hpp"
#include "host/models/audio/sound.hpp"
#include "host/models/speech/transcriber.hpp"
#include "host/models/speech/whisper_file.hpp"

namespace swai::transcribe {

// A line for each sound, with what `swai transcribe` says as far as both know the same.
inline void print_heard(Speech& speech, const WhisperFile& file, const Options& options,
                        std::span<const std::string> sounds) {
  const CardWhisper& card = file.model.card;
  Transcriber transcriber(speech, nullptr, *file.tokenizer, file.special, card.frames(),
                          card.shape.text_context, options);
  for (const std::string& name : sounds) {
    const audio::Sound sound = audio::read_sound(name);
    nlohmann::json tokens = nlohmann::json::array();
    nlohmann::json probabilities = nlohmann::json::array();
    nlohmann::json silences = nlohmann::json::array();
    std::string text;
    transcriber.run(audio::log_mel(sound.samples, card.shape.mels),
                    (sound.samples.size() + audio::kHop - 1) / audio::kHop, [&](const Said& said) {
                      text += said.text;
                      probabilities.push_back(said.mean_log_probability);
                      silences.push_back(said.no_speech_probability);
                      for (const Token token : said.segment.tokens) tokens.push_back(token);
                    });
    std::cout << nlohmann::json{{"file", name},
                                {"language", transcriber.language()},
                                {"text", text},
                                {"tokens", tokens},
                                {"avg_logprob", probabilities},
                                {"no_speech_prob", silences}}
              << std::endl;
  }
}

}  // namespace swai::transcribe
