// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/sync.hpp"

#include "sim/iss/cpe/masks.hpp"

namespace swai::iss::cpe {

void Sync::set_active(uint32_t mask) {
  active_ = mask;
  states_ = {};
}

uint32_t Sync::members(unsigned cpe, Scope scope) const {
  uint32_t mask = 0;
  for (unsigned other = 0; other < rows_ * columns_; ++other) {
    const bool in = scope == kAll || (scope == kRow && other / columns_ == cpe / columns_) ||
                    (scope == kColumn && other % columns_ == cpe % columns_);
    if (in) mask |= uint32_t{1} << other;
  }
  return mask & active_;
}

uint32_t Sync::missing(unsigned cpe, Scope scope) const {
  uint32_t missing = members(cpe, scope);
  for_each(missing, [&](unsigned other) {
    if (states_[other][scope] == kArrived) missing &= ~(uint32_t{1} << other);
  });
  return missing;
}

bool Sync::wait(unsigned cpe, Scope scope) {
  State& state = states_[cpe][scope];
  const bool released = state == kReleased;
  state = released || (active_ >> cpe & 1) == 0 ? kAway : kArrived;
  return released;
}

bool Sync::release(const std::function<void(uint32_t cpes)>& released) {
  bool any = false;
  for_each(active_, [&](unsigned cpe) {
    for (const Scope scope : {kRow, kColumn, kAll}) {
      if (states_[cpe][scope] != kArrived || missing(cpe, scope) != 0) continue;
      for_each(members(cpe, scope), [&](unsigned other) { states_[other][scope] = kReleased; });
      released(members(cpe, scope));
      any = true;
    }
  });
  return any;
}

}  // namespace swai::iss::cpe
