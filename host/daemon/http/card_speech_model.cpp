// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/http/card_speech_model.hpp"

#include <fmt/format.h>

#include "host/daemon/http/problem.hpp"
#include "host/lib/elf.hpp"
#include "host/models/audio/sound.hpp"

namespace swai::http {
namespace {

struct Unwanted {};

// Both throw Unwanted when the answer is no longer needed.
class SpeechAsLongAsWanted : public transcribe::Speech {
 public:
  SpeechAsLongAsWanted(transcribe::Speech& speech, const std::function<bool()>& go_on)
      : speech_(speech), go_on_(go_on) {}

  void begin_sound(uint32_t window) override { speech_.begin_sound(window); }
  void hear(std::span<const float> mel) override {
    check();
    speech_.hear(mel);
  }
  void begin() override { speech_.begin(); }
  transcribe::Choice append(std::span<const models::Token> tokens, const transcribe::Rules& rules) override {
    check();
    return speech_.append(tokens, rules);
  }
  double probability_of(models::Token token) override { return speech_.probability_of(token); }
  std::vector<transcribe::Choice> split(const transcribe::Rules& rules) override {
    check();
    return speech_.split(rules);
  }
  std::vector<std::vector<transcribe::Choice>> go_on(std::span<const transcribe::Branch> branches) override {
    check();
    return speech_.go_on(branches);
  }

 private:
  void check() const {
    if (!go_on_()) throw Unwanted();
  }

  transcribe::Speech& speech_;
  const std::function<bool()>& go_on_;
};

class ListenerAsLongAsWanted : public transcribe::Listener {
 public:
  ListenerAsLongAsWanted(transcribe::Listener& listener, const std::function<bool()>& go_on)
      : listener_(listener), go_on_(go_on) {}

  void take(std::span<const float> mel, uint64_t frames) override { listener_.take(mel, frames); }
  void listen(const Wish& wish, const std::function<bool(const transcribe::Heard&)>& heard) override {
    bool wanted = true;
    Wish asked = wish;
    asked.go_on = [&] { return wanted = wanted && go_on_(); };
    listener_.listen(asked, heard);
    if (!wanted) throw Unwanted();
  }

 private:
  transcribe::Listener& listener_;
  const std::function<bool()>& go_on_;
};

audio::Sound sound_of(std::string_view file, uint32_t max_seconds) {
  try {
    return audio::sound_in(file, "file", max_seconds);
  } catch (const audio::TooLong&) {
    throw Problem(413,
                  fmt::format("'file' is longer than {} s: cut it into pieces, or raise `swai serve "
                              "--http-sound-seconds`",
                              max_seconds),
                  "file", "sound_too_long");
  } catch (const common::InputError& error) {
    throw bad_request(error.what(), "file", "invalid_value");
  }
}

// Random numbers of second attempts: the same sound gives the same text.
constexpr uint64_t kSeed = 0;

}  // namespace

CardSpeechModel::CardSpeechModel(std::unique_ptr<transcribe::WhisperFile> file, walk::Walker& walker,
                                 std::string name, std::span<const uint8_t> program, uint32_t max_seconds)
    : file_(std::move(file)),
      max_seconds_(max_seconds),
      speech_(walker, file_->model, file_->forbidden(), kSeed),
      listener_(std::move(name), program, speech_, file_->special) {}

Transcript CardSpeechModel::transcribe(std::string_view file, const SpeechRequest& request,
                                       const std::function<bool()>& go_on) {
  transcribe::Options options = request.options;
  options.language = request.language.value_or(file_->special.multilingual ? "auto" : "en");
  if (!file_->special.multilingual && options.language != "en") {
    throw bad_request(fmt::format("'{}' knows English only: leave 'language' out", request.model), "language",
                      "invalid_value");
  }
  const audio::Sound sound = sound_of(file, max_seconds_);
  const audio::Mel mel = audio::log_mel(sound.samples, file_->model.card.shape.mels);
  Transcript transcript;
  transcript.seconds = sound.seconds();
  options.short_windows = file_->model.training.short_windows;
  SpeechAsLongAsWanted speech(speech_, go_on);
  ListenerAsLongAsWanted listener(listener_, go_on);
  transcribe::Transcriber transcriber(speech, &listener, *file_->tokenizer, file_->special,
                                      file_->model.card.frames(), file_->model.card.shape.text_context,
                                      options);
  try {
    transcriber.run(mel, (sound.samples.size() + audio::kHop - 1) / audio::kHop,
                    [&](const transcribe::Said& said) { transcript.said.push_back(said); });
  } catch (const Unwanted&) {
    return transcript;
  }
  transcript.language = transcriber.language();
  return transcript;
}

}  // namespace swai::http
