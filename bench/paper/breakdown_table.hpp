// SPDX-License-Identifier: Apache-2.0
// Of what the time of a job is made, as in Fig. 3 of the paper.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/paper/job_table.hpp"
#include "bench/paper/launch_costs.hpp"

namespace swai::cli::bench {

// `loading`: the file with its stages, or empty. No costs: `missing` says why. Throws Error.
PaperTable breakdown_table(const std::vector<CountedJob>& jobs, const std::string& loading,
                           const std::optional<LaunchCosts>& costs, const std::string& missing);

}  // namespace swai::cli::bench
