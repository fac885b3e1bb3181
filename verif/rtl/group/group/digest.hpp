// SPDX-License-Identifier: Apache-2.0
// What two builds of a group must have in common, cycle for cycle, as numbers to compare: a sum of everything
// that GroupSim's watcher sees, and one of what the CPEs retire, where the build tells.
#pragma once

#include <array>
#include <cstdint>

#include "sim/group/group_sim.hpp"

namespace swai::cg {

class Digest {
 public:
  // Prints a line whenever this many cycles have passed. The digest of a line goes over everything before it.
  Digest(GroupSim& sim, uint64_t every);
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

 private:
  void print();

  GroupSim& sim_;
  uint64_t every_;
  std::array<uint64_t, GroupSim::kParts> parts_{};
  uint64_t retired_ = 0;
  uint64_t retirements_ = 0;
};

}  // namespace swai::cg
