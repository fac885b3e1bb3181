// SPDX-License-Identifier: Apache-2.0
// What models of language and of speech share as the card computes them.
#pragma once

#include <fmt/format.h>

#include "host/models/files/file_bytes.hpp"
#include "host/models/graph/program.hpp"

namespace swai::models {

// Of a graph's states those that have a row for each token there is room for: keys and values.
inline bool is_of_tokens(const std::string& state) { return state.starts_with("layer["); }

// The card's program for a model from `path`, whose graph `build` makes. Throws InputError, which names it,
// when there is none.
template <typename Build>
graph::Program program_for(const std::string& path, const Build& build, uint32_t stands_for = 1) {
  try {
    return graph::program_of(build(), stands_for);
  } catch (const graph::GraphError& error) {
    refuse(path, fmt::format("is a model that the card cannot compute: {}", error.what()));
  } catch (const graph::SizeError& error) {
    refuse(path, fmt::format("is a model that the card cannot compute: {}", error.what()));
  }
}

}  // namespace swai::models
