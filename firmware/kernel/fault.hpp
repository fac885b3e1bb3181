// SPDX-License-Identifier: Apache-2.0
// The end of a kernel that cannot go on: it leaves a record (abi/fault.hpp), says what happened, and
// then resets the card when that may help, else sleeps for ever.
#pragma once

#include <string_view>

#include "abi/fault.hpp"
#include "firmware/kernel/frame.hpp"

namespace swai::kernel {

[[noreturn]] void panic(fault::Kind kind, const Frame& frame, std::string_view message);
// Without a trap: the record names the caller.
[[noreturn]] void panic(fault::Kind kind, std::string_view message);

// What must always hold; stays on in every build.
inline void require(bool condition, std::string_view what) {
  if (!condition) [[unlikely]] {
    panic(fault::Kind::kAssertion, what);
  }
}

// An image that is not confirmed is reset after a fault, so that the ROM can count the attempt; a confirmed
// one is kept as it is for whoever wants to look.
void set_image_confirmed(bool confirmed);

// The record of an earlier run if there is one.
const fault::Record* last_fault();
// Logs that record, once.
void report_last_fault();
void print_fault(const fault::Record& record);

}  // namespace swai::kernel
