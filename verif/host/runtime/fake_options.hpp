// SPDX-License-Identifier: Apache-2.0
// What a played card is: its options, and the operations that its kernels are.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "abi/protocol.hpp"

namespace swai::sdaa {

enum class Operation : uint32_t {
  kNothing = 0,
  kFill = 1,     // of the firmware's own
  kCopy = 2,     // likewise
  kAxpyInt = 3,  // as verif/host/runtime/kernels.cpp
  kWho = 4,
  kMany = 5,
  kHang = 6,
  kBreakpoint = 7,
  kSlow = 8,        // 100,000 cycles
  kDead = 9,        // its group never answers again
  kWipe = 10,       // of the firmware's own
  kConstants = 11,  // what the module's constants are, to where `who` writes
  kWord = 12,       // its argument is noted (FakeProcessor::words)
  kCommand = 13,    // a command that cores refuse
};

// Of the variables of fake_module(): `scale` has the first 4, `counts` the other 12.
inline constexpr uint32_t kConstantBytes = 16;

struct FakeOptions {
  unsigned groups = 2;
  unsigned rows = 2;
  unsigned columns = 2;
  uint64_t memory_per_group = 68 << 20;
  uint16_t version = protocol::kVersion;
  uint16_t minimum_version = protocol::kMinimumVersion;
  bool serves = true;
  bool card_routes = true;  // of the root complex
  uint64_t boot_cycles = 100'000;
  bool clears = true;  // false: launches that clear memory never end
  bool runs_programs = false;
  std::string configuration = "fake";
  std::function<void(uint64_t cycles)> on_run;  // time is to pass until an interrupt comes, at most so much
  std::function<void(uint64_t cycle)> on_idle;  // when the firmware has nothing to do any more
  std::function<bool()> lost;                   // asked with each call of the host's
  int connection = -1;                          // as link::Backend::fd() has it
  std::function<bool()> ends;  // asked whenever something happens: the firmware ends in a panic
};

}  // namespace swai::sdaa
