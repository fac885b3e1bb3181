// SPDX-License-Identifier: Apache-2.0
// What the program `decode` (firmware/programs/decode.cpp) is told by its host: which lists of nodes the
// kernel `walk` goes through, how often, and what changes from step to step, for one text or for several. It
// knows nothing of models: a token is a word that the cores write.
#pragma once

#include <cstdint>

#include "abi/building.hpp"
#include "abi/program.hpp"

namespace swai::decode {

inline constexpr uint32_t kMostTexts = 64;
inline constexpr uint32_t kAllTexts = UINT32_MAX;
inline constexpr uint32_t kNoText = UINT32_MAX;  // the position of a text that takes no part in a run

// The arguments: this, then `phases` of Phase, `increments` of Increment, `texts` of Text, `ends` of
// uint32_t, without gaps.
struct Wish {
  program::Kernel walk;
  uint64_t parameters;  // device pointer to the parameter block, in memory that processor and cores reach
  uint64_t tokens;      // the same, to a uint32_t for each text, which the last node of a step writes
  uint64_t positions;  // the same, for the program to write before each run for all texts; 0: lists have none
  // The same, to `said_tokens` words of each text: a token that is text is put at the text's position there;
  // 0: it is put nowhere.
  uint64_t said;
  uint32_t parameter_count;
  uint32_t phases;
  uint32_t increments;
  uint32_t texts;
  uint32_t ends;  // tokens behind which nothing follows in a text; they are sent, too
  uint32_t said_tokens;
  building::Launches launches;
  uint32_t reserved;
};
static_assert(sizeof(Wish) == 80);

// What becomes of the token that a run has chosen.
enum class Token : uint32_t {
  kText = 0,      // it is sent; one of `ends` ends the text
  kProgress = 1,  // it is sent, so that the host knows that the run is over
};

// One list, run so many times: for one text, or for all that go on, until there are none.
struct Phase {
  uint64_t list;  // device pointer
  uint32_t count;
  uint32_t steps;
  Token token;
  // For one text they are added to parameters behind each run; for all, they are what a position more
  // changes, and are added as often as the largest position of those that go on has grown.
  uint32_t first_increment;
  uint32_t increments;
  uint32_t text;  // its number, or kAllTexts
};
static_assert(sizeof(Phase) == 32);

struct Increment {
  uint64_t by;
  uint32_t parameter;
  uint32_t reserved;
};
static_assert(sizeof(Increment) == 16);

// A text goes on in runs for all while its position, which each of them moves by one, is below its limit.
struct Text {
  uint32_t position;
  uint32_t limit;
};
static_assert(sizeof(Text) == 8);

struct Message {
  uint32_t text;
  uint32_t token;
};
static_assert(sizeof(Message) == 8);

// The host tells a bit for each text, from the lowest on: those that it wants no more of.
inline constexpr unsigned kUnwanted = program::kInput;

// The program's code.
enum Code : uint32_t {
  kAll = 0,        // all steps of all phases, as far as limits let them
  kEnd = 1,        // before that each text has ended, by one of the end tokens or because it is unwanted
  kCancelled = 2,  // by the host
  kRefused = 3,    // the arguments make no sense, or name memory that is not there
  kFailed = 4,     // a launch or copy: the queue's first failure says why
};

}  // namespace swai::decode
