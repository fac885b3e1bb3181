// SPDX-License-Identifier: Apache-2.0
// swai bench paper: the tables of the paper on three-tier scheduling, on this card.
#pragma once

#include <functional>

#include "host/tools/cli/cli.hpp"

namespace swai::cli::bench {

// `chosen` hears what does it, when the command line has the subcommand.
void add_paper(Cli& cli, CLI::App& command, const std::function<void(std::function<int()>)>& chosen);

}  // namespace swai::cli::bench
