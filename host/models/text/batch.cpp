// SPDX-License-Identifier: Apache-2.0
#include "host/models/text/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "cpe-kernels/operators/common/places.hpp"
#include "host/models/files/for_the_card.hpp"

namespace swai::generate {
namespace {

using graph::ValueKind;
using models::Token;
using operators::kChunkRows, operators::kNoText;
static_assert(kNoText == decode::kNoText && operators::kMaxPlacedRows <= decode::kMostTexts);
static_assert(Programs::kChunk % kChunkRows == 0);

// Of each text, for penalties.
uint32_t said_tokens(const BatchPrograms& programs) { return models::text_tokens(programs.positions()); }

uint32_t chunks_for(uint32_t tokens) { return (tokens + Programs::kChunk + kChunkRows - 1) / kChunkRows; }

}  // namespace

BatchPrograms::BatchPrograms(const models::CardDecoder& model, uint32_t most_texts, uint32_t tokens,
                             bool with_penalties)
    : texts(most_texts),
      room(tokens),
      penalises(with_penalties),
      several(models::decoder_program(
          model, {.rows = Programs::kChunk, .room = positions(), .penalises = penalises})),
      one(models::decoder_program(model, {.rows = 1, .room = positions(), .penalises = penalises})),
      next(models::decoder_program(
          model, {.rows = texts, .room = positions(), .penalises = penalises, .own_texts = true})) {}

uint32_t BatchPrograms::positions() const { return chunks_for(room) * kChunkRows; }

Batch::Batch(walk::Walker& walker, walk::Decoder* decoder, const LoadedModel& model,
             const BatchPrograms& programs, uint32_t first)
    : walker_(walker),
      decoder_(decoder),
      model_(model),
      programs_(programs),
      kept_("keys and values", bytes_of_a_token(programs.several, programs.positions())),
      settings_("settings", programs.texts * sizeof(operators::SampleSettings)),
      chosen_("tokens", 2 * programs.texts * sizeof(Token), walk::CardMemory::kShared),
      positions_("positions", programs.texts * sizeof(uint32_t), walk::CardMemory::kShared),
      chunks_("chunks", programs.texts * (programs.positions() / kChunkRows) * sizeof(uint32_t)),
      said_("texts", programs.texts * said_tokens(programs) * sizeof(Token), walk::CardMemory::kShared),
      logits_("logits",
              (programs.penalises ? programs.texts : 1) * model.card().shape.vocabulary * sizeof(float)),
      between_("what lies between", std::max({programs.several.between_bytes, programs.one.between_bytes,
                                              programs.next.between_bytes})),
      texts_(programs.texts),
      lists_(programs.texts) {
  if (first != 0) kept_.grow(programs.texts * chunks_for(first) * kChunkRows);
  // Rows that have no text have these, too.
  settings_.put(walk::bytes_of(std::vector(programs.texts, settings_of({}))));
  chunks_.put(std::vector<uint8_t>(chunks_.bytes()));
  said_.put(walk::bytes_of(std::vector(said_.bytes() / sizeof(Token), models::kNoToken)));
}

size_t Batch::bytes_of(size_t text) const {
  return size_t{texts_[text]->chunks} * kChunkRows * kept_.row_bytes();
}

bool Batch::has_place() const { return size() < texts_.size(); }

size_t Batch::size() const {
  return static_cast<size_t>(std::ranges::count_if(texts_, [](const auto& one) { return one.has_value(); }));
}

bool Batch::is_alone() const { return decoder_ != nullptr && size() == 1; }

void Batch::forget_all() {
  std::ranges::fill(texts_, std::nullopt);
  kept_.give_back();
}

// The first of so many, side by side, that no text has: perhaps of memory that has not been taken yet.
uint32_t Batch::free_chunks(uint32_t count) const {
  std::vector<std::pair<uint32_t, uint32_t>> taken;
  for (const auto& text : texts_)
    if (text) taken.emplace_back(text->first_chunk, text->chunks);
  std::ranges::sort(taken);
  uint32_t first = 0;
  for (const auto& [begin, chunks] : taken) {
    if (first + count <= begin) break;
    first = begin + chunks;
  }
  return first;
}

size_t Batch::begin(std::span<const Token> tokens, uint64_t most, const Sampling& sampling) {
  if (!has_place())
    throw std::length_error(fmt::format("there is room for {} texts at once", programs_.texts));
  if (sampling.penalises() && !programs_.penalises) throw std::logic_error("the programs know no penalties");
  if (tokens.empty() || most == 0) throw std::length_error("there is no token to begin with, or to end with");
  if (tokens.size() > room()) {
    throw std::length_error(
        fmt::format("a text would have {} tokens; there is room for {}", tokens.size(), room()));
  }
  const auto free = std::ranges::find_if(texts_, [](const auto& one) { return !one; });
  const auto number = static_cast<size_t>(free - texts_.begin());
  Text text = {.tokens = {tokens.begin(), tokens.end()}, .given = static_cast<uint32_t>(tokens.size())};
  text.limit = text.given + static_cast<uint32_t>(std::min<uint64_t>(most - 1, room() - text.given));
  text.chunks = chunks_for(text.limit);
  text.first_chunk = free_chunks(text.chunks);

  // All that the text needs is taken here: who goes on needs no more.
  const uint32_t rows = (text.first_chunk + text.chunks) * kChunkRows;
  if (size() == 0 && rows > kept_.rows()) kept_.give_back();
  kept_.make_room(rows, programs_.texts * programs_.positions());
  const auto at = [&](const auto& base) { return address(base, number); };
  if (!next_) next_.emplace(programs_.next.pattern, [&](const auto& base) { return address(base, 0); });
  if (!lists_[number])
    lists_[number].emplace(Lists{{programs_.several.pattern, at}, {programs_.one.pattern, at}});
  std::vector<uint32_t> chunks(programs_.positions() / kChunkRows, text.first_chunk);
  std::iota(chunks.begin(), chunks.begin() + text.chunks, text.first_chunk);
  chunks_.put(walk::bytes_of(chunks), number * chunks.size() * sizeof(uint32_t));
  settings_.put(walk::bytes_of(std::array{settings_of(sampling)}),
                number * sizeof(operators::SampleSettings));
  // Penalties look at all of it, and leave out what is no token.
  std::vector<Token> said = text.tokens;
  said.resize(said_tokens(programs_), models::kNoToken);
  said_.put(walk::bytes_of(said), number * said.size() * sizeof(Token));
  texts_[number] = std::move(text);
  return number;
}

// Of the memory that a step of all texts, or one that is for a text alone, knows by this name.
cpe::GlobalPtr<void> Batch::address(const graph::Template::Base& base, size_t text) const {
  if (model_.has(base)) return model_.address(base);
  const auto of_text = [&](const walk::CardMemory& memory, size_t bytes, size_t at = 0) {
    return memory.address().plus_bytes(static_cast<int64_t>(at + text * bytes));
  };
  switch (base.kind) {
    case ValueKind::kState:
      if (base.name == models::kText) return of_text(said_, said_tokens(programs_) * sizeof(Token));
      return base.name == models::kLogits ? logits_.address() : kept_.address(base.name);
    case ValueKind::kInput:
      if (base.name == models::kPositions) return positions_.address();
      if (base.name == models::kChunks) return chunks_.address();
      return base.name == "settings" ? of_text(settings_, sizeof(operators::SampleSettings))
                                     : of_text(chosen_, sizeof(Token));
    case ValueKind::kOutput:
      return of_text(chosen_, sizeof(Token), base.name == "token" ? 0 : programs_.texts * sizeof(Token));
    default:
      return between_.address();
  }
}

// A text alone has a part of what all have.
cpe::GlobalPtr<void> Batch::address_alone(const graph::Template::Base& base, size_t text) const {
  const cpe::GlobalPtr<void> whole = address(base, text);
  if (base.kind != ValueKind::kState || !models::is_of_tokens(base.name)) return whole;
  const size_t bytes = kept_.row_bytes(base.name) * kChunkRows * texts_[text]->first_chunk;
  return whole.plus_bytes(static_cast<int64_t>(bytes));
}

void Batch::end(size_t text, const Ears& ears) {
  texts_[text].reset();
  ears.ended(text);
}

// A text that has ended here may have tokens that are still to come: they are nobody's.
void Batch::hear(size_t number, Token token, std::span<const Token> ends, const Ears& ears) {
  Text& text = *texts_[number];
  text.tokens.push_back(token);
  const bool wanted = ears.got(number, token) && std::ranges::find(ends, token) == ends.end();
  if (!wanted || text.tokens.size() > text.limit) end(number, ears);
}

// False: it has ended.
bool Batch::hear_part(size_t number, const Ears& ears) {
  Text& text = *texts_[number];
  text.read = std::min(text.given, text.read + Programs::kChunk);
  if (text.read == text.given || ears.wants(number)) return true;
  end(number, ears);
  return false;
}

void Batch::go_on(std::span<const Token> ends, const Ears& ears) {
  if (size() == 0) return;
  // Keys and values may lie elsewhere since.
  if (!is_alone()) next_->move([&](const auto& base) { return address(base, 0); });
  for (size_t i = 0; i < texts_.size(); ++i) {
    if (!texts_[i]) continue;
    const auto at = [&](const auto& base) { return address_alone(base, i); };
    if (texts_[i]->read < texts_[i]->given) lists_[i]->several.move(at);
    if (is_alone()) lists_[i]->one.move(at);
  }
  // A row of no text has a token, too.
  std::vector<Token> tokens(2 * programs_.texts);
  for (size_t i = 0; i < texts_.size(); ++i)
    if (texts_[i]) tokens[i] = texts_[i]->tokens.back();
  chosen_.put(walk::bytes_of(tokens));
  if (decoder_ != nullptr) {
    decode(ends, ears);
  } else {
    launch_steps(ends, ears);
  }
}

void Batch::run(walk::List& list, const std::map<std::string, int64_t>& sizes, uint64_t tokens, Work& work) {
  work.launches += list.walk(walker_, sizes);
  work.tokens += tokens;
  work.nanoseconds += walker_.nanoseconds();
}

std::vector<Token> Batch::chosen() const {
  std::vector<Token> tokens(programs_.texts);
  chosen_.get({reinterpret_cast<uint8_t*>(tokens.data()), tokens.size() * sizeof(Token)});
  return tokens;
}

void Batch::launch_steps(std::span<const Token> ends, const Ears& ears) {
  for (size_t text = 0; text < texts_.size(); ++text) {
    if (texts_[text] && texts_[text]->read < texts_[text]->given) take_in(text, ends, ears);
    if (ears.pause()) return;
  }
  while (size() != 0 && !ears.pause()) step(ends, ears);
}

void Batch::take_in(size_t number, std::span<const Token> ends, const Ears& ears) {
  walk::List& list = lists_[number]->several;
  const uint32_t given = texts_[number]->given;
  for (uint32_t past = texts_[number]->read; past < given; past += Programs::kChunk) {
    const uint32_t rows = std::min(Programs::kChunk, given - past);
    run(list, {{"past", past}, {"rows", rows}}, rows, appended_);
    if (!hear_part(number, ears)) return;
  }
  const Token token = chosen()[number];
  put_behind(number, token);
  hear(number, token, ends, ears);
}

// Where penalties find it.
void Batch::put_behind(size_t number, Token token) {
  if (!programs_.penalises) return;
  const size_t at = number * said_tokens(programs_) + texts_[number]->tokens.size();
  said_.put(walk::bytes_of(std::array{token}), at * sizeof(Token));
}

// A token for each text.
void Batch::step(std::span<const Token> ends, const Ears& ears) {
  std::vector<uint32_t> positions(programs_.texts, kNoText);
  uint32_t past = 0;
  for (size_t i = 0; i < texts_.size(); ++i) {
    if (!texts_[i]) continue;
    positions[i] = texts_[i]->position();
    past = std::max(past, positions[i]);
  }
  positions_.put(walk::bytes_of(positions));
  run(*next_, {{"past", past}}, size(), continued_);
  const std::vector<Token> tokens = chosen();
  for (size_t i = 0; i < texts_.size(); ++i) {
    if (!texts_[i]) continue;
    put_behind(i, tokens[i]);
    hear(i, tokens[i], ends, ears);
  }
}

// One launch reads what was given, chunk by chunk, and makes what follows.
void Batch::decode(std::span<const Token> ends, const Ears& ears) {
  std::vector<size_t> numbers;
  for (size_t i = 0; i < texts_.size(); ++i)
    if (texts_[i]) numbers.push_back(i);
  const bool alone = is_alone();
  // Rows that have no text end where they begin.
  std::vector<decode::Text> texts(alone ? 1 : programs_.texts);
  std::vector<walk::Decoder::Reading> readings;
  std::vector<uint32_t> reads(programs_.texts);  // runs that only read, to come
  for (const size_t number : numbers) {
    const Text& text = *texts_[number];
    const auto row = static_cast<uint32_t>(alone ? 0 : number);
    texts[row] = {text.position(), text.limit};
    if (text.read == text.given) continue;
    const size_t before = readings.size();
    add_readings(readings, lists_[number]->several, text.read, text.given, row);
    reads[number] = static_cast<uint32_t>(readings.size() - before);
  }
  // Alone a text is the first one.
  const size_t first = alone ? numbers.front() : 0;
  const uint32_t words = said_tokens(programs_);
  walk::Decoder::Texts places = {
      .texts = texts,
      .tokens = chosen_.address().plus_bytes(static_cast<int64_t>(first * sizeof(Token))),
      .positions = alone ? cpe::GlobalPtr<void>() : positions_.address()};
  if (programs_.penalises) {
    places.said = said_.address().plus_bytes(static_cast<int64_t>(first * words * sizeof(Token)));
    places.said_tokens = words;
  }
  decoder_->run(
      readings, writing(alone ? lists_[first]->one : *next_, texts), places, ends,
      [&](uint32_t row, Token token) {
        const size_t number = first + row;
        // Of one that has ended since, in a pause.
        if (!texts_[number]) return false;
        if (reads[number] == 0) {
          ++decoded_.tokens;
        } else {
          const uint32_t before = texts_[number]->read;
          if (!hear_part(number, ears)) return false;
          decoded_.tokens += texts_[number]->read - before;
          if (--reads[number] != 0) return true;
        }
        hear(number, token, ends, ears);
        return texts_[number].has_value();
      },
      ears.pause);
  ++decoded_.launches;
  decoded_.nanoseconds += decoder_->nanoseconds();
}

}  // namespace swai::generate
