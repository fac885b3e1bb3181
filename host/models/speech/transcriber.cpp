// SPDX-License-Identifier: Apache-2.0
#include "host/models/speech/transcriber.hpp"

#include <zlib.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "host/lib/elf.hpp"
#include "host/lib/utf8.hpp"
#include "host/models/speech/beam_search.hpp"

namespace swai::transcribe {
namespace {

// How much larger a text is than what zlib makes of it.
double compression_of(const std::string& text) {
  if (text.empty()) return 0;
  uLongf bytes = compressBound(text.size());
  std::vector<Bytef> packed(bytes);
  if (compress(packed.data(), &bytes, reinterpret_cast<const Bytef*>(text.data()), text.size()) != Z_OK)
    throw std::runtime_error("zlib has no memory");
  return static_cast<double>(text.size()) / static_cast<double>(bytes);
}

// Stand beside those of a window where its words are judged: one odd word in a short text says little.
constexpr size_t kCertainWords = 3;

// Hotter texts are no good as a beginning of the next one.
constexpr double kHot = 0.5;

// Short windows are whole multiples of this, so that few lists serve all sounds, and end in silence.
constexpr uint64_t kWindowStep = 128;
constexpr uint64_t kSilence = 40;

uint32_t short_window(uint64_t frames, uint32_t most) {
  const uint64_t window = (frames + kSilence + kWindowStep - 1) / kWindowStep * kWindowStep;
  return static_cast<uint32_t>(std::min<uint64_t>(window, most));
}

}  // namespace

Transcriber::Transcriber(Speech& speech, Listener* listener, const models::Tokenizer& tokenizer,
                         const SpecialTokens& special, uint32_t window, uint32_t context, Options options)
    : speech_(speech),
      listener_(listener),
      tokenizer_(tokenizer),
      special_(special),
      most_window_(window),
      context_(context),
      options_(std::move(options)) {
  if (options_.language != "auto") {
    const auto number = language_number(options_.language);
    if (!number || *number >= special_.languages) throw std::invalid_argument("no such language");
    language_ = *number;
    language_known_ = true;
  }
  if (!special_.multilingual) language_known_ = true;
}

std::string Transcriber::words_of(std::span<const Token> tokens) const {
  std::vector<Token> words;
  std::ranges::copy_if(tokens, std::back_inserter(words),
                       [&](Token token) { return special_.is_text(token); });
  return common::readable(tokenizer_.decode(words));
}

void Transcriber::find_language() {
  speech_.begin();
  Rules rules;
  rules.timestamps = false;
  rules.allowed = allowed_languages(special_);
  const Token start = special_.start;
  language_ = speech_.append({&start, 1}, rules).token - special_.first_language;
  if (language_ >= special_.languages)
    throw common::InputError("the model names no language: its weights are damaged");
  language_known_ = true;
}

std::vector<Token> Transcriber::directions() const {
  std::vector<Token> tokens = {special_.start};
  if (special_.multilingual) {
    tokens.push_back(special_.first_language + language_);
    tokens.push_back(options_.task == "translate" ? special_.translate : special_.transcribe);
  }
  if (!options_.timestamps) tokens.push_back(special_.no_timestamps);
  return tokens;
}

Rules Transcriber::rules_behind(std::span<const Token> tokens, double temperature) const {
  const speech::Allowed allowed = options_.timestamps ? speech::allowed_after(tokens, special_)
                                                      : speech::allowed_without_timestamps(special_);
  return {allowed, tokens.empty(), options_.timestamps, temperature};
}

Transcriber::Text Transcriber::decode(std::span<const Token> prompt, double temperature) {
  std::vector<Token> given;
  if (!prompt.empty()) {
    given.push_back(special_.previous);
    const auto end = prompt.last(std::min<size_t>(prompt.size(), speech::most_before(context_)));
    given.insert(given.end(), end.begin(), end.end());
  }
  const std::vector<Token> begin = directions();
  // Whether anybody speaks is asked behind the first direction, wherever the others end.
  const size_t at_once = options_.detect_silence ? 1 : begin.size();
  given.insert(given.end(), begin.begin(), begin.begin() + static_cast<std::ptrdiff_t>(at_once));

  Heard heard;
  std::vector<Token> tokens;
  const Rules rules = rules_behind(tokens, temperature);
  speech_.begin();
  Choice choice = speech_.append(given, rules);
  if (options_.detect_silence) heard.no_speech = speech_.probability_of(special_.no_speech);
  if (begin.size() > at_once) choice = speech_.append(std::span(begin).subspan(at_once), rules);
  const size_t most = speech::most_said(context_);
  if (options_.beams > 1 && temperature == 0) {
    const size_t room = context_ - (given.size() + begin.size() - at_once);
    heard.choices = search_beams(speech_, {options_.beams, special_.end, std::min(most, room),
                                           [&](auto said) { return rules_behind(said, temperature); }});
  } else {
    while (true) {
      heard.choices.push_back(choice);
      if (choice.token == special_.end || tokens.size() == most) break;
      tokens.push_back(choice.token);
      if (given.size() + begin.size() - at_once + tokens.size() >= context_) break;
      choice = speech_.append({&tokens.back(), 1}, rules_behind(tokens, temperature));
    }
  }
  Text text = text_of(heard);
  text.temperature = temperature;
  return text;
}

bool Transcriber::is_silence(const Text& text) const {
  return text.no_speech > options_.no_speech && text.mean_log_probability <= options_.least_probability;
}

bool Transcriber::is_good(const Text& text) const {
  if (is_silence(text)) return true;
  return text.compression <= options_.most_compression &&
         text.mean_log_probability >= options_.least_probability;
}

Transcriber::Text Transcriber::decode_well(std::span<const Token> prompt, std::optional<Text> first) {
  Text text;
  for (const double temperature : options_.temperatures) {
    text = first ? *std::exchange(first, std::nullopt) : decode(prompt, temperature);
    if (is_good(text)) break;
  }
  return text;
}

Transcriber::Text Transcriber::text_of(const Heard& heard) const {
  Text text;
  double sum = 0, of_words = 0;
  size_t words = kCertainWords;
  for (const Choice& choice : heard.choices) {
    sum += choice.log_probability;
    if (special_.is_text(choice.token)) {
      of_words += choice.log_probability;
      ++words;
    }
    if (choice.token != special_.end && text.tokens.size() < speech::most_said(context_))
      text.tokens.push_back(choice.token);
  }
  text.mean_log_probability = sum / static_cast<double>(text.tokens.size() + 1);
  text.words_log_probability = of_words / static_cast<double>(words);
  text.no_speech = heard.no_speech;
  text.compression = compression_of(words_of(text.tokens));
  return text;
}

std::vector<float> Transcriber::rows_of(const audio::Mel& mel, uint64_t first, uint64_t count) const {
  std::vector<float> rows(count * mel.bands);
  for (uint64_t frame = 0; frame < count && first + frame < mel.frames; ++frame)
    for (uint32_t band = 0; band < mel.bands; ++band)
      rows[frame * mel.bands + band] = mel.at(band, first + frame);
  return rows;
}

// One window. `first`: its first attempt, if that was made already.
void Transcriber::lead(const audio::Mel& mel, std::optional<Text> first) {
  speech_.hear(rows_of(mel, at_, window_));
  if (!language_known_) find_language();
  take(decode_well(std::span(before_).subspan(context_from_), std::move(first)));
}

// Windows, as long as they need nobody. The first attempt at the one that does, if there is one.
std::optional<Transcriber::Text> Transcriber::listen() {
  std::optional<Text> rejected;
  listener_->listen({.frame = at_,
                     .before = std::span(before_).subspan(context_from_),
                     .directions = directions(),
                     .timestamps = options_.timestamps,
                     .condition_on_previous = options_.condition_on_previous},
                    [&](const Heard& heard) {
                      Text text = text_of(heard);
                      // Nobody has told the listener that what was said is none.
                      const bool silence = is_silence(text);
                      if (!silence && !is_good(text) && options_.temperatures.size() > 1) {
                        rejected = std::move(text);
                        return false;
                      }
                      take(text);
                      return !silence;
                    });
  return rejected;
}

void Transcriber::take(const Text& text) {
  ++windows_;
  const uint64_t heard = std::min<uint64_t>(window_, frames_ - at_);
  uint64_t next = at_ + heard;
  if (!is_silence(text)) {
    WindowSegments cut = segments_of(text.tokens, at_, heard, special_);
    next = cut.next;
    for (Segment& segment : cut.segments) {
      std::string words = words_of(segment.tokens);
      before_.insert(before_.end(), segment.tokens.begin(), segment.tokens.end());
      const bool blank = words.find_first_not_of(" \t\r\n") == std::string::npos;
      if (blank || segment.begin >= segment.end) continue;
      said_({std::move(segment), std::move(words), text.temperature, text.mean_log_probability,
             text.no_speech, text.words_log_probability});
    }
    if (!options_.condition_on_previous || text.temperature > kHot) context_from_ = before_.size();
  }
  at_ = next;
  if (progress_) progress_({std::min(at_, frames_), frames_});
}

void Transcriber::run(const audio::Mel& mel, uint64_t frames, const std::function<void(const Said&)>& said,
                      const std::function<void(const Progress&)>& progress) {
  at_ = 0;
  frames_ = frames;
  said_ = said;
  progress_ = progress;
  before_.clear();
  if (!options_.initial_prompt.empty()) before_ = tokenizer_.encode(" " + options_.initial_prompt);
  context_from_ = 0;
  windows_ = 0;
  window_ = options_.short_windows ? short_window(frames, most_window_) : most_window_;
  speech_.begin_sound(window_);
  // With beams `speech` is led all the way.
  const bool has_listener = listener_ != nullptr && options_.beams == 1;
  if (progress_ && frames_ > 0) progress_({0, frames_});
  if (has_listener && frames > 0) listener_->take(rows_of(mel, 0, frames + window_), frames);
  while (at_ < frames_) {
    std::optional<Text> rejected;
    const bool alone = has_listener && language_known_ && options_.temperatures.front() == 0;
    if (alone) rejected = listen();
    if (!alone || rejected) lead(mel, std::move(rejected));
  }
}

}  // namespace swai::transcribe
