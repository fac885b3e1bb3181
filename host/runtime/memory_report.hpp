// SPDX-License-Identifier: Apache-2.0
// What the check of memory reports on stderr (memory_check.hpp): faults, leaks, and allocations by name.
#pragma once

#include <cstdint>
#include <string>

#include "host/runtime/allocations.hpp"
#include "host/runtime/queue_failure.hpp"

namespace swai::sdaa::memory_check {

// The allocations of a client on its card.
struct Owned {
  const Allocations& allocations;
  uint64_t client = 0;
};

// Which of the allocations it is, and whose.
std::string name_of(const Owned& owned, uint64_t pointer, const Allocation& allocation);
// Reports that on this card only the zones are checked.
void report_no_access_check(int device);
// If the queue has failed because a kernel used an invalid address, names the nearest allocation on stderr
// and in the failure's message.
void explain_fault(const Owned& owned, Queue& queue);
// What has not been freed, a line each, if anything.
void report_leaks(const Owned& owned);
void report(const std::string& text);

}  // namespace swai::sdaa::memory_check
