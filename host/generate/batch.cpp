#include "host/generate/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "cpe-kernels/operators/common/places.hpp"

namespace swai::generate {
namespace {

using graph::ValueKind;
using models::Token;
using operators::kChunkRows, operators::kNoText;
static_assert(kNoText == decode::kNoText && operators::kMaxPlacedRows <= decode::kMostTexts);

}  // namespace

BatchPrograms::BatchPrograms(const CardLlama& model, uint32_t most_texts, uint32_t tokens)
    : texts(most_texts),
      room(tokens),
      several(llama_program(model, {.rows = Programs::kChunk, .room = positions()})),
      next(llama_program(model, {.rows = texts, .room = positions(), .own_texts = true})) {}

uint32_t BatchPrograms::positions() const {
  return (room + Programs::kChunk + kChunkRows - 1) / kChunkRows * kChunkRows;
}

Batch::Batch(walk::Walker& walker, walk::Decoder* decoder, const LoadedModel& model,
             const BatchPrograms& programs)
    : walker_(walker),
      decoder_(decoder),
      model_(model),
      programs_(programs),
      states_("keys and values", programs.next.pattern, ValueKind::kState),
      settings_("settings", programs.texts * sizeof(operators::SampleSettings)),
      chosen_("tokens", 2 * programs.texts * sizeof(Token), walk::CardMemory::kShared),
      positions_("positions", programs.texts * sizeof(uint32_t), walk::CardMemory::kShared),
      chunks_("chunks", programs.texts * (programs.positions() / kChunkRows) * sizeof(uint32_t)),
      prompts_("prompts", programs.texts * text_tokens(programs.positions()) * sizeof(Token)),
      logits_("logits", model.card().shape.vocabulary * sizeof(float)),
      between_("what lies between", std::max(programs.several.between_bytes, programs.next.between_bytes)),
      next_(programs.next.pattern, [&](const auto& base) { return address(base, 0); }) {
  // The chunks of a text follow each other.
  std::vector<uint32_t> chunks(chunks_.bytes() / sizeof(uint32_t));
  std::iota(chunks.begin(), chunks.end(), 0);
  chunks_.put(walk::bytes_of(chunks));
}

// Of the memory that a step of all texts, or one that reads a text, knows by this name.
cpe::GlobalPtr<void> Batch::address(const graph::Template::Base& base, size_t text) const {
  if (model_.has(base)) return model_.address(base);
  const auto of_text = [&](const walk::CardMemory& memory, size_t bytes, size_t at = 0) {
    return memory.address().plus_bytes(static_cast<int64_t>(at + text * bytes));
  };
  switch (base.kind) {
    case ValueKind::kState:
      if (base.name == kText) return of_text(prompts_, text_tokens(programs_.positions()) * sizeof(Token));
      if (base.name == kLogits) return logits_.address();
      // Of one text alone it is a part of what all have.
      return states_.address(base.name).plus_bytes(static_cast<int64_t>(text) *
                                                   base.bytes.constant().value());
    case ValueKind::kInput:
      if (base.name == kPositions) return positions_.address();
      if (base.name == kChunks) return chunks_.address();
      return base.name == "settings" ? of_text(settings_, sizeof(operators::SampleSettings))
                                     : chosen_.address();
    case ValueKind::kOutput:
      return of_text(chosen_, sizeof(Token), base.name == "token" ? 0 : programs_.texts * sizeof(Token));
    default:
      return between_.address();
  }
}

void Batch::run(walk::List& list, const std::map<std::string, int64_t>& sizes, uint64_t tokens, Work& work) {
  list.walk(walker_, sizes);
  work.tokens += tokens;
  ++work.launches;
  work.nanoseconds += walker_.nanoseconds();
}

std::vector<Token> Batch::chosen() const {
  std::vector<Token> tokens(programs_.texts);
  chosen_.get({reinterpret_cast<uint8_t*>(tokens.data()), tokens.size() * sizeof(Token)});
  return tokens;
}

walk::List Batch::reader_of(size_t text) const {
  return {programs_.several.pattern, [&](const auto& base) { return address(base, text); }};
}

void Batch::take_in(size_t text, uint32_t tokens) {
  walk::List list = reader_of(text);
  for (uint32_t past = 0; past < tokens; past += Programs::kChunk) {
    const uint32_t rows = std::min(Programs::kChunk, tokens - past);
    run(list, {{"past", past}, {"rows", rows}}, rows, appended_);
  }
}

void Batch::go_on(std::span<const uint32_t> positions) {
  positions_.put(walk::bytes_of(positions));
  uint32_t past = 0;
  uint64_t tokens = 0;
  for (const uint32_t position : positions) {
    if (position == kNoText) continue;
    past = std::max(past, position);
    ++tokens;
  }
  run(next_, {{"past", past}}, tokens, continued_);
}

void Batch::generate(std::span<const Prompt> prompts, uint64_t most, std::span<const Token> ends,
                     const Got& got) {
  if (prompts.size() > programs_.texts)
    throw std::length_error(
        fmt::format("{} texts at once; there is room for {}", prompts.size(), programs_.texts));
  std::vector<operators::SampleSettings> settings(programs_.texts);
  for (size_t text = 0; text < prompts.size(); ++text) {
    const Prompt& prompt = prompts[text];
    if (prompt.sampling.penalises()) throw std::logic_error("the programs know no penalties");
    if (prompt.tokens.empty()) throw std::length_error("there is no token to begin with");
    if (prompt.tokens.size() > room()) {
      throw std::length_error(
          fmt::format("a text would have {} tokens; there is room for {}", prompt.tokens.size(), room()));
    }
    settings[text] = settings_of(prompt.sampling);
    prompts_.put(walk::bytes_of(prompt.tokens), text * text_tokens(programs_.positions()) * sizeof(Token));
  }
  settings_.put(walk::bytes_of(settings));
  // A row of no text has a token, too.
  chosen_.put(std::vector<uint8_t>(chosen_.bytes()));
  if (decoder_ != nullptr && most != 0) {
    decode(prompts, most, ends, got);
  } else {
    launch_steps(prompts, most, ends, got);
  }
}

void Batch::launch_steps(std::span<const Prompt> prompts, uint64_t most, std::span<const Token> ends,
                         const Got& got) {
  std::vector<uint32_t> positions(programs_.texts, kNoText);
  // Whether the token that has been found, the one at the text's position, is to be gone on with.
  const auto hear = [&](size_t text, Token token, uint64_t made) {
    const bool wanted = got(text, token) && std::ranges::find(ends, token) == ends.end();
    return wanted && made < most && positions[text] < room();
  };
  for (size_t text = 0; text < prompts.size(); ++text) {
    take_in(text, static_cast<uint32_t>(prompts[text].tokens.size()));
    if (most == 0) continue;
    positions[text] = static_cast<uint32_t>(prompts[text].tokens.size());
    if (!hear(text, chosen()[text], 1)) positions[text] = kNoText;
  }
  while (std::ranges::any_of(positions, [](uint32_t position) { return position != kNoText; })) {
    go_on(positions);
    const std::vector<Token> tokens = chosen();
    for (size_t text = 0; text < prompts.size(); ++text) {
      if (positions[text] == kNoText) continue;
      ++positions[text];
      if (!hear(text, tokens[text], positions[text] - prompts[text].tokens.size() + 1))
        positions[text] = kNoText;
    }
  }
}

// One launch reads all prompts, chunk by chunk, and makes what follows.
void Batch::decode(std::span<const Prompt> prompts, uint64_t most, std::span<const Token> ends,
                   const Got& got) {
  // Rows that have no text of their own end where they begin.
  std::vector<decode::Text> texts(programs_.texts);
  std::vector<walk::List> readers;
  readers.reserve(prompts.size());
  std::vector<walk::Decoder::Reading> readings;
  std::vector<size_t> reads(prompts.size());  // runs that only read, to come
  for (uint32_t text = 0; text < prompts.size(); ++text) {
    const auto end = static_cast<uint32_t>(prompts[text].tokens.size());
    texts[text] = {end, end + static_cast<uint32_t>(std::min<uint64_t>(most - 1, room() - end))};
    const size_t before = readings.size();
    add_readings(readings, readers.emplace_back(reader_of(text)), 0, end, text);
    reads[text] = readings.size() - before - 1;
    decoded_.tokens += end;
  }
  std::vector<uint64_t> made(prompts.size());
  decoder_->run(readings, writing(next_, texts),
                {.texts = texts, .tokens = chosen_.address(), .positions = positions_.address()}, ends,
                [&](uint32_t text, Token token) {
                  if (reads[text] != 0) return --reads[text], true;
                  // The first one comes with the prompt.
                  if (made[text]++ != 0) ++decoded_.tokens;
                  return got(text, token);
                });
  ++decoded_.launches;
  decoded_.nanoseconds += decoder_->nanoseconds();
}

}  // namespace swai::generate
