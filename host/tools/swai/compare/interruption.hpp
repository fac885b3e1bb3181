// SPDX-License-Identifier: Apache-2.0
// That somebody wants `swai compare` to end: a signal is noted, and who takes long looks for it.
#pragma once

namespace swai::cli {

struct Interrupted {
  int signal;
};

void note_signal(int signal);
// Throws Interrupted when one was noted.
void end_if_interrupted();

}  // namespace swai::cli
