// Several texts that a model on a card continues at once: a run makes a token for each of them.
#pragma once

#include "host/generate/session.hpp"

namespace swai::generate {

// What the card is told to do for texts of some length: known before there is a card.
struct BatchPrograms {
  // Throws InputError, with the model's file, when it is more than the card's operators take.
  BatchPrograms(const CardLlama& model, uint32_t texts, uint32_t room);

  // Of tokens in a text, with a whole chunk behind its end.
  uint32_t positions() const;

  uint32_t texts;  // at most
  uint32_t room;
  graph::Program several;  // takes up to Programs::kChunk tokens of one text
  graph::Program next;     // goes on with the tokens that were found last, one of each text
};

class Batch {
 public:
  // Throws walk::CardError when the card has not so much memory.
  // With a `decoder` one launch makes all texts; without one the host launches each step.
  Batch(walk::Walker& walker, walk::Decoder* decoder, const LoadedModel& model,
        const BatchPrograms& programs);

  struct Prompt {
    std::vector<models::Token> tokens;  // one at least
    Sampling sampling;                  // without penalties
  };
  // Continues each text by `most` tokens at most. They are given as they come, with the number of their text,
  // until one of `ends`, which is given, too, or `got` wants no more of this text: the others go on. Where
  // room ends, so does a text. Throws std::length_error when there is no room for texts or tokens.
  using Got = std::function<bool(size_t text, models::Token)>;
  void generate(std::span<const Prompt> prompts, uint64_t most, std::span<const models::Token> ends,
                const Got& got);

  uint32_t room() const { return programs_.room; }
  // What was given; what was made of it, launch by launch; what the card made in one launch.
  const Work& appended() const { return appended_; }
  const Work& continued() const { return continued_; }
  const Work& decoded() const { return decoded_; }
  size_t state_bytes() const { return states_.bytes(); }

 private:
  cpe::GlobalPtr<void> address(const graph::Template::Base& base, size_t text) const;
  walk::List reader_of(size_t text) const;
  void take_in(size_t text, uint32_t tokens);
  void go_on(std::span<const uint32_t> positions);
  void launch_steps(std::span<const Prompt> prompts, uint64_t most, std::span<const models::Token> ends,
                    const Got& got);
  void decode(std::span<const Prompt> prompts, uint64_t most, std::span<const models::Token> ends,
              const Got& got);
  void run(walk::List& list, const std::map<std::string, int64_t>& sizes, uint64_t tokens, Work& work);
  std::vector<models::Token> chosen() const;

  walk::Walker& walker_;
  walk::Decoder* const decoder_;
  const LoadedModel& model_;
  const BatchPrograms& programs_;
  walk::NamedMemory states_;
  walk::CardMemory settings_, chosen_, positions_, chunks_, prompts_, logits_, between_;
  walk::List next_;
  Work appended_, continued_, decoded_;
};

}  // namespace swai::generate
