// SPDX-License-Identifier: Apache-2.0
// Several texts that a model on a card continues at once: a run makes a token for each of them. Texts begin
// and end while others go on.
#pragma once

#include "host/models/text/session.hpp"

namespace swai::generate {

// What the card is told to do for texts of some length: known before there is a card.
struct BatchPrograms {
  // Throws InputError, with the model's file, when it is more than the card's operators take.
  BatchPrograms(const models::CardDecoder& model, uint32_t texts, uint32_t room, bool penalises = false);

  // Of tokens in a text, with a whole chunk behind its end.
  uint32_t positions() const;

  uint32_t texts;  // at most
  uint32_t room;
  bool penalises;          // Sampling's penalties; without they are not looked at
  graph::Program several;  // takes up to Programs::kChunk tokens of one text
  graph::Program one;      // goes on with the token that was found last, where only one text does
  graph::Program next;     // goes on with the tokens that were found last, one of each text
};

class Batch {
 public:
  // With a `decoder` one launch makes all texts; without one the host launches each step. Memory for keys and
  // values of `first` tokens of each text is taken at once, and more when texts need it. Throws
  // walk::CardError when the card has not so much.
  Batch(walk::Walker& walker, walk::Decoder* decoder, const LoadedModel& model, const BatchPrograms& programs,
        uint32_t first = 0);

  bool has_place() const;
  size_t size() const;  // texts that have begun and not ended
  // The text's number, until it has ended. `tokens` are one at least, and `most` tokens at most follow, one
  // at least. Throws std::length_error when there is no room for the tokens, walk::CardError when the card
  // has no memory for the text: nothing has changed then.
  size_t begin(std::span<const models::Token> tokens, uint64_t most, const Sampling& sampling);
  // Memory for keys and values, too.
  void forget_all();

  struct Ears {
    // Tokens as they come, until one of the ends, which is given, too; false: no more of this text is wanted.
    std::function<bool(size_t text, models::Token)> got;
    // The text has ended: by a token, because it is unwanted, long enough, or where room ends. Its number is
    // free. Texts may begin only when `go_on` has returned.
    std::function<void(size_t text)> ended = [](size_t) {};
    // Whether a text is still wanted, behind each part of a long prompt.
    std::function<bool(size_t text)> wants = [](size_t) { return true; };
    // Whether all should stop for now, behind each token.
    std::function<bool()> pause = [] { return false; };
  };
  // Goes on with all texts until each has ended, or until there is a pause: then another call goes on.
  void go_on(std::span<const models::Token> ends, const Ears& ears);

  uint32_t room() const { return programs_.room; }
  // What was given; what was made of it, launch by launch; what the card made by itself.
  const Work& appended() const { return appended_; }
  const Work& continued() const { return continued_; }
  const Work& decoded() const { return decoded_; }
  size_t state_bytes() const { return kept_.bytes(); }
  // Of that, what is for this text.
  size_t bytes_of(size_t text) const;

 private:
  struct Text {
    std::vector<models::Token> tokens;  // that were given, and found behind them
    uint32_t given = 0;
    uint32_t read = 0;   // of those that were given
    uint32_t limit = 0;  // where the last token may stand
    uint32_t first_chunk = 0;
    uint32_t chunks = 0;

    // Of the token that is gone on with when all is read.
    uint32_t position() const { return std::max(given, static_cast<uint32_t>(tokens.size()) - 1); }
  };
  // For the text of a number alone, whatever text that is.
  struct Lists {
    walk::List several, one;
  };

  cpe::GlobalPtr<void> address(const graph::Template::Base& base, size_t text) const;
  cpe::GlobalPtr<void> address_alone(const graph::Template::Base& base, size_t text) const;
  uint32_t free_chunks(uint32_t count) const;
  // There is one text, and the card goes on by itself: then the text's own lists are quicker than its row.
  bool is_alone() const;
  void hear(size_t text, models::Token token, std::span<const models::Token> ends, const Ears& ears);
  bool hear_part(size_t text, const Ears& ears);
  void end(size_t text, const Ears& ears);
  void launch_steps(std::span<const models::Token> ends, const Ears& ears);
  void take_in(size_t text, std::span<const models::Token> ends, const Ears& ears);
  void step(std::span<const models::Token> ends, const Ears& ears);
  void put_behind(size_t text, models::Token token);
  void decode(std::span<const models::Token> ends, const Ears& ears);
  void run(walk::List& list, const std::map<std::string, int64_t>& sizes, uint64_t tokens, Work& work);
  std::vector<models::Token> chosen() const;

  walk::Walker& walker_;
  walk::Decoder* const decoder_;
  const LoadedModel& model_;
  const BatchPrograms& programs_;
  walk::GrowingMemory kept_;  // keys and values
  walk::CardMemory settings_, chosen_, positions_, chunks_, said_, logits_, between_;
  std::optional<walk::List> next_;
  std::vector<std::optional<Text>> texts_;
  std::vector<std::optional<Lists>> lists_;
  Work appended_, continued_, decoded_;
};

}  // namespace swai::generate
