// SPDX-License-Identifier: Apache-2.0
// Tables of a paper as a command prints them: as text, as JSON, and a picture of each column.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/paper_table.hpp"
#include "host/tools/cli/cli.hpp"

namespace swai::cli::bench {

class TableReport {
 public:
  // `command`: as messages name it.
  explicit TableReport(std::string command) : command_(std::move(command)) {}

  void add_options(CLI::App& app);
  // Makes the folder for pictures. Throws Error.
  void begin() const;
  // Whether pictures of what was measured before are all that is wanted; they are drawn then.
  bool only_draws() const;
  // `made`: how, on which card.
  int print(const Cli& cli, const std::string& made, const std::vector<PaperTable>& tables) const;

 private:
  const std::string command_;
  std::string pictures_;
  std::string drawn_;  // the file with what was measured before
};

}  // namespace swai::cli::bench
