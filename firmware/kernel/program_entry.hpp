// SPDX-License-Identifier: Apache-2.0
// Into a program and back, in program_entry.S.
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/program.hpp"
#include "card_regs.hpp"
#include "firmware/runtime/machine.hpp"

namespace swai::kernel {

// Interrupts are held back. Returns with whatever ends the program's turn: `state` says what that is.
extern "C" void enter_program(runtime::ProgramState& state);
// Calls meanwhile, with registers as the program has them; a7 has the function. In service.cpp:
// runtime::Runtime::answer(), submit() and launched().
extern "C" bool answer_program(uint64_t a0, uint64_t a1, runtime::ProgramState& state, uint64_t a7);
extern "C" bool submit_command(uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5,
                               uint64_t a6, uint64_t a7, runtime::ProgramState& state);

extern "C" uint64_t note_launch(runtime::ProgramState& state);

static_assert(static_cast<unsigned>(program::Call::kSubmit) == 1);
static_assert(offsetof(runtime::ProgramState, pc) == 256 && offsetof(runtime::ProgramState, cause) == 264 &&
              offsetof(runtime::ProgramState, value) == 272 && offsetof(runtime::ProgramState, ready) == 280);
static_assert(offsetof(runtime::ReadyLaunch, function) == 0 && offsetof(runtime::ReadyLaunch, words) == 8 &&
              offsetof(runtime::ReadyLaunch, slot) == 24 && offsetof(runtime::ReadyLaunch, doorbell) == 32 &&
              offsetof(runtime::ReadyLaunch, argument) == 48);
static_assert(runtime::ReadyLaunch::kNone == 0 && regs::inbox::work::kAddr == 0x1000'5000);

}  // namespace swai::kernel
