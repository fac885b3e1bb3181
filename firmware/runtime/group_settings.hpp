// What a group has to know for a launch: mask, segments, owner, watchdog; and what it must have forgotten.
#pragma once

#include <algorithm>
#include <cstdint>

#include "abi/kernel_arguments.hpp"
#include "firmware/runtime/group_states.hpp"

namespace swai::runtime {

template <Machine M>
class GroupSettings : protected GroupStates<M> {
 protected:
  using GroupStates<M>::GroupStates;
  using GroupStates<M>::waiting;
  using GroupStates<M>::busy;
  using GroupStates<M>::kNotPrepared;
  using GroupStates<M>::kWipe;
  using GroupStates<M>::kShortest;
  using typename GroupStates<M>::Drains;
  using typename GroupStates<M>::State;
  using GroupStates<M>::is;
  using GroupStates<M>::hand_over;
  using GroupStates<M>::wipe_;
  using GroupStates<M>::states_;
  using GroupStates<M>::settings_;

  // Who waited for the group to be idle may begin, and so may all.
  [[gnu::noinline]] bool makes_room(State& state, unsigned group) {
    if (state.drains == Drains::kNo || busy(group) || state.lost) return false;
    state.drains = Drains::kNo;
    state.room = launch::kQueue;
    return true;
  }
  // False: later. The watchdog is the group's, not the launch's.
  [[gnu::noinline]] bool prepare(unsigned group, const Launch& launch) {
    State& state = states_[group];
    const uint32_t watchdog = std::max(launch.watchdog, kShortest);
    if (state.watchdog != watchdog && !use_watchdog(group, watchdog, Drains::kForOthers)) return false;
    if (needs_wipe(state, launch) && waiting(group) + 1 >= state.room) return false;
    set(group, launch);
    return true;
  }
  [[gnu::cold, gnu::noinline]] bool use_watchdog(unsigned group, uint32_t watchdog, Drains whose) {
    State& state = states_[group];
    if (busy(group)) {
      // Others would keep it busy for ever.
      state.drains = whose;
      state.room = 0;
      return false;
    }
    state.driver->set_watchdog(watchdog);
    state.watchdog = watchdog;
    return true;
  }
  static bool needs_wipe(const State& state, const Launch& launch) { return state.holds != launch.owner; }
  // What is rung for now has these settings, and finds nothing of others.
  void set(unsigned group, const Launch& launch) {
    State& state = states_[group];
    if (needs_wipe(state, launch)) {
      const Code& code = wipe_.code;
      set_group(group, {0, code.pc, state.all, 0, code.segment, code.segment, protocol::kKernelContext});
      hand_over(state, {0, code.pc}, cpe::WipeWord(code.segment, wipe_.registers).word(), kWipe);
    }
    state.holds = launch.owner;
    set_group(group, launch);
  }
  void set_group(unsigned group, const Launch& launch) {
    State& state = states_[group];
    state.driver->prepare({launch.mask, launch.code_segment, launch.argument_segment, launch.owner, true});
    state.prepared = launch.settings == 0 ? kNotPrepared : launch.settings;
    settings_[group].add(launch, state.driver->number() + 1);
  }
};

}  // namespace swai::runtime
