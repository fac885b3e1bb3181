// What it takes to load a model, stage by stage, as in Tables 1 and 5 of the paper.
#pragma once

#include <string>

#include "host/cli/bench/paper_table.hpp"

namespace swai::cli::bench {

// `file`: stages as verif/transcribe/measure_load.py --stages has written them; empty: none are there. Throws
// Error.
PaperTable load_table(const std::string& file);

}  // namespace swai::cli::bench
