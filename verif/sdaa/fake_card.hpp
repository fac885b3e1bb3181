// SPDX-License-Identifier: Apache-2.0
// A card that is played: the firmware's own runtime (firmware/runtime), compiled for the host, on a
// processor, a DMA engine and core groups that are played here. What lies between it and the library is
// link::Backend, so that a test of the interface takes milliseconds.
//
// Kernels are not instructions: the code of a module of fake_module() says which of the operations below they
// are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/protocol.hpp"
#include "host/link/backend.hpp"

namespace swai::sdaa {

enum class Operation : uint32_t {
  kNothing = 0,
  kFill = 1,     // of the firmware's own
  kCopy = 2,     // likewise
  kAxpyInt = 3,  // as verif/sdaa/kernels.cpp
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

// The ELF file of a module whose kernels are nothing, axpy_int, who, many_arguments, hang, breakpoint, slow,
// dead.
std::vector<uint8_t> fake_module(size_t padding = 0);
// The same, with variables that hosts know: constants that hold these bytes first, or zeros, and one of the
// card's memory, `total`, which is 7.
std::vector<uint8_t> fake_module_with_variables(std::string_view values = {});

std::unique_ptr<link::Backend> make_fake_card(const FakeOptions& options = {});

}  // namespace swai::sdaa
