// Threads of this machine that run the cores of all cards of a process.
#pragma once

namespace swai::fast {

// SWAI_FAST_THREADS, or else as many as this machine has use for. They change nothing but the time that it
// takes. Throws std::runtime_error when that is no number from 1 to 32.
unsigned host_threads();

}  // namespace swai::fast
