// SPDX-License-Identifier: Apache-2.0
// What a tool that runs kernels says at the end.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/run/kernel/job.hpp"

namespace swai::kernel_run {

// One launch: a line, then what went wrong, or with `counters` a table of them.
std::string report(const Job& job, const Outcome& outcome, bool counters);

// Each counter of each CPE, laid out as the CPEs are.
std::string table(const Outcome& outcome, unsigned columns);

// A mistake of a kernel.
nlohmann::ordered_json finding_json(const Finding& finding, const module::SourceLines& lines,
                                    std::string_view kernel);

// All launches, oldest first; details of the last one.
nlohmann::ordered_json report_json(const Job& job, const std::vector<Outcome>& outcomes);

}  // namespace swai::kernel_run
