// SPDX-License-Identifier: Apache-2.0
// `swai bench llm`: what section V of the paper on language models measures, on this card.
#pragma once

#include <functional>

#include "host/tools/cli/cli.hpp"

namespace swai::cli::bench {

// `chosen` is told what to do when the command line names it.
void add_llm(Cli& cli, CLI::App& command, const std::function<void(std::function<int()>)>& chosen);

}  // namespace swai::cli::bench
