// SPDX-License-Identifier: Apache-2.0
// What the kernel asks of the machine-mode layer below it (machine.cpp), from supervisor mode.
#pragma once

#include <cstdint>

namespace swai::kernel::machine {

// Functions of `ecall`, in a7; the argument is in a0.
enum class Call : uint64_t {
  kSetTimer = 0,  // raise the supervisor timer interrupt at this time; withdraws a pending one
};

void call(Call function, uint64_t argument);

}  // namespace swai::kernel::machine
