// SPDX-License-Identifier: Apache-2.0
// Groups that were given up. Their cores are switched off, but what these have on its way to memory arrives
// before they are in reset. Until then nobody else may get what they can reach.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "abi/launch.hpp"
#include "card_regs.hpp"
#include "firmware/memory/contexts.hpp"
#include "firmware/runtime/machine.hpp"

namespace swai::runtime {

template <Machine M>
class Lost {
 public:
  explicit Lost(M& machine) : machine_(machine) {}

  // What these cores of it may still write is of these contexts.
  [[gnu::cold, gnu::noinline]] void add(unsigned group, uint32_t cores, const memory::Contexts& contexts) {
    groups_[group] = {machine_.time(), cores, contexts};
    writers_.add(contexts);
  }
  // Not while it is being reset.
  [[gnu::cold, gnu::noinline]] bool takes_registers(unsigned group) { return domain(group) == kRunning; }
  // To be called now and then as long as any does not rest: looks at the next of those. True: it does now.
  [[gnu::cold, gnu::noinline]] bool look() {
    unsigned left = static_cast<unsigned>(groups_.size());
    do looked_at_ = (looked_at_ + 1) % groups_.size();
    while (is_at_rest(looked_at_) && --left != 0);
    if (left == 0) return false;
    look_at(looked_at_);
    if (!is_at_rest(looked_at_)) return false;
    writers_ = {};
    for (const State& state : groups_) {
      if (state.cores != 0) writers_.add(state.contexts);
    }
    return true;
  }
  // The rest is what was seen last.

  // Nothing of the group is on its way any more.
  bool is_at_rest(unsigned group) const { return groups_[group].cores == 0; }
  bool are_at_rest() const {
    return std::ranges::all_of(groups_, [](const State& state) { return state.cores == 0; });
  }
  // It does not come to rest: so long it takes at most.
  [[gnu::cold, gnu::noinline]] bool is_given_up(unsigned group) const {
    return !is_at_rest(group) && machine_.time() - groups_[group].since >= kGrace;
  }
  // None of those that do not rest does.
  [[gnu::cold, gnu::noinline]] bool are_given_up() const {
    for (unsigned group = 0; group < groups_.size(); ++group) {
      if (!is_at_rest(group) && !is_given_up(group)) return false;
    }
    return true;
  }
  // Something may still come to memory of these.
  const memory::Contexts& writers() const { return writers_; }
  // Nothing comes to memory of this context any more, or it is not known how long that may take.
  [[gnu::cold, gnu::noinline]] bool is_settled(uint8_t context) const {
    for (unsigned group = 0; group < groups_.size(); ++group) {
      if (!is_at_rest(group) && groups_[group].contexts.has(context) && !is_given_up(group)) return false;
    }
    return true;
  }
  static constexpr uint64_t kGrace = 1'000'000;

 private:
  struct State {
    uint64_t since = 0;
    uint32_t cores = 0;  // that have not been seen in reset
    memory::Contexts contexts = {};
  };
  static constexpr uint64_t kRunning = regs::pcie::reset_status::kGroup0Running;
  static constexpr uint64_t kInReset = regs::pcie::reset_status::kGroup0InReset;

  [[gnu::cold, gnu::noinline]] void look_at(unsigned group) {
    State& state = groups_[group];
    uint32_t left = state.cores;
    // A core in reset answers nothing, and nobody switches it on again.
    while (left != 0 && !answers(group, static_cast<unsigned>(std::countr_zero(left)))) left &= left - 1;
    // A group that is being reset answers nothing either. It is in reset when nothing of it is under way, or
    // when it has had 4096 cycles for that.
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
  memory::Contexts writers_ = {};  // of all that do not rest
  unsigned looked_at_ = 0;
};

}  // namespace swai::runtime
