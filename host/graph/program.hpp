// From graph text to what the card is told: all steps at once.
#pragma once

#include <string>

#include "host/graph/list.hpp"

namespace swai::graph {

struct Program {
  Template pattern;
  size_t between_bytes = 0;  // of the block that nodes share
};

// Throws GraphError or SizeError when it is more than graphs or the card's operators take.
Program program_of(const std::string& text);

}  // namespace swai::graph
