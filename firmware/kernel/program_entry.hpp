// Into a program and back, in program_entry.S.
#pragma once

#include <cstddef>

#include "firmware/runtime/machine.hpp"

namespace swai::kernel {

// Interrupts are held back. Returns with whatever ends the program's turn: `state` says what that is.
extern "C" void enter_program(runtime::ProgramState& state);

static_assert(offsetof(runtime::ProgramState, pc) == 256 && offsetof(runtime::ProgramState, cause) == 264 &&
              offsetof(runtime::ProgramState, value) == 272);

}  // namespace swai::kernel
