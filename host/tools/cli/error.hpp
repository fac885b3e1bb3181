// SPDX-License-Identifier: Apache-2.0
// How a subcommand of `swai` fails.
#pragma once

#include <stdexcept>
#include <string>

#include "host/runtime/include/sdaa_runtime.h"

namespace swai::cli {

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,    // what was asked for was done, and failed: a kernel, a comparison
  kBadInput = 2,  // wrong usage, a file that cannot be read or written
  kNoCard = 3,    // no card, or it cannot be opened
  kCardLost = 4,  // the card went away, or did not answer in time
};

// Ends the command: one line that names cause and cure, and the exit code.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// Throws Error when a call of the runtime library failed: `what` could not be done, and why.
void check(sdaaError_t error, const std::string& what);

}  // namespace swai::cli
