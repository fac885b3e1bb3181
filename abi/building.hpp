// SPDX-License-Identifier: Apache-2.0
// Programs that build lists from templates (abi/list_template.hpp): what their host tells them, and what they
// tell it of the building.
#pragma once

#include <cstdint>

namespace swai::building {

// When a list is built that is not there yet: when it is wanted and nothing runs, or while the one before it
// runs.
enum class When : uint32_t { kSync = 0, kAsync = 1 };
// Launches of the program: of a list, or of each of its nodes.
enum class Launches : uint32_t { kList = 0, kNodes = 1 };
// What program and cores both use lies in memory of both, or each has its own, and it is copied.
enum class Memory : uint32_t { kZeroCopy = 0, kCopy = 1 };

struct Mode {
  When when;
  Launches launches;
  Memory memory;
  uint32_t reserved;
};
static_assert(sizeof(Mode) == 16);

// Device pointers, to memory that processor and cores reach: a template, and addresses. Those of its
// pointers, in their order: who knows where memory lies adds bases and what is behind them once, and not for
// each list. Or those of its bases, in their order: then the program does that once.
enum class Addresses : uint32_t { kPointers = 0, kBases = 1 };
struct Source {
  uint64_t pattern;
  uint64_t addresses;
  uint32_t bytes;  // of the template
  Addresses of;
};
static_assert(sizeof(Source) == 24);

// What a program has done, in cycles of its processor.
struct alignas(64) Work {
  uint64_t nodes;             // that were built
  uint64_t build;             // what that took
  uint64_t hidden;            // of that: a list was running at its end, and so all the while
  uint64_t graphs;            // lists that were run
  uint64_t graph_nodes;       // of those with parameters
  uint64_t patch;             // working out parameters
  uint64_t handing_over;      // until memory has what the cores are to read for a run, but for the list
  uint64_t longest_handover;  // of these times
  uint64_t copying;           // between the program's memory and the cores', if these are two
};
static_assert(sizeof(Work) == 128);

}  // namespace swai::building
