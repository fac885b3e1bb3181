// SPDX-License-Identifier: Apache-2.0
// What the engines of a simulated card do in each phase of a command, where its simulator counts it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/runtime/include/sdaa/simulation.h"
#include "host/tools/cli/json.hpp"

namespace swai::cli {

class WorkPhases {
 public:
  // The first phase begins.
  WorkPhases();

  struct Phase {
    std::string name;
    uint64_t cycles = 0;
    sdaaDeviceWork_t work = {};
  };
  // Ends a phase: the work since the end of the previous one, added to an earlier phase of the same name.
  void end(const std::string& name);

  // None where nobody counts.
  const std::vector<Phase>& all() const { return phases_; }
  const Phase& at(std::string_view name) const;
  std::string text() const;
  Json json() const;

 private:
  struct Moment {
    uint64_t cycle = 0;
    sdaaDeviceWork_t work = {};
  };
  static std::optional<Moment> now();

  std::optional<Moment> begin_;
  std::vector<Phase> phases_;
};

}  // namespace swai::cli
