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

// The work of a program: counts, and times in cycles of the MPE.
struct alignas(64) Work {
  uint64_t nodes;             // nodes built
  uint64_t build;             // time of building
  uint64_t hidden;            // part of `build` that was hidden: a list was still running when it ended
  uint64_t graphs;            // lists run
  uint64_t graph_nodes;       // nodes with parameters in these lists
  uint64_t patch;             // time of calculating parameters
  uint64_t handing_over;      // time until memory has the cores' inputs for a run, except the list
  uint64_t longest_handover;  // the longest of these times
  uint64_t copying;           // time of copies between the program's memory and the cores', if separate
};
static_assert(sizeof(Work) == 128);

}  // namespace swai::building
