// SPDX-License-Identifier: Apache-2.0
// What a doctor finds: of the command line, of boards.
#pragma once

#include <string>
#include <vector>

#include "host/tools/cli/cli.hpp"

namespace swai::cli {

struct Finding {
  std::string what;
  bool good;
  std::string detail;  // what was found
  std::string cure;    // where it is not good
};

// Shows them, with the cures of what is not good. Exit code kDone when all is.
int show(const Cli& cli, const std::vector<Finding>& findings);

}  // namespace swai::cli
