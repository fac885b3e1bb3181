// What the card does with some tokens of a llama model: a template of its list of nodes.
#pragma once

#include "host/generate/card_llama.hpp"
#include "host/generate/llama_graph.hpp"
#include "host/graph/list.hpp"

namespace swai::generate {

struct LlamaProgram {
  graph::Template pattern;
  size_t between_bytes = 0;  // of the block that nodes share
};

// Throws InputError, with the model's file, when it is more than graphs or the card's operators take.
LlamaProgram llama_program(const CardLlama& model, const Step& step);

}  // namespace swai::generate
