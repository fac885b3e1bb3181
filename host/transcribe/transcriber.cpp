#include "host/transcribe/transcriber.hpp"

#include <zlib.h>

#include <algorithm>
#include <stdexcept>

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

// Hotter texts are no good as a beginning of the next one.
constexpr double kHot = 0.5;

}  // namespace

Transcriber::Transcriber(Speech& speech, const models::Tokenizer& tokenizer, const SpecialTokens& special,
                         uint32_t window, uint32_t context, Options options)
    : speech_(speech),
      tokenizer_(tokenizer),
      special_(special),
      window_(window),
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
  return tokenizer_.decode(words);
}

void Transcriber::find_language() {
  speech_.begin();
  Rules rules;
  rules.timestamps = false;
  // One of the languages: as if they were the timestamps.
  rules.allowed = {special_.first_timestamp, special_.first_language,
                   special_.first_language + special_.languages};
  const Token start = special_.start;
  language_ = speech_.append({&start, 1}, rules).token - special_.first_language;
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

Transcriber::Text Transcriber::decode(std::span<const Token> prompt, double temperature) {
  Text text;
  text.temperature = temperature;
  std::vector<Token> given;
  if (!prompt.empty()) {
    given.push_back(special_.previous);
    const size_t most = context_ / 2 - 1;
    const auto end = prompt.last(std::min<size_t>(prompt.size(), most));
    given.insert(given.end(), end.begin(), end.end());
  }
  const std::vector<Token> begin = directions();
  given.push_back(begin.front());

  Rules rules;
  rules.temperature = temperature;
  rules.timestamps = options_.timestamps;
  const auto allow = [&] {
    rules.first = text.tokens.empty();
    rules.allowed =
        options_.timestamps ? allowed_after(text.tokens, special_) : allowed_without_timestamps(special_);
  };
  allow();
  speech_.begin();
  // Whether anybody speaks is asked behind the first direction, wherever the others end.
  Choice choice = speech_.append(given, rules);
  text.no_speech = speech_.probability_of(special_.no_speech);
  if (begin.size() > 1) choice = speech_.append(std::span(begin).subspan(1), rules);
  double sum = 0;
  const size_t most = context_ / 2;
  while (true) {
    sum += choice.log_probability;
    if (choice.token == special_.end || text.tokens.size() == most) break;
    text.tokens.push_back(choice.token);
    if (given.size() + begin.size() - 1 + text.tokens.size() >= context_) break;
    allow();
    choice = speech_.append({&text.tokens.back(), 1}, rules);
  }
  text.mean_log_probability = sum / static_cast<double>(text.tokens.size() + 1);
  text.compression = compression_of(words_of(text.tokens));
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

Transcriber::Text Transcriber::decode_well(std::span<const Token> prompt) {
  Text text;
  for (const double temperature : options_.temperatures) {
    text = decode(prompt, temperature);
    if (is_good(text)) break;
  }
  return text;
}

void Transcriber::run(const audio::Mel& mel, uint64_t frames, const std::function<void(const Said&)>& said,
                      const std::function<void(const Progress&)>& progress) {
  std::vector<Token> before;
  if (!options_.initial_prompt.empty()) before = tokenizer_.encode(" " + options_.initial_prompt);
  size_t context_from = 0;
  windows_ = 0;
  std::vector<float> window(size_t{window_} * mel.bands);
  for (uint64_t at = 0; at < frames;) {
    for (uint64_t frame = 0; frame < window_; ++frame)
      for (uint32_t band = 0; band < mel.bands; ++band)
        window[frame * mel.bands + band] = at + frame < mel.frames ? mel.at(band, at + frame) : 0;
    speech_.hear(window);
    ++windows_;
    if (!language_known_) find_language();
    const Text text = decode_well(std::span(before).subspan(context_from));
    const uint64_t heard = std::min<uint64_t>(window_, frames - at);
    uint64_t next = at + heard;
    if (!is_silence(text)) {
      WindowSegments cut = segments_of(text.tokens, at, heard, special_);
      next = cut.next;
      for (Segment& segment : cut.segments) {
        std::string words = words_of(segment.tokens);
        before.insert(before.end(), segment.tokens.begin(), segment.tokens.end());
        const bool blank = words.find_first_not_of(" \t\r\n") == std::string::npos;
        if (blank || segment.begin >= segment.end) continue;
        said({std::move(segment), std::move(words), text.temperature, text.mean_log_probability,
              text.no_speech});
      }
      if (!options_.condition_on_previous || text.temperature > kHot) context_from = before.size();
    }
    at = next;
    if (progress) progress({std::min(at, frames), frames});
  }
}

}  // namespace swai::transcribe
