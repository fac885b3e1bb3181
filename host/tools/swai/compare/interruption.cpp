// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/compare/interruption.hpp"

#include <atomic>

namespace swai::cli {
namespace {

std::atomic<int> noted = 0;

}  // namespace

void note_signal(int signal) { noted = signal; }

void end_if_interrupted() {
  if (const int signal = noted; signal != 0) throw Interrupted{signal};
}

}  // namespace swai::cli
