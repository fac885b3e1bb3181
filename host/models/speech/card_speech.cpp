// SPDX-License-Identifier: Apache-2.0
#include "host/models/speech/card_speech.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "cpe-kernels/operators/common/places.hpp"
#include "cpe-kernels/operators/logits/plan.hpp"
#include "cpe-kernels/operators/sample/settings.hpp"
#include "host/models/files/for_the_card.hpp"
#include "host/models/graph/demand.hpp"
#include "host/models/speech/eager_graph.hpp"

namespace swai::transcribe {
namespace {

using graph::ValueKind;

using listen::Words;

std::vector<uint32_t> bits_of(const Forbidden& forbidden, uint32_t vocabulary) {
  const size_t words = (vocabulary + 31) / 32;
  std::vector<uint32_t> bits(2 * words);
  const auto set = [&](size_t row, Token token) { bits.at(row * words + token / 32) |= 1U << (token % 32); };
  for (const Token token : forbidden.always)
    for (const size_t row : {0, 1}) set(row, token);
  for (const Token token : forbidden.first) set(0, token);
  return bits;
}

size_t frame_bytes(const CardWhisper& card) { return card.shape.mels * sizeof(float); }

size_t mel_bytes(const CardWhisper& card) { return (card.frames() + 2) * frame_bytes(card); }

speech::RuledOut ranges_of(const speech::Allowed& allowed, const CardWhisper& card) {
  return speech::ruled_out(allowed, card.first_timestamp, card.shape.vocabulary);
}

constexpr std::array kOfEachBeam = {"tokens", "places", "chunks", "ranges"};

}  // namespace

CardSpeech::Beams::Beams(const CardWhisper& card, uint32_t most)
    : count(most),
      program(beams_program(card, most)),
      chunks(most, card.shape.text_context),
      inputs("tokens of beams", program.pattern, ValueKind::kInput,
             [](const std::string& name) { return std::ranges::count(kOfEachBeam, name) != 0; }),
      outputs("what follows beams", program.pattern, ValueKind::kOutput) {}

CardSpeech::CardSpeech(walk::Walker& walker, const WhisperModel& model, const Forbidden& forbidden,
                       uint64_t seed, uint32_t beams)
    : walker_(walker),
      card_(model.card),
      seed_(seed),
      beams_(beams > 1 ? std::make_optional<Beams>(card_, beams) : std::nullopt),
      encoder_weights_("weights of the encoder", model.programs.encoder.pattern, ValueKind::kWeight),
      decoder_weights_("weights of the decoder", model.programs.one.pattern, ValueKind::kWeight),
      // A text alone has a part of what beams have.
      states_(beams > 1 ? fmt::format("keys and values of {} beams", beams) : "keys and values",
              (beams_ ? beams_->program : model.programs.one).pattern, ValueKind::kState),
      cross_("keys and values of the sound", model.programs.encoder.pattern, ValueKind::kOutput),
      padded_("sound between zeros", size_t{card_.frames() + 1} * card_.shape.width * sizeof(float)),
      mel_("spectrogram", mel_bytes(card_)),
      forbidden_("forbidden tokens", walk::bytes_of(bits_of(forbidden, card_.shape.vocabulary))),
      settings_("settings", sizeof(operators::SampleSettings)),
      words_("tokens", sizeof(Words), walk::CardMemory::kShared),
      logits_("logits", card_.shape.vocabulary * sizeof(float)),
      between_("what lies between",
               std::max({model.programs.encoder.between_bytes, model.programs.several.between_bytes,
                         model.programs.one.between_bytes, beams_ ? beams_->program.between_bytes : 0})) {
  place(model);
  if (card_.eager_rows != 0) {
    causal_.emplace("mask of the first tokens",
                    walk::bytes_of(causal_mask(card_.shape.text_heads, card_.eager_rows)));
    unmasked_.emplace("mask of a token", walk::bytes_of(std::vector<float>(card_.room())));
  }
  Window window = {card_.frames(), model.programs, {}, {}, {}, {}};
  if (beams_) window.beams = beams_->program;
  window_ = &windows_.try_emplace(card_.frames(), std::move(window)).first->second;
}

CardSpeech::Lists& CardSpeech::lists() {
  const WhisperPrograms& made = window_->programs;
  if (!window_->lists) {
    const auto of_decoder = [this](const auto& base) { return decoder_address(base); };
    window_->lists.emplace(
        Lists{{made.encoder.pattern, [this](const auto& base) { return encoder_address(base); }},
              {made.several.pattern, of_decoder},
              {made.one.pattern, of_decoder}});
  }
  return *window_->lists;
}

walk::List& CardSpeech::beams_list() {
  if (!window_->beams_list) {
    window_->beams_list.emplace(window_->beams.value().pattern,
                                [this](const auto& base) { return beams_address(base); });
  }
  return *window_->beams_list;
}

void CardSpeech::begin_sound(uint32_t window) {
  drop_window();
  stream_ = 0;
  auto found = windows_.find(window);
  if (found == windows_.end()) {
    CardWhisper card = card_;
    card.moments = window / 2;
    Window shorter = {window, whisper_programs(card), {}, {}, {}, {}};
    if (beams_) shorter.beams = beams_program(card, beams_->count);
    const WhisperPrograms& programs = shorter.programs;
    for (const size_t bytes : {programs.encoder.between_bytes, programs.several.between_bytes,
                               programs.one.between_bytes, beams_ ? shorter.beams->between_bytes : 0})
      if (bytes > between_.bytes()) throw std::logic_error("a short window takes more memory");
    found = windows_.try_emplace(window, std::move(shorter)).first;
  }
  window_ = &found->second;
  // Behind each window is a row of zeros, as before it.
  const std::vector<uint8_t> zeros(frame_bytes(card_));
  mel_.put(zeros, (window + 1) * frame_bytes(card_));
}

cpe::GlobalPtr<void> CardSpeech::encoder_address(const graph::Template::Base& base) const {
  switch (base.kind) {
    case ValueKind::kWeight:
      return encoder_weights_.address(base.name);
    case ValueKind::kState:
      return padded_.address();
    case ValueKind::kInput:
      return mel_.address();
    case ValueKind::kOutput:
      return cross_.address(base.name);
    default:
      return between_.address();
  }
}

cpe::GlobalPtr<void> CardSpeech::decoder_address(const graph::Template::Base& base) const {
  switch (base.kind) {
    case ValueKind::kWeight:
      return decoder_weights_.address(base.name);
    case ValueKind::kState:
      return states_.address(base.name);
    case ValueKind::kInput:
      if (base.name == "tokens") return words_.address().plus_bytes(offsetof(Words, tokens));
      if (base.name == "forbidden") return forbidden_.address();
      if (base.name == "ranges") return words_.address().plus_bytes(offsetof(Words, ranges));
      if (base.name == "settings") return settings_.address();
      if (base.name == "causal") return causal_.value().address();
      if (base.name == "unmasked") return unmasked_.value().address();
      return cross_.address(base.name);
    case ValueKind::kOutput:
      if (base.name == "token") return words_.address().plus_bytes(offsetof(Words, token));
      if (base.name == "log_probability")
        return words_.address().plus_bytes(offsetof(Words, log_probability));
      return logits_.address();
    default:
      return between_.address();
  }
}

// What beams have of their own, and what a text alone has, too.
cpe::GlobalPtr<void> CardSpeech::beams_address(const graph::Template::Base& base) const {
  if (base.kind == ValueKind::kOutput) return beams_->outputs.address(base.name);
  if (base.kind == ValueKind::kInput && std::ranges::count(kOfEachBeam, base.name) != 0)
    return beams_->inputs.address(base.name);
  return decoder_address(base);
}

void CardSpeech::place(const WhisperModel& model) {
  const auto put_into = [](walk::NamedMemory& memory) {
    return [&](const std::string& name, std::span<const uint8_t> contents) { memory.put(name, contents); };
  };
  model.encoder(put_into(encoder_weights_));
  model.decoder(put_into(decoder_weights_));
  encoder_weights_.require_all();
  decoder_weights_.require_all();
  // Rows of zeros stand before and behind the sound, and stay.
  const std::vector<float> zeros(std::max(padded_.bytes(), mel_.bytes()) / sizeof(float));
  padded_.put(walk::bytes_of(zeros).first(padded_.bytes()));
  mel_.put(walk::bytes_of(zeros).first(mel_.bytes()));
  choose_likeliest();
}

void CardSpeech::run(walk::List& list, const std::map<std::string, int64_t>& sizes, Work& work,
                     uint64_t items) {
  work.launches += list.walk(walker_, sizes);
  work.nanoseconds += walker_.nanoseconds();
  work.items += items;
}

void CardSpeech::expect_early_windows() {
  const std::vector<uint8_t> zeros(mel_bytes(card_));
  window_copy_.emplace("the first window of a sound", zeros.size());
  window_copy_->begin(mel_, zeros, 0);
  window_copy_->wait();
}

void CardSpeech::place_window(std::span<const float> mel) {
  const size_t window_bytes = window_->frames * frame_bytes(card_);
  window_copy_.value().begin(mel_, walk::bytes_of(mel).first(window_bytes), frame_bytes(card_));
  is_placed_ = true;
}

// The next window must not be overwritten by a copy that is still under way.
void CardSpeech::drop_window() {
  if (is_placed_) wait_for_window();
  forget_window();
}

void CardSpeech::hear(std::span<const float> mel) {
  drop_window();
  mel_.put(walk::bytes_of(mel), frame_bytes(card_));
  run(lists().encoder, {}, heard_, 1);
  ++passes_[{window_->frames, Of::kEncoder, 0, 0}];
  begin();
}

void CardSpeech::obey(const Rules& rules) {
  static_assert(sizeof(speech::TokenRange) == sizeof(operators::ColumnRange));
  words_.put(walk::bytes_of(ranges_of(rules.allowed, card_)), offsetof(Words, ranges));
  set_temperature(rules.temperature);
}

// At temperature 0 there are no random numbers, so most sounds need no new settings.
void CardSpeech::set_temperature(double temperature) {
  operators::SampleSettings settings;
  settings.temperature = static_cast<float>(temperature);
  if (temperature != 0) {
    settings.seed[0] = static_cast<uint32_t>(seed_);
    settings.seed[1] = static_cast<uint32_t>(seed_ >> 32);
    settings.stream = stream_;
  }
  const std::array record = {settings};
  const std::span<const uint8_t> bytes = walk::bytes_of(record);
  if (std::ranges::equal(bytes, settings_there_)) return;
  settings_.put(bytes);
  settings_there_.assign(bytes.begin(), bytes.end());
}

Choice CardSpeech::append(std::span<const Token> tokens, const Rules& rules) {
  if (tokens.empty()) throw std::length_error("there is no token to begin with");
  if (tokens.size() > card_.shape.text_context - length_)
    throw std::length_error(fmt::format("the model's context has {} tokens", card_.shape.text_context));
  if (length_ == 0) ++stream_;
  last_ = tokens.back();
  obey(rules);
  while (!tokens.empty()) {
    const auto chunk = tokens.first(card_.taken(tokens.size(), length_));
    words_.put(walk::bytes_of(chunk), offsetof(Words, tokens));
    const Pass pass = {window_->frames, Of::kText, chunk.size(), length_};
    run(chunk.size() == 1 ? lists().one : lists().several, sizes_of(pass, !rules.first), decoded_,
        chunk.size());
    ++passes_[pass];
    length_ += static_cast<uint32_t>(chunk.size());
    tokens = tokens.subspan(chunk.size());
  }
  Words words = {};
  words_.get({reinterpret_cast<uint8_t*>(&words), offsetof(Words, work)});
  return {words.token, static_cast<double>(std::bit_cast<float>(words.log_probability))};
}

std::map<std::string, int64_t> CardSpeech::sizes_of(const Pass& pass, bool begun) {
  if (pass.of == Of::kEncoder) return {};
  std::map<std::string, int64_t> sizes = {{"past", pass.past}, {"begun", begun ? 1 : 0}};
  if (pass.of == Of::kText && pass.rows > 1) sizes["rows"] = static_cast<int64_t>(pass.rows);
  return sizes;
}

const graph::Program& CardSpeech::program_of(const Pass& pass, const Window& window) {
  switch (pass.of) {
    case Of::kEncoder:
      return window.programs.encoder;
    case Of::kBeams:
      return *window.beams;
    case Of::kText:
      break;
  }
  return pass.rows == 1 ? window.programs.one : window.programs.several;
}

// The last token again, as that of the only beam.
std::vector<Choice> CardSpeech::split(const Rules& rules) {
  if (length_ == 0) throw std::logic_error("there is no text that could go on in several ways");
  beams_.value().chunks.begin(length_ - 1);
  return go_on({{Branch{0, last_, rules}}}).front();
}

std::vector<std::vector<Choice>> CardSpeech::go_on(std::span<const Branch> branches) {
  Beams& beams = beams_.value();
  if (branches.empty() || branches.size() > beams.count)
    throw std::length_error(fmt::format("{} texts for {} beams", branches.size(), beams.count));
  const uint32_t past = beams.chunks.tokens();
  if (past >= card_.shape.text_context)
    throw std::length_error(fmt::format("the model's context has {} tokens", card_.shape.text_context));
  std::vector<size_t> parents;
  for (const Branch& branch : branches) parents.push_back(branch.parent);
  const size_t row = card_.shape.width * sizeof(float), chunk = operators::kChunkRows * row;
  for (const BeamChunks::Copy& copy : beams.chunks.grow(parents))
    for (const graph::Template::Base& base : beams.program.pattern.bases)
      if (base.kind == ValueKind::kState && models::is_of_tokens(base.name))
        states_.copy(base.name, copy.from * chunk, copy.to * chunk, copy.rows * row);

  // Rows without a beam do what the first one does.
  const auto beam_of = [&](size_t of_row) { return of_row < branches.size() ? of_row : 0; };
  std::vector<Token> tokens;
  std::vector<uint32_t> chunks;
  std::vector<speech::RuledOut> ranges;
  for (size_t i = 0; i < beams.count; ++i) {
    const Branch& branch = branches[beam_of(i)];
    tokens.push_back(branch.token);
    ranges.push_back(ranges_of(branch.rules.allowed, card_));
    const std::span<const uint32_t> of_text = beams.chunks.of(beam_of(i));
    chunks.insert(chunks.end(), of_text.begin(), of_text.end());
    chunks.resize((i + 1) * beams.chunks.of_each());
  }
  beams.inputs.put("tokens", walk::bytes_of(tokens));
  beams.inputs.put("places", walk::bytes_of(std::vector(beams.count, past)));
  beams.inputs.put("chunks", walk::bytes_of(chunks));
  beams.inputs.put("ranges", walk::bytes_of(ranges));
  const Pass pass = {window_->frames, Of::kBeams, beams.count, past};
  run(beams_list(), sizes_of(pass, !branches.front().rules.first), decoded_, branches.size());
  ++passes_[pass];
  return choices_of_beams(branches.size());
}

std::vector<std::vector<Choice>> CardSpeech::choices_of_beams(size_t count) const {
  const size_t each = beams_->count + 1;
  std::vector<float> likeliest(beams_->count * each);
  std::vector<Token> followers(likeliest.size());
  const auto get = [&](const char* name, auto& words) {
    beams_->outputs.get(name, {reinterpret_cast<uint8_t*>(words.data()), words.size() * sizeof words[0]});
  };
  get("likeliest", likeliest);
  get("followers", followers);
  std::vector<std::vector<Choice>> choices(count);
  for (size_t i = 0; i < count * each; ++i) choices[i / each].push_back({followers[i], likeliest[i]});
  return choices;
}

void CardSpeech::count_window(uint64_t given, uint64_t others, uint64_t steps) {
  ++passes_[{window_->frames, Of::kEncoder, 0, 0}];
  const auto count = [&](uint64_t rows, uint64_t past) {
    ++passes_[{window_->frames, Of::kText, rows, past}];
  };
  for (uint64_t at = 0; at < given; at += kChunk) count(std::min<uint64_t>(given - at, kChunk), at);
  if (others != 0) count(others, given);
  for (uint64_t step = 0; step < steps; ++step) count(1, given + others + step);
}

double CardSpeech::least_cycles_of(const Pass& pass, unsigned cpes) const {
  const graph::Limits limits = graph::limits_of(cpes);
  const graph::Program& program = program_of(pass, windows_.at(pass.window));
  double sum = 0;
  for (const graph::NodeDemand& node : graph::demand_of(program.pattern, sizes_of(pass, true)))
    sum += node.cycles(limits);
  return sum;
}

double CardSpeech::least_cycles(unsigned cpes) const {
  double sum = 0;
  for (const auto& [pass, times] : passes_) sum += static_cast<double>(times) * least_cycles_of(pass, cpes);
  return sum;
}

double CardSpeech::usual_cycles(uint64_t frames, unsigned cpes) const {
  // People say so much, with times; and jobs of tiny.en and of the digits model come so close to the limits.
  constexpr double kTokensPerFrame = 0.03, kReached = 0.75;
  const uint32_t window = window_->frames;
  const double windows = std::ceil(static_cast<double>(frames) / window);
  const double tokens = std::ceil(kTokensPerFrame * static_cast<double>(frames));
  const auto half = static_cast<uint64_t>(std::min(tokens / windows, card_.shape.text_context - 1.0) / 2);
  return (windows * least_cycles_of({window, Of::kEncoder, 0, 0}, cpes) +
          tokens * least_cycles_of({window, Of::kText, 1, half}, cpes)) /
         kReached;
}

uint64_t CardSpeech::nodes() const {
  uint64_t sum = 0;
  for (const auto& [pass, times] : passes_)
    sum += times * program_of(pass, windows_.at(pass.window)).pattern.nodes.size();
  return sum;
}

size_t CardSpeech::window_bytes() const { return card_.frames() * frame_bytes(card_); }

double CardSpeech::probability_of(Token token) {
  std::vector<float> logits(card_.shape.vocabulary);
  logits_.get({reinterpret_cast<uint8_t*>(logits.data()), logits_.bytes()});
  return probability(logits, token);
}

listen::Wish CardSpeech::places() {
  if (!window_->patterns) {
    const auto of_decoder = [this](const auto& base) { return decoder_address(base); };
    const std::array<walk::PatternMemory::Pattern, 3> patterns = {
        {{&window_->programs.encoder.pattern, [this](const auto& base) { return encoder_address(base); }},
         {&window_->programs.several.pattern, of_decoder},
         {&window_->programs.one.pattern, of_decoder}}};
    window_->patterns.emplace("templates of lists", patterns);
  }
  listen::Wish wish = {};
  wish.walk = walker_.kernel();
  wish.words = words_.address().bits();
  wish.window = mel_.address().plus_bytes(static_cast<int64_t>(frame_bytes(card_))).bits();
  wish.placed = is_placed_ ? 0 : listen::kNone;
  wish.logits_bytes = logits_.bytes();
  wish.frame_bytes = frame_bytes(card_);
  wish.window_frames = window_->frames;
  wish.encoder = window_->patterns->source(0);
  wish.several = window_->patterns->source(1);
  wish.one = window_->patterns->source(2);
  const WhisperPrograms& made = window_->programs;
  for (const graph::Program* const program : {&made.encoder, &made.several, &made.one})
    wish.nodes = std::max(wish.nodes, static_cast<uint32_t>(program->pattern.nodes.size()));
  wish.vocabulary = card_.shape.vocabulary;
  wish.context = card_.shape.text_context;
  return wish;
}

building::Work CardSpeech::program_work() const {
  building::Work work;
  words_.get({reinterpret_cast<uint8_t*>(&work), sizeof work}, offsetof(Words, work));
  return work;
}

}  // namespace swai::transcribe
