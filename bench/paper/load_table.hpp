// SPDX-License-Identifier: Apache-2.0
// What it takes to load a model, stage by stage, as in Tables 1 and 5 of the paper.
#pragma once

#include <optional>
#include <string>

#include "bench/paper_table.hpp"

namespace swai::cli::bench {

inline constexpr const char* kLoadingMissing =
    "host software alone, with PyTorch beside it: verif/host/models/speech/measure_load.py --stages FILE measures it "
    "for --loading FILE";

// `file`: stages as verif/host/models/speech/measure_load.py --stages has written them; empty: none are there. Throws
// Error.
PaperTable load_table(const std::string& file);
// All stages of one way there, in ms: "fast", or "classic" (PyTorch). Nothing: the file does not have it.
std::optional<double> loading_ms(const std::string& file, const std::string& shape, const char* way);

}  // namespace swai::cli::bench
