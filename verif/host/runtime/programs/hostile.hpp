// SPDX-License-Identifier: Apache-2.0
// What a program that means no good is told to do.
#pragma once

#include <array>
#include <cstdint>

#include "abi/program.hpp"

namespace swai::hostile {

enum class Deed : uint32_t {
  kReturn = 0,      // `word` as code
  kSpin = 1,        // for ever
  kRecurse = 2,     // the same
  kLoad = 3,        // from the address `word`
  kStore = 4,       // to it
  kJump = 5,        // there
  kClean = 6,       // a line of the caches there
  kPrivileged = 7,  // an instruction of the kernel's
  kCall = 8,        // unknown functions, and known ones with garbage, `word` times
  kFlood = 9,       // messages without end; how many so far is kept at the pointer `word`
  kBreak = 10,      // ebreak
  kLaunch = 11,     // a kernel; the code is the status that it ends with
  kSubmit = 12,     // command of type `word` with `words`; the code is the status that it ends with
  kShow = 13,       // the pointer `word`, and reads there; the code is what is read
  kEcho = 14,       // sends back what comes as `word` kInput, until it is cancelled
  kExit = 15,       // with commands under way
  kCallOn = 16,     // calls that are answered at once, for ever
  // Calls with `word` in sp, gp and tp and something in each other register, and looks what comes back: the
  // code has a bit for each register that is not as it should be.
  kKeep = 17,
  kKeepLong = 18,  // the same without a call, for so long that others interrupt it
  kZero = 19,      // a line of memory at the address `word`
  // Asks for the page beside the processor; the code is 0 if there are zeros, then it writes there, if `word`
  // says so.
  kAnswers = 20,
};

struct Wish {
  Deed deed;
  uint32_t reserved;
  uint64_t word;
  program::Kernel kernel;
  std::array<uint64_t, 5> words;
};

}  // namespace swai::hostile
