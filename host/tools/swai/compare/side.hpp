// SPDX-License-Identifier: Apache-2.0
// A run of the program with a card of its own, of one tier: where what it said and got to know is, and how it
// ended.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/tools/cli/options.hpp"
#include "host/tools/swai/user_program.hpp"

namespace swai::cli {

struct Side {
  std::string tier;
  std::filesystem::path folder;
  std::optional<int> status;  // as waitpid() has it; nothing: its time was up
  unsigned processes = 0;     // that used a card
  uint64_t record_bytes = 0;
  std::vector<std::string> faults;  // that the card has written down

  std::filesystem::path output() const { return folder / "output"; }
  std::filesystem::path errors() const { return folder / "errors"; }
  std::filesystem::path record(unsigned process) const;
};

struct RunOptions {
  std::chrono::seconds limit{0};  // 0: as long as it likes
  bool keeps_output = true;
  unsigned cards = 1;
};

// How long it takes on the other tier can be told with `before`, what was known when it had run there. What
// the program leaves running is killed. Throws Error, and Interrupted.
Side run_on(const std::string& tier, const Options& options, const UserProgram& program,
            const std::filesystem::path& folder, const RunOptions& how, const Side* before);

}  // namespace swai::cli
