// SPDX-License-Identifier: Apache-2.0
// The share of a job's time in which nothing computes, in all ways to launch it, as in Fig. 10 of the paper.
#pragma once

#include <string>
#include <vector>

#include "bench/paper_table.hpp"
#include "host/tools/cli/options.hpp"

namespace swai::cli::bench {

struct SpokenJob {
  std::string model;  // of Whisper, whatever files people have
  std::string sound;
  std::vector<double> host_us;  // what hosts need for an operator that they launch
  bool only_pytorch = false;    // of hosts, those that launch PyTorch's operators
  bool once = false;            // the first run of each way counts, not the second, and lists are left out
};

// On the card that is in use, whose simulator counts what engines do. Throws cli::Error, models::InputError,
// audio's and walk's errors.
PaperTable share_table(const Options& options, const SpokenJob& job);
// Without one.
PaperTable empty_share_table();

}  // namespace swai::cli::bench
