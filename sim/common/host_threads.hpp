// SPDX-License-Identifier: Apache-2.0
// Threads of this machine that run the CPEs of all cards of a process.
#pragma once

namespace swai::common {

// SWAI_THREADS, or else as many as this machine has processors, `most` at most: more wait for each other
// longer than they help each other. They change nothing but the time that it takes. Throws std::runtime_error
// when that is no number from 1 to 32.
unsigned host_threads(unsigned most);

}  // namespace swai::common
