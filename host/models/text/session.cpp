// SPDX-License-Identifier: Apache-2.0
#include "host/models/text/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "host/models/files/for_the_card.hpp"

namespace swai::generate {
namespace {

using graph::ValueKind;
using models::Token;

// The token that was chosen, and the logarithm of its probability.
constexpr size_t kLogProbability = 8;
constexpr size_t kChosenBytes = 64;

}  // namespace

Programs::Programs(const models::CardDecoder& model, uint32_t tokens, bool with_penalties)
    : room(tokens),
      penalises(with_penalties),
      several(models::decoder_program(model, {kChunk, positions(), false, penalises})),
      one(models::decoder_program(model, {1, positions(), false, penalises})) {}

walk::GrowingMemory::RowBytes bytes_of_a_token(const graph::Program& several, uint32_t positions) {
  walk::GrowingMemory::RowBytes bytes;
  const graph::Layout kept(several.pattern, ValueKind::kState, models::is_of_tokens);
  for (const auto& [name, extent] : kept.extents) bytes[name] = extent.bytes / positions;
  return bytes;
}

void add_readings(std::vector<walk::Decoder::Reading>& readings, const walk::List& list, uint32_t begin,
                  uint32_t end, uint32_t text) {
  for (uint32_t past = begin; past < end; past += Programs::kChunk) {
    const uint32_t rows = std::min(Programs::kChunk, end - past);
    readings.push_back({.list = &list,
                        .parameters = graph::parameters_of(list.pattern(), {{"past", past}, {"rows", rows}}),
                        .writes = past + rows == end,
                        .text = text});
  }
}

walk::Decoder::Writing writing(const walk::List& list, std::span<const decode::Text> texts) {
  uint32_t past = 0, runs = 0;
  for (const decode::Text& text : texts) {
    past = std::max(past, text.position);
    runs = std::max(runs, text.limit - text.position);
  }
  if (runs == 0) return {};
  const auto parameters_at = [&](uint32_t position) {
    return graph::parameters_of(list.pattern(), {{"past", position}});
  };
  return {.list = &list, .parameters = parameters_at(past), .next = parameters_at(past + 1), .runs = runs};
}

Session::Session(walk::Walker& walker, walk::Decoder* decoder, const LoadedModel& model,
                 const Programs& programs, const Sampling& sampling, uint32_t first)
    : walker_(walker),
      decoder_(decoder),
      model_(model),
      programs_(programs),
      room_(programs.room),
      penalised_(programs.penalises ? models::text_tokens(programs.positions()) : 0),
      states_(
          "states", programs.several.pattern, ValueKind::kState,
          [](const std::string& name) { return !models::is_of_tokens(name); }, walk::CardMemory::kShared),
      kept_("keys and values", bytes_of_a_token(programs.several, programs.positions())),
      settings_("settings", sizeof(operators::SampleSettings)),
      chosen_("tokens", kChosenBytes, walk::CardMemory::kShared),
      between_("what lies between", std::max(programs.several.between_bytes, programs.one.between_bytes)) {
  begin(sampling);
  if (first != 0) make_room(first);
}

cpe::GlobalPtr<void> Session::address(const graph::Template::Base& base) const {
  if (model_.has(base)) return model_.address(base);
  switch (base.kind) {
    case ValueKind::kState:
      return models::is_of_tokens(base.name) ? kept_.address(base.name) : states_.address(base.name);
    case ValueKind::kInput:
      return base.name == "settings" ? settings_.address() : chosen_.address();
    case ValueKind::kOutput:
      return chosen_.address().plus_bytes(base.name == "log_probability" ? kLogProbability : 0);
    default:
      return between_.address();
  }
}

void Session::make_room(uint32_t tokens) {
  if (tokens > taken()) {
    kept_.make_room(tokens + Programs::kChunk, room_ + Programs::kChunk);
    one_.reset();
  }
  if (one_) return;
  const auto at = [&](const auto& base) { return address(base); };
  several_.emplace(programs_.several.pattern, at);
  one_.emplace(programs_.one.pattern, at);
}

Token Session::run(walk::List& list, const std::map<std::string, int64_t>& sizes, uint32_t tokens,
                   Work& work) {
  work.launches += list.walk(walker_, sizes);
  length_ += tokens;
  work.tokens += tokens;
  work.nanoseconds += walker_.nanoseconds();
  Token token = 0;
  chosen_.get({reinterpret_cast<uint8_t*>(&token), sizeof token});
  if (penalised_ != 0)
    states_.write(models::kText, walk::bytes_of(std::array{token}), length_ * sizeof(Token));
  return token;
}

void Session::begin(const Sampling& sampling) {
  if (sampling.penalises() && penalised_ == 0) throw std::logic_error("the programs know no penalties");
  settings_.put(walk::bytes_of(std::array{settings_of(sampling)}));
  length_ = 0;
  // Penalties look at all of it, and leave out what is no token.
  if (penalised_ != 0)
    states_.put(models::kText, walk::bytes_of(std::vector<Token>(penalised_, models::kNoToken)));
}

Token Session::append(std::span<const Token> tokens) {
  Token following = 0;
  while (!tokens.empty()) {
    const auto chunk = tokens.first(std::min<size_t>(tokens.size(), Programs::kChunk));
    states_.write(models::kText, walk::bytes_of(chunk), length_ * sizeof(Token));
    following = run(*several_, {{"past", length_}, {"rows", static_cast<int64_t>(chunk.size())}},
                    static_cast<uint32_t>(chunk.size()), appended_);
    tokens = tokens.subspan(chunk.size());
  }
  return following;
}

void Session::generate(std::span<const Token> tokens, uint64_t most, std::span<const Token> ends,
                       const Got& got) {
  if (tokens.empty()) throw std::length_error("there is no token to begin with");
  if (tokens.size() > room_ - length_) {
    throw std::length_error(
        fmt::format("the text would have {} tokens; there is room for {}", length_ + tokens.size(), room_));
  }
  most = std::min<uint64_t>(most, room_ - length_ - tokens.size() + 1);
  make_room(static_cast<uint32_t>(std::min<uint64_t>(room_, length_ + tokens.size() + most)));
  if (most == 0) {
    append(tokens);
  } else if (decoder_ != nullptr) {
    decode(tokens, most, ends, got);
  } else {
    Token token = append(tokens);
    bool wanted = got(token);
    for (uint64_t i = 1; wanted && i < most && std::ranges::find(ends, token) == ends.end(); ++i)
      wanted = got(token = run(*one_, {{"past", length_}}, 1, continued_));
  }
}

// One launch reads all tokens, chunk by chunk, and makes those that follow.
void Session::decode(std::span<const Token> tokens, uint64_t most, std::span<const Token> ends,
                     const Got& got) {
  states_.write(models::kText, walk::bytes_of(tokens), length_ * sizeof(Token));
  const uint32_t end = length_ + static_cast<uint32_t>(tokens.size());
  std::vector<walk::Decoder::Reading> readings;
  add_readings(readings, *several_, length_, end);
  const size_t before = readings.size() - 1;
  const decode::Text text = {end, end + static_cast<uint32_t>(most - 1)};
  walk::Decoder::Texts places = {.texts = {&text, 1}, .tokens = chosen_.address(), .positions = {}};
  if (penalised_ != 0) {
    places.said = states_.address(models::kText);
    places.said_tokens = penalised_;
  }
  size_t runs = 0;
  decoder_->run(readings, writing(*one_, {&text, 1}), places, ends,
                [&](uint32_t, Token token) { return ++runs <= before || got(token); });
  // The last token has been chosen, and is no part of the text.
  const uint32_t read = runs > before ? static_cast<uint32_t>(tokens.size() + runs - before - 1)
                                      : static_cast<uint32_t>(runs) * Programs::kChunk;
  length_ += read;
  decoded_.tokens += read;
  ++decoded_.launches;
  decoded_.nanoseconds += decoder_->nanoseconds();
}

}  // namespace swai::generate
