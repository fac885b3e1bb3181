// SPDX-License-Identifier: Apache-2.0
// What the launches in a trace did with the units of their cores, in shares of their time; and why the unit
// that did most did not do more.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "abi/trace/activity.hpp"
#include "host/tools/cli/json.hpp"
#include "host/tools/swai/trace_file.hpp"

namespace swai::cli {

// Of a launch, or of several; sums over its cores.
struct LaunchWork {
  std::string kernel;
  std::string card;
  std::string group;
  uint64_t number = 0;
  uint64_t begin = 0;
  uint64_t launches = 1;
  uint64_t failed = 0;
  uint64_t cores = 0;        // of a launch, at most
  uint64_t cycles = 0;       // of launches
  uint64_t core_cycles = 0;  // the same for each of their cores
  std::array<uint64_t, activity::kStates> states{};
  std::array<uint64_t, activity::kCounts> counts{};
  std::array<uint64_t, activity::kEngines> busy{};
  std::array<std::array<uint64_t, activity::kStates>, activity::kEngines> idle{};

  void add_core(const TraceSlice& core);
  void add(const LaunchWork& other);

  double share(uint64_t of_core_cycles) const;
  // How much an engine did in a cycle, of the most that it can do.
  double rate(unsigned engine) const;
  // The unit, or memory (DMA), that is nearest to the most that it can do.
  std::pair<activity::Engine, double> roof() const;
};

class TraceSummary {
 public:
  // Throws Error.
  explicit TraceSummary(const std::string& path);

  std::string text() const;
  Json json() const;

 private:
  std::vector<LaunchWork> launches_;
  std::vector<LaunchWork> kernels_;  // all launches of each, by name
};

}  // namespace swai::cli
