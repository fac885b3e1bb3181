// What the program `decode` (firmware/programs/decode.cpp) is told by its host: which lists of nodes the
// kernel `walk` goes through, how often, and what changes from step to step. It knows nothing of models: a
// token is a word that the cores write.
#pragma once

#include <cstdint>

#include "abi/program.hpp"

namespace swai::decode {

// The arguments: this, then `phases` of Phase, `increments` of Increment, `ends` of uint32_t, without gaps.
struct Wish {
  program::Kernel walk;
  uint64_t parameters;  // device pointer to the parameter block, in memory that processor and cores reach
  uint64_t token;       // the same, to the uint32_t that the last node of a step writes
  uint32_t parameter_count;
  uint32_t phases;
  uint32_t increments;
  uint32_t ends;  // tokens behind which nothing follows; they are sent, too
};
static_assert(sizeof(Wish) == 48);

// What becomes of the token that a run has chosen.
enum class Token : uint32_t {
  kText = 0,      // it is sent; behind one of `ends` nothing follows
  kProgress = 1,  // it is sent, so that the host knows that the run is over
};

// One list, run so many times.
struct Phase {
  uint64_t list;  // device pointer
  uint32_t count;
  uint32_t steps;
  Token token;
  uint32_t first_increment;  // those that are added to parameters behind each of its runs
  uint32_t increments;
  uint32_t reserved;
};
static_assert(sizeof(Phase) == 32);

struct Increment {
  uint64_t by;
  uint32_t parameter;
  uint32_t reserved;
};
static_assert(sizeof(Increment) == 16);

// The program's code.
enum Code : uint32_t {
  kAll = 0,        // all steps of all phases
  kEnd = 1,        // one of the end tokens came
  kCancelled = 2,  // by the host
  kRefused = 3,    // the arguments make no sense, or name memory that is not there
  kFailed = 4,     // a launch or copy: the queue's first failure says why
};

}  // namespace swai::decode
