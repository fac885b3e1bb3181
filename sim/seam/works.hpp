// SPDX-License-Identifier: Apache-2.0
// In how many cycles engines of CPEs worked, one at least of a group's, and cores waited. A simulator whose
// CPEs are models of their own counts it (array.cpp); groups are added up.
#pragma once

#include <cstdint>
#include <map>

namespace swai::array {

struct Works {
  // Computes: an arithmetic unit, or a transfer of an operand. Transfers of the background
  // (cpe_isa::dma_class) do not count, nor do those of a CPE whose core waits at a barrier: their operator
  // has not begun.
  uint64_t any = 0;
  uint64_t dma = 0;       // a transfer of any class is not complete
  uint64_t systolic = 0;  // a run is not complete
  uint64_t vector = 0;
  uint64_t barrier = 0;  // of all cores together: it has come to a barrier, and others have not
};

// By the context of the model that they are part of; a card asks for its own.
inline std::map<const void*, Works>& works_by_context() {
  static std::map<const void*, Works> all;
  return all;
}

// Null where CPEs are no models of their own.
inline const Works* works_of(const void* context) {
  const auto& all = works_by_context();
  const auto found = all.find(context);
  return found == all.end() ? nullptr : &found->second;
}

}  // namespace swai::array
