// SPDX-License-Identifier: Apache-2.0
// The machine-mode layer below the kernel: it delegates what can be delegated, turns the machine timer into
// the supervisor's, and records what goes wrong beneath.
#pragma once

#include <cstdint>

namespace swai::kernel::machine {

// Functions of `ecall` from supervisor mode, in a7; the argument is in a0.
enum class Call : uint64_t {
  kSetTimer = 0,  // raise the supervisor timer interrupt at this time; withdraws a pending one
};

void call(Call function, uint64_t argument);

}  // namespace swai::kernel::machine
