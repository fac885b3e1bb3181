// SPDX-License-Identifier: Apache-2.0
// The text of a window as a beam search finds it, by the steps of OpenAI's decoder.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "host/models/speech/speech.hpp"

namespace swai::transcribe {

struct BeamSearch {
  size_t beams;
  Token end;
  size_t most;  // tokens of a text, without its end
  // What may follow these tokens.
  std::function<Rules(std::span<const Token>)> rules;
};

// Of the texts that follow what `speech` was given, the one whose tokens are likeliest, as their mean: its
// tokens, and the end if it has one.
std::vector<Choice> search_beams(Speech& speech, const BeamSearch& search);

}  // namespace swai::transcribe
