#include "host/generate/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace swai::generate {
namespace {

using graph::ValueKind;
using models::Token;

// The token that was chosen, the logarithm of its probability, and those that the model is given.
constexpr size_t kLogProbability = 8;
constexpr size_t kGiven = 64;
constexpr size_t kTokensBytes = kGiven + Programs::kChunk * sizeof(Token);

// A launch may write keys and values of a whole chunk: states have so much more room.
constexpr uint32_t with_chunk(uint32_t room) { return room + Programs::kChunk; }

}  // namespace

Programs::Programs(const CardLlama& model, uint32_t tokens)
    : room(tokens),
      several(llama_program(model, {kChunk, with_chunk(tokens)})),
      one(llama_program(model, {1, with_chunk(tokens)})) {}

Session::Session(walk::Walker& walker, const CardModel& model, const Programs& programs,
                 const Sampling& sampling)
    : walker_(walker),
      room_(programs.room),
      weight_layout_(programs.one.pattern, ValueKind::kWeight),
      state_layout_(programs.one.pattern, ValueKind::kState),
      weights_("weights", weight_layout_.bytes),
      states_("keys and values", state_layout_.bytes),
      rotary_("rotary table", walk::bytes_of(rotary_table(model.card, with_chunk(room_)))),
      settings_("settings", walk::bytes_of(std::array{settings_of(sampling)})),
      tokens_("tokens", kTokensBytes),
      logits_("logits", model.card.shape.vocabulary * sizeof(float)),
      between_("what lies between", std::max(programs.several.between_bytes, programs.one.between_bytes)),
      several_(ready(programs.several, tokens_.address().plus_bytes(kGiven))),
      one_(ready(programs.one, tokens_.address())) {
  place(model);
}

void Session::place(const CardModel& model) {
  size_t count = 0;
  model.weights([&](const std::string& name, std::span<const uint8_t> contents) {
    const Extent& extent = weight_layout_.extents.at(name);
    if (contents.size() != extent.bytes)
      throw std::logic_error(fmt::format("{}: {} bytes for {}", name, contents.size(), extent.bytes));
    weights_.put(contents, extent.offset);
    ++count;
  });
  if (count != weight_layout_.extents.size())
    throw std::logic_error(fmt::format("{} weights of {}", count, weight_layout_.extents.size()));
}

// `given`: where the tokens are that a program is given.
cpe::GlobalPtr<void> Session::address(const graph::Template::Base& base, cpe::GlobalPtr<void> given) const {
  const auto in = [&](const walk::CardMemory& memory, const Layout& layout) {
    return memory.address().plus_bytes(static_cast<int64_t>(layout.extents.at(base.name).offset));
  };
  switch (base.kind) {
    case ValueKind::kWeight:
      return in(weights_, weight_layout_);
    case ValueKind::kState:
      return in(states_, state_layout_);
    case ValueKind::kInput:
      return base.name == "rotary"     ? rotary_.address()
             : base.name == "settings" ? settings_.address()
                                       : given;
    case ValueKind::kOutput:
      if (base.name == "log_probability") return tokens_.address().plus_bytes(kLogProbability);
      return base.name == "token" ? tokens_.address() : logits_.address();
    default:
      return between_.address();
  }
}

Session::Ready Session::ready(const LlamaProgram& program, cpe::GlobalPtr<void> given) const {
  std::vector<cpe::GlobalPtr<void>> bases;
  for (const graph::Template::Base& base : program.pattern.bases) bases.push_back(address(base, given));
  const std::vector<node::Node> nodes = graph::list_of(program.pattern, bases);
  return {program.pattern, walk::CardMemory("list of nodes", walk::bytes_of(nodes)),
          walk::CardMemory("parameters", program.pattern.parameters.size() * sizeof(uint64_t))};
}

Token Session::run(Ready& program, const std::map<std::string, int64_t>& sizes, uint32_t tokens, Work& work) {
  const std::vector<uint64_t> words = graph::parameters_of(program.pattern, sizes);
  program.parameters.put(walk::bytes_of(words));
  walker_.walk({program.list.address().as<const node::Node>(), program.pattern.nodes.size(),
                program.parameters.address().as<const uint64_t>(), words.size()});
  length_ += tokens;
  work.tokens += tokens;
  ++work.launches;
  work.nanoseconds += walker_.nanoseconds();
  Token token = 0;
  tokens_.get({reinterpret_cast<uint8_t*>(&token), sizeof token});
  return token;
}

Token Session::append(std::span<const Token> tokens) {
  if (tokens.empty()) throw std::length_error("there is no token to begin with");
  if (tokens.size() > room_ - length_) {
    throw std::length_error(
        fmt::format("the text would have {} tokens; there is room for {}", length_ + tokens.size(), room_));
  }
  Token following = 0;
  while (!tokens.empty()) {
    const auto chunk = tokens.first(std::min<size_t>(tokens.size(), Programs::kChunk));
    tokens_.put(walk::bytes_of(chunk), kGiven);
    following = run(several_, {{"past", length_}, {"rows", static_cast<int64_t>(chunk.size())}},
                    static_cast<uint32_t>(chunk.size()), appended_);
    tokens = tokens.subspan(chunk.size());
  }
  return following;
}

Token Session::next() {
  if (length_ == room_)
    throw std::length_error(fmt::format("the text has {} tokens, as many as there is room for", room_));
  return run(one_, {{"past", length_}}, 1, continued_);
}

std::vector<float> Session::logits() const {
  std::vector<float> numbers(logits_.bytes() / sizeof(float));
  logits_.get({reinterpret_cast<uint8_t*>(numbers.data()), logits_.bytes()});
  return numbers;
}

}  // namespace swai::generate
