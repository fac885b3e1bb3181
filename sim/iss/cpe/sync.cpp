#include "sim/iss/cpe/sync.hpp"

namespace swai::iss::cpe {

void Sync::set_active(uint32_t mask) {
  active_ = mask;
  arrived_ = {};
  released_ = {};
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

bool Sync::wait(unsigned cpe, Scope scope) {
  const uint32_t me = uint32_t{1} << cpe;
  if ((released_[scope] & me) != 0) {
    released_[scope] &= ~me;
    return true;
  }
  if ((active_ & me) == 0) return false;
  arrived_[scope] |= me;
  if (missing(cpe, scope) != 0) return false;
  const uint32_t all = members(cpe, scope);
  arrived_[scope] &= ~all;
  released_[scope] |= all & ~me;
  return true;
}

void Sync::reset(unsigned cpe) {
  for (unsigned scope = kRow; scope <= kAll; ++scope) {
    arrived_[scope] &= ~(uint32_t{1} << cpe);
    released_[scope] &= ~(uint32_t{1} << cpe);
  }
}

}  // namespace swai::iss::cpe
