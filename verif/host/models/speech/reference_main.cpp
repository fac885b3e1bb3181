// SPDX-License-Identifier: Apache-2.0
// A Whisper model in double precision, for measurements: what is said in sounds, by the rules by which the
// card chooses tokens, the likeliest always, or the likeliest text of several. Prints JSON for each sound, as
// `swai transcribe` does as far as both know the same.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "host/models/files/load.hpp"
#include "verif/host/models/files/reference.hpp"
#include "verif/host/models/speech/heard.hpp"

using namespace swai;
using models::Token;

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

double log_of_sum(std::span<const double> logits) {
  const double most = *std::ranges::max_element(logits);
  if (most == kNever) return kNever;
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - most);
  return most + std::log(sum);
}

class ReferenceSpeech : public transcribe::Speech {
 public:
  ReferenceSpeech(const models::Model& model, const transcribe::WhisperFile& file, size_t beams)
      : model_(model),
        most_beams_(beams),
        shape_(model.whisper()),
        first_timestamp_(file.special.first_timestamp),
        forbidden_(file.forbidden()) {}

  void begin_sound(uint32_t) override {}
  void hear(std::span<const float> rows) override {
    models::Matrix mel(shape_.mels, 2 * size_t{shape_.audio_context});
    for (size_t frame = 0; frame < mel.columns; ++frame)
      for (size_t band = 0; band < mel.rows; ++band) mel.row(band)[frame] = rows[frame * mel.rows + band];
    sound_ = model_.encode(mel);
    begin();
  }
  void begin() override { text_.emplace(model_, sound_); }

  transcribe::Choice append(std::span<const Token> tokens, const transcribe::Rules& rules) override {
    for (const Token token : tokens) logits_ = text_->step(token);
    return likeliest(logits_, rules, 1).front();
  }
  double probability_of(Token token) override { return std::exp(logits_[token] - log_of_sum(logits_)); }

  std::vector<transcribe::Choice> split(const transcribe::Rules& rules) override {
    beams_.clear();
    beams_.push_back(*text_);
    return likeliest(logits_, rules, most_beams_ + 1);
  }
  std::vector<std::vector<transcribe::Choice>> go_on(std::span<const transcribe::Branch> branches) override {
    std::vector<models::WhisperReference::Text> next;
    std::vector<std::vector<transcribe::Choice>> following;
    for (const transcribe::Branch& branch : branches) {
      next.push_back(beams_.at(branch.parent));
      following.push_back(likeliest(next.back().step(branch.token), branch.rules, most_beams_ + 1));
    }
    beams_.swap(next);
    return following;
  }

 private:
  // Of those that the rules allow.
  std::vector<transcribe::Choice> likeliest(std::vector<double> logits, const transcribe::Rules& rules,
                                            size_t count) const {
    const auto never = [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) logits[i] = kNever;
    };
    for (const Token token : forbidden_.always) logits[token] = kNever;
    if (rules.first)
      for (const Token token : forbidden_.first) logits[token] = kNever;
    for (const auto& [begin, end] :
         speech::ruled_out(rules.allowed, first_timestamp_, static_cast<Token>(logits.size())))
      never(begin, end);
    const std::span<const double> all(logits);
    const auto texts = all.first(first_timestamp_), timestamps = all.subspan(first_timestamp_);
    if (log_of_sum(timestamps) > *std::ranges::max_element(texts)) never(0, first_timestamp_);
    const double sum = log_of_sum(logits);
    std::vector<transcribe::Choice> choices;
    for (Token token = 0; token < logits.size(); ++token) choices.push_back({token, logits[token] - sum});
    const auto end = choices.begin() + static_cast<std::ptrdiff_t>(count);
    // Of equal ones the first.
    std::ranges::partial_sort(choices, end, std::ranges::less(), [](const transcribe::Choice& choice) {
      return std::pair(-choice.log_probability, choice.token);
    });
    choices.erase(end, choices.end());
    return choices;
  }

  const models::WhisperReference model_;
  const size_t most_beams_;
  const models::WhisperShape shape_;
  const Token first_timestamp_;
  const transcribe::Forbidden forbidden_;
  models::Matrix sound_;
  std::optional<models::WhisperReference::Text> text_;
  std::vector<double> logits_;
  std::vector<models::WhisperReference::Text> beams_;
};

}  // namespace

int main(int count, char** words) {
  CLI::App app("a Whisper model in double precision");
  std::string path;
  std::vector<std::string> sounds;
  transcribe::Options options;
  app.add_option("-m", path, "file or folder of a Whisper model")->required();
  app.add_option("SOUND", sounds, "sounds")->required();
  app.add_option("--beams", options.beams, "texts that are followed at once");
  app.add_option("--language", options.language, "what is spoken, or auto");
  CLI11_PARSE(app, count, words);
  const models::Model model = models::load(path);
  const transcribe::WhisperFile file(transcribe::whisper_model(model, models::Precision::kFp32));
  ReferenceSpeech speech(model, file, options.beams);
  options.temperatures = {0};
  transcribe::print_heard(speech, file, options, sounds);
  return 0;
}
