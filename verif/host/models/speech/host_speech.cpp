// SPDX-License-Identifier: Apache-2.0
#include "verif/host/models/speech/host_speech.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "cpe-kernels/operators/logits/plan.hpp"
#include "host/models/exec/card_memory.hpp"
#include "verif/cpe-kernels/operators/golden/golden.hpp"

namespace swai::transcribe {
namespace {

using graph::ValueKind;
using walk::bytes_of;

// Where a list finds a base. Keys and values of the sound, which the encoder makes and the decoder reads,
// have the same name in both.
std::string name_of(const graph::Template::Base& base, const std::string& part) {
  const bool of_list = graph::is_planned(base.kind), of_part = base.kind == ValueKind::kWeight;
  return of_list || of_part ? part + base.name : base.name;
}

size_t most_bytes(const graph::Template& pattern, const graph::Template::Base& base) {
  return static_cast<size_t>(base.bytes.range(pattern.symbols).most);
}

}  // namespace

HostSpeech::HostSpeech(const WhisperModel& model, const Forbidden& forbidden, uint64_t seed)
    : card_(model.card), forbidden_(forbidden), seed_(seed) {
  const auto keep = [&](const char* part) {
    return [&weights = weights_, part](const std::string& name, std::span<const uint8_t> contents) {
      weights[part + name].assign(contents.begin(), contents.end());
    };
  };
  model.encoder(keep("encoder."));
  model.decoder(keep("decoder."));
}

HostSpeech::Window HostSpeech::make_window(uint32_t frames) {
  CardWhisper card = card_;
  card.moments = frames / 2;
  WhisperPrograms programs = whisper_programs(card);
  Window window;
  struct Made {
    List& list;
    graph::Template pattern;
    const char* part;
  };
  std::array<Made, 3> all = {{{window.encoder, std::move(programs.encoder.pattern), "encoder."},
                              {window.several, std::move(programs.several.pattern), "decoder."},
                              {window.one, std::move(programs.one.pattern), "decoder."}}};
  for (const Made& made : all) {
    for (const graph::Template::Base& base : made.pattern.bases) {
      if (base.kind == ValueKind::kWeight) continue;
      std::vector<uint8_t>& value = window.values[name_of(base, made.part)];
      value.resize(std::max(value.size(), most_bytes(made.pattern, base)));
    }
  }
  // Each has a segment of its own.
  std::map<std::string, cpe::GlobalPtr<void>> places;
  const auto place = [&](const std::string& name, std::vector<uint8_t>& contents) {
    const cpe::GlobalPtr<void> at(static_cast<uint16_t>(places.size() + 1), 0);
    places.emplace(name, at);
    window.memory.add(at, contents);
  };
  for (auto& [name, contents] : window.values) place(name, contents);
  for (auto& [name, contents] : weights_) place(name, contents);
  for (Made& made : all) {
    std::vector<cpe::GlobalPtr<void>> bases;
    for (const graph::Template::Base& base : made.pattern.bases)
      bases.push_back(places.at(name_of(base, made.part)));
    made.list.nodes = graph::list_of(made.pattern, bases);
    made.list.pattern = std::move(made.pattern);
  }
  return window;
}

void HostSpeech::put(const std::string& name, std::span<const uint8_t> contents, size_t at) {
  std::vector<uint8_t>& value = window_->values.at(name);
  if (at + contents.size() > value.size()) throw std::length_error(name + " has no room for so much");
  std::ranges::copy(contents, value.begin() + static_cast<std::ptrdiff_t>(at));
}

template <typename T>
std::vector<T> HostSpeech::get(const std::string& name) const {
  const std::vector<uint8_t>& value = window_->values.at(name);
  std::vector<T> items(value.size() / sizeof(T));
  std::memcpy(items.data(), value.data(), items.size() * sizeof(T));
  return items;
}

void HostSpeech::run(const List& list, const std::map<std::string, int64_t>& sizes) {
  operators::golden::walk(list.nodes, graph::parameters_of(list.pattern, sizes), window_->memory);
}

void HostSpeech::begin_sound(uint32_t window) {
  stream_ = 0;
  auto found = windows_.find(window);
  if (found == windows_.end()) {
    // Elements of maps stay where they are, and so does what they hold.
    found = windows_.try_emplace(window).first;
    found->second = make_window(window);
  }
  window_ = &found->second;
  const size_t words = (card_.shape.vocabulary + 31) / 32;
  std::vector<uint32_t> bits(2 * words);  // of a first token, then of all others
  const auto forbid = [&](size_t row, Token token) { bits[row * words + token / 32] |= 1U << token % 32; };
  for (const Token token : forbidden_.first) forbid(0, token);
  for (const Token token : forbidden_.always) {
    forbid(0, token);
    forbid(1, token);
  }
  put("forbidden", bytes_of(bits));
}

// Between two rows of zeros.
void HostSpeech::hear(std::span<const float> mel) {
  put("mel", bytes_of(mel), card_.shape.mels * sizeof(float));
  run(window_->encoder, {});
  begin();
}

void HostSpeech::obey(const Rules& rules) {
  put("ranges", bytes_of(speech::ruled_out(rules.allowed, card_.first_timestamp, card_.shape.vocabulary)));
  operators::SampleSettings settings;
  settings.temperature = static_cast<float>(rules.temperature);
  settings.seed[0] = static_cast<uint32_t>(seed_);
  settings.seed[1] = static_cast<uint32_t>(seed_ >> 32);
  settings.stream = stream_;
  put("settings", bytes_of(std::array{settings}));
}

Choice HostSpeech::append(std::span<const Token> tokens, const Rules& rules) {
  if (length_ == 0) ++stream_;
  obey(rules);
  while (!tokens.empty()) {
    const auto chunk = tokens.first(std::min<size_t>(tokens.size(), kChunk));
    put("tokens", bytes_of(chunk));
    std::map<std::string, int64_t> sizes = {{"past", length_}, {"begun", rules.first ? 0 : 1}};
    if (chunk.size() > 1) sizes["rows"] = static_cast<int64_t>(chunk.size());
    run(chunk.size() == 1 ? window_->one : window_->several, sizes);
    length_ += static_cast<uint32_t>(chunk.size());
    tokens = tokens.subspan(chunk.size());
  }
  return {get<Token>("token").front(), static_cast<double>(get<float>("log_probability").front())};
}

double HostSpeech::probability_of(Token token) { return probability(get<float>("logits"), token); }

std::vector<Choice> HostSpeech::split(const Rules&) {
  throw std::logic_error("the host model follows one text");
}
std::vector<std::vector<Choice>> HostSpeech::go_on(std::span<const Branch>) {
  throw std::logic_error("the host model follows one text");
}

}  // namespace swai::transcribe
