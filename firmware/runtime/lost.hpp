// Groups that were given up. Their cores are switched off, but what these have on its way to memory arrives
// before they are in reset. Until then nobody else may get what they can reach.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "abi/launch.hpp"
#include "card_regs.hpp"
#include "firmware/runtime/machine.hpp"

namespace swai::runtime {

template <Machine M>
class Lost {
 public:
  explicit Lost(M& machine) : machine_(machine) {}

  // These cores of it may be running for `owner`.
  [[gnu::cold, gnu::noinline]] void add(unsigned group, uint32_t cores, uint8_t owner) {
    groups_[group] = {machine_.time(), cores, owner};
  }
  // Not while it is being reset.
  [[gnu::cold, gnu::noinline]] bool takes_registers(unsigned group) { return domain(group) == kRunning; }
  // Since add().
  [[gnu::cold, gnu::noinline]] uint64_t age(unsigned group) const {
    return machine_.time() - groups_[group].since;
  }
  // Nothing of the group is on its way any more.
  [[gnu::cold, gnu::noinline]] bool is_at_rest(unsigned group) {
    State& state = groups_[group];
    uint32_t left = state.cores;
    // A core in reset answers nothing, and nobody switches it on again.
    while (left != 0 && !answers(group, static_cast<unsigned>(std::countr_zero(left)))) left &= left - 1;
    // A group that is being reset answers nothing either, and is in reset when nothing of it is under way.
    switch (domain(group)) {
      case kRunning:
        state.cores = left;
        break;
      case kInReset:
        state.cores = 0;
        break;
      default:
        break;
    }
    return state.cores == 0;
  }
  // Something may still come to memory of this context; of anybody.
  [[gnu::cold, gnu::noinline]] bool may_write(uint8_t context) {
    return any([context](const State& state) { return state.owner == context; });
  }
  [[gnu::cold, gnu::noinline]] bool may_write() {
    return any([](const State&) { return true; });
  }

 private:
  struct State {
    uint64_t since = 0;
    uint32_t cores = 0;  // that have not been seen in reset
    uint8_t owner = 0;
  };
  static constexpr uint64_t kRunning = regs::pcie::reset_status::kGroup0Running;
  static constexpr uint64_t kInReset = regs::pcie::reset_status::kGroup0InReset;

  template <typename IsMeant>
  bool any(IsMeant is_meant) {
    bool found = false;
    for (unsigned group = 0; group < groups_.size(); ++group) {
      if (groups_[group].cores != 0 && is_meant(groups_[group])) found |= !is_at_rest(group);
    }
    return found;
  }
  uint64_t domain(unsigned group) {
    namespace reset = regs::pcie::reset_status;
    constexpr unsigned kBits = 2;
    return reset::kGroup0.get(machine_.read(reset::kAddr) >> kBits * group);
  }
  bool answers(unsigned group, unsigned core) {
    uint64_t status = 0;
    return machine_.try_read(regs::cg::kBase + group * regs::cg::kSize + regs::kCgAccess +
                                 core * regs::kCgAccessStride + regs::kCgAccessStatus,
                             status);
  }

  M& machine_;
  std::array<State, launch::kMaxGroups> groups_ = {};
};

}  // namespace swai::runtime
