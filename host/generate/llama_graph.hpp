// SPDX-License-Identifier: Apache-2.0
// Graphs of llama models.
#pragma once

#include "host/generate/card_llama.hpp"
#include "host/graph/program.hpp"

namespace swai::generate {

struct Step {
  uint32_t rows = 1;       // tokens of a run: so many; with more than one, up to so many (size `rows`)
  uint32_t room = 0;       // tokens whose keys and values can be kept
  bool judge = false;      // gives logits behind every token, and chooses none
  bool penalises = false;  // tokens of the text become less probable; whoever launches puts those behind it
  // Each row is of a text of its own, and goes on with the token that was found last. `rows` are so many, and
  // `room` is each text's, in whole chunks.
  bool own_texts = false;
};

// Names that all these graphs have.
inline constexpr const char* kRotary = "rotary";
inline constexpr const char* kLogits = "logits";
// Of each row in its text, and where that text's keys and values lie.
inline constexpr const char* kPositions = "positions";
inline constexpr const char* kChunks = "chunks";
inline constexpr const char* kText = "text";  // all tokens of it, of which a step takes some
// How many of them there are: the one that is chosen last stands behind the room.
constexpr uint32_t text_tokens(uint32_t room) { return room + 1; }
inline constexpr uint32_t kNoToken = UINT32_MAX;  // where nothing stands yet

// Computes some tokens behind `past` others, whose keys and values lie in states, and chooses the one that
// follows, as `settings` say (operators::SampleSettings). Throws GraphError or SizeError for more than graphs
// take.
graph::Graph llama_graph(const CardLlama& model, const Step& step);
// Throws InputError, with the model's file, when it is more than graphs or the card's operators take.
graph::Program llama_program(const CardLlama& model, const Step& step);

}  // namespace swai::generate
