// SPDX-License-Identifier: Apache-2.0
// From a spectrogram to what was said, window by window, as OpenAI's `transcribe` does it.
#pragma once

#include <functional>
#include <optional>

#include "host/models/audio/mel.hpp"
#include "host/models/speech/output.hpp"
#include "host/models/speech/speech.hpp"

namespace swai::transcribe {

struct Options {
  std::vector<double> temperatures = {0, 0.2, 0.4, 0.6, 0.8, 1};  // the next one when a text is no good
  double most_compression = 2.4;  // texts that zlib makes smaller than that repeat themselves
  double least_probability = -1;  // mean logarithm
  uint32_t beams = 1;             // texts that go on at once at the first temperature, if it is 0
  double no_speech = 0.6;         // more: nobody speaks, if the text is improbable, too
  bool detect_silence = true;     // false: the decoder's first pass takes all directions at once
  bool timestamps = true;
  bool condition_on_previous = true;
  bool short_windows = false;  // for sounds that are shorter than a window; not every model stands it
  std::string initial_prompt;
  std::string task = "transcribe";  // or "translate"
  std::string language = "en";      // "auto": the likeliest
};

struct Progress {
  uint64_t done = 0;  // frames
  uint64_t all = 0;
};

class Transcriber {
 public:
  // `window`: frames that the model hears at a time, at most; `context`: tokens that its decoder knows.
  // `listener`: goes through windows by itself, as long as their first attempt is good; null: `speech` is led
  // all the way.
  Transcriber(Speech& speech, Listener* listener, const models::Tokenizer& tokenizer,
              const SpecialTokens& special, uint32_t window, uint32_t context, Options options);

  // Reports each segment when its window is done. `progress` may be empty. It is called before the sound's
  // first byte leaves the host, and when the last token of each window has arrived.
  void run(const audio::Mel& mel, uint64_t frames, const std::function<void(const Said&)>& said,
           const std::function<void(const Progress&)>& progress = {});
  // Found, or as the options say. Of the last run.
  std::string language() const { return std::string(language_code(language_)); }
  uint64_t windows() const { return windows_; }

 private:
  // What a window's tokens are, and how good they look.
  struct Text {
    std::vector<Token> tokens;
    double mean_log_probability = 0;
    double words_log_probability = 0;  // mean; without timestamps, whose place is often open
    double no_speech = 0;
    double compression = 0;
    double temperature = 0;
  };

  void find_language();
  std::vector<Token> directions() const;
  Rules rules_behind(std::span<const Token> tokens, double temperature) const;
  Text decode(std::span<const Token> prompt, double temperature);
  Text decode_well(std::span<const Token> prompt, std::optional<Text> first);
  Text text_of(const Heard& heard) const;
  std::vector<float> rows_of(const audio::Mel& mel, uint64_t first, uint64_t count) const;
  void lead(const audio::Mel& mel, std::optional<Text> first);
  std::optional<Text> listen();
  void take(const Text& text);
  bool is_good(const Text& text) const;
  bool is_silence(const Text& text) const;
  std::string words_of(std::span<const Token> tokens) const;

  Speech& speech_;
  Listener* const listener_;
  const models::Tokenizer& tokenizer_;
  const SpecialTokens special_;
  const uint32_t most_window_;
  const uint32_t context_;
  const Options options_;
  // Of the run: windows of how many frames, where it is, of how many frames, and what was said before and
  // since when it counts.
  uint32_t window_ = 0;
  uint64_t at_ = 0;
  uint64_t frames_ = 0;
  std::vector<Token> before_;
  size_t context_from_ = 0;
  std::function<void(const Said&)> said_;
  std::function<void(const Progress&)> progress_;
  uint32_t language_ = 0;
  bool language_known_ = false;
  uint64_t windows_ = 0;
};

}  // namespace swai::transcribe
