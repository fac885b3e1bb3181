// SPDX-License-Identifier: Apache-2.0
// Carries out a plan: sector by sector, each read back, each tried twice.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "host/tools/flash/board_error.hpp"
#include "host/tools/flash/plan.hpp"

namespace swai::flash {

struct Watcher {
  // Of all bytes that are erased and programmed.
  std::function<void(size_t done, size_t all)> progress = [](size_t, size_t) {};
  // Asked after each step, so that an interruption finds whole sectors.
  std::function<bool()> wants_stop = [] { return false; };
};

struct Outcome {
  enum class End { kDone, kStopped, kFailed };
  End end = End::kDone;
  std::optional<Trouble> trouble;  // when it failed
  std::string why;                 // it failed, or where it stopped
  size_t steps_done = 0;
  unsigned retries = 0;
};

// Throws nothing: whatever happens is in the outcome.
Outcome execute(const Plan& plan, Programmer& programmer, const Watcher& watcher);

}  // namespace swai::flash
