// SPDX-License-Identifier: Apache-2.0
// Launches of the kernel `walk` (cpe-kernels/operators/walker).
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "abi/building.hpp"
#include "abi/node.hpp"
#include "abi/program.hpp"
#include "host/models/exec/card_memory.hpp"
#include "host/models/exec/card_time.hpp"

namespace swai::walk {

class Walker {
 public:
  // The module with the operators, and what messages call it. It stays loaded as long as this lives.
  Walker(std::string name, std::span<const uint8_t> module);
  ~Walker();
  Walker(const Walker&) = delete;
  Walker& operator=(const Walker&) = delete;

  // What lists are launched by from now on, also by programs that go through them; a launch for a whole list
  // is the standard, one for each node is how frameworks launch operators. `host_us`: what the host's
  // software takes for each launch of its own, in the card's time.
  void launch(building::Launches launches, double host_us = 0) {
    launches_ = launches;
    host_ns_ = static_cast<uint64_t>(std::llround(host_us * kNsOfUs));
  }
  building::Launches launches() const { return launches_; }

  // Goes through lists, with a launch for each, one behind the other; returns when all is done.
  void walk(std::span<const node::WalkArgs> lists);
  // Of the last time, in nanoseconds of the card, from its start to its end.
  uint64_t nanoseconds() const { return time_.nanoseconds(); }
  // For programs of the management processor, which launch it themselves.
  program::Kernel kernel() const;

 private:
  std::string name_;
  sdaaModule_t module_ = nullptr;
  sdaaFunction_t function_ = nullptr;
  building::Launches launches_ = building::Launches::kList;
  static constexpr double kNsOfUs = 1000;
  uint64_t host_ns_ = 0;
  CardTime time_;
};

}  // namespace swai::walk
