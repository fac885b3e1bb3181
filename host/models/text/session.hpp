// SPDX-License-Identifier: Apache-2.0
// One text that a model on a card continues.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "host/models/exec/decoder.hpp"
#include "host/models/exec/growing_memory.hpp"
#include "host/models/files/decoder/graph.hpp"
#include "host/models/files/tokenizer.hpp"
#include "host/models/text/any_text.hpp"
#include "host/models/text/loaded_model.hpp"
#include "host/models/text/sampling.hpp"

namespace swai::generate {

// What the card is told to do, for a text of some length: known before there is a card.
struct Programs {
  // Most tokens of a launch.
  static constexpr uint32_t kChunk = 64;

  // Throws InputError, with the model's file, when it is more than the card's operators take.
  Programs(const models::CardDecoder& model, uint32_t room, bool penalises = false);

  // Of tokens in a text, with a whole chunk behind its end.
  uint32_t positions() const { return room + kChunk; }

  uint32_t room;
  bool penalises;          // Sampling's penalties; without they are not looked at
  graph::Program several;  // takes up to kChunk tokens
  graph::Program one;      // goes on with the token that was found last
};

// What a card has done for a text.
struct Work {
  uint64_t tokens = 0;
  uint64_t launches = 0;
  uint64_t nanoseconds = 0;  // of the card
};

// Of its keys and values, in each layer.
walk::GrowingMemory::RowBytes bytes_of_a_token(const graph::Program& several, uint32_t positions);

// What a list that takes several tokens does for a text from token `begin` to `end`, the last of which is
// followed by text; and what one does that goes on with texts.
void add_readings(std::vector<walk::Decoder::Reading>& readings, const walk::List& list, uint32_t begin,
                  uint32_t end, uint32_t text = 0);
walk::Decoder::Writing writing(const walk::List& list, std::span<const decode::Text> texts);

class Session : public AnyText {
 public:
  // Memory for keys and values is taken for `first` tokens at once, and grows with the text, up to the
  // programs' room. Throws walk::CardError when the card has not so much memory. With a `decoder` the card
  // goes on by itself; without one the host launches each step.
  Session(walk::Walker& walker, walk::Decoder* decoder, const LoadedModel& model, const Programs& programs,
          const Sampling& sampling, uint32_t first = 0);

  // Forgets the text; the next one is chosen like this.
  void begin(const Sampling& sampling);

  // Throws walk::CardError, too, when the card has no memory for so many tokens; the text stays.
  void generate(std::span<const models::Token> tokens, uint64_t most, std::span<const models::Token> ends,
                const Got& got) override;

  uint32_t length() const override { return length_; }
  uint32_t room() const override { return room_; }
  // For how many tokens the card has given memory.
  uint32_t taken() const { return std::max(kept_.rows(), Programs::kChunk) - Programs::kChunk; }
  // What was given; what was made of it, launch by launch; what the card made in one launch.
  const Work& appended() const { return appended_; }
  const Work& continued() const { return continued_; }
  const Work& decoded() const { return decoded_; }
  size_t state_bytes() const { return states_.bytes() + kept_.bytes(); }

 private:
  cpe::GlobalPtr<void> address(const graph::Template::Base& base) const;
  void make_room(uint32_t tokens);
  models::Token append(std::span<const models::Token> tokens);
  void decode(std::span<const models::Token> tokens, uint64_t most, std::span<const models::Token> ends,
              const Got& got);
  models::Token run(walk::List& list, const std::map<std::string, int64_t>& sizes, uint32_t tokens,
                    Work& work);

  walk::Walker& walker_;
  walk::Decoder* const decoder_;
  const LoadedModel& model_;
  const Programs& programs_;
  const uint32_t room_;
  const uint32_t penalised_;  // tokens that penalties look at: the whole text; 0: there are none
  uint32_t length_ = 0;
  walk::NamedMemory states_;
  walk::GrowingMemory kept_;  // keys and values
  walk::CardMemory settings_, chosen_, between_;
  std::optional<walk::List> several_, one_;  // of the states where they are
  Work appended_, continued_, decoded_;
};

}  // namespace swai::generate
