// SPDX-License-Identifier: Apache-2.0
// Launches of the host and on the card, and what they take, as in Table 2 and Fig. 9 of the paper.
#pragma once

#include <optional>
#include <vector>

#include "bench/paper/job_table.hpp"
#include "bench/paper/launch_costs.hpp"
#include "bench/paper_table.hpp"

namespace swai::cli::bench {

// What launching takes in all, in us, of a job by three-tier scheduling.
double three_tier_us(const LaunchCosts& costs, const CountedJob& one);

// `jobs`: the tables' columns.
PaperTable launch_table(const std::vector<CountedJob>& jobs);
// No costs: `missing` says why.
PaperTable overhead_table(const std::vector<CountedJob>& jobs, const std::optional<LaunchCosts>& costs,
                          const std::string& missing);
PaperTable building_table(const std::vector<CountedJob>& jobs);
PaperTable copying_table(const std::vector<CountedJob>& jobs);
PaperTable cost_table(const std::optional<LaunchCosts>& costs, const std::string& missing);

}  // namespace swai::cli::bench
