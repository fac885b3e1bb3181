// In how many cycles engines of CPEs worked, one at least of a group's, and cores waited. A simulator whose
// CPEs are models of their own counts it (array.cpp); groups are added up.
#pragma once

#include <cstdint>
#include <map>

namespace swai::array {

struct Works {
  // But for transfers of CPEs whose cores wait at a barrier: what these load is for what comes behind it.
  uint64_t any = 0;
  uint64_t dma = 0;       // a transfer is not complete
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
