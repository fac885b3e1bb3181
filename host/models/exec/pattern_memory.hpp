// SPDX-License-Identifier: Apache-2.0
// Templates of lists in the card's memory, for programs that build lists from them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "abi/building.hpp"
#include "host/models/exec/list.hpp"

namespace swai::walk {

class PatternMemory {
 public:
  struct Pattern {
    const graph::Template* pattern = nullptr;
    List::Address address;  // of what it names
  };
  // `what` they are is in messages.
  PatternMemory(std::string what, std::span<const Pattern> patterns);

  const building::Source& source(size_t number) const { return sources_.at(number); }

 private:
  std::vector<building::Source> sources_;
  CardMemory memory_;
};

}  // namespace swai::walk
