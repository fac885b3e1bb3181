// SPDX-License-Identifier: Apache-2.0
// One run of the fast card with a console.
#pragma once

#include "sim/card/console.hpp"
#include "sim/card/flash_store.hpp"
#include "sim/card/options.hpp"
#include "sim/common/workers.hpp"
#include "sim/fast/card.hpp"
#include "sim/fast/mistakes.hpp"

namespace swai::fast {

class Session {
 public:
  explicit Session(const card::Options& options);

  // Returns the exit code.
  int run();

 private:
  int ended() const;
  int asleep();
  void report(double seconds) const;

  card::Options options_;
  card::StopSignal stop_;
  card::FlashStore flash_;
  card::Console console_;
  common::Workers workers_;
  std::unique_ptr<Mistakes> mistakes_;
  Card card_;
  uint64_t first_instruction_ = 0;  // of this run
};

}  // namespace swai::fast
