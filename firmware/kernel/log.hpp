// SPDX-License-Identifier: Apache-2.0
// The kernel's log and the faults that it notes: records in the two journals that the host reads, and lines
// on the console.
#pragma once

#include <cstdint>

#include "abi/journal.hpp"

namespace swai::kernel::log {

// Before anything else here.
void init();

void write_record(journal::Line line, const journal::Arguments& arguments);
template <typename... Args>
void write(journal::Line line, Args... arguments) {
  write_record(line, {static_cast<uint64_t>(arguments)...});
}

// Not on the console: clients may cause as many as they like.
void note(journal::Fault fault, const journal::Arguments& arguments);

// Prints the lines that are still there, oldest first.
void replay();

}  // namespace swai::kernel::log
