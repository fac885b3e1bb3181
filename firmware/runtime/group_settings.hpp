// SPDX-License-Identifier: Apache-2.0
// What a group has to know for a launch: mask, segments, owner, watchdog; and what it must have forgotten.
#pragma once

#include <algorithm>
#include <cstdint>

#include "abi/kernel_arguments.hpp"
#include "firmware/runtime/group_states.hpp"

namespace swai::runtime::group_settings {

template <Machine M>
inline bool needs_wipe(const typename GroupStates<M>::State& state, const Launch& launch) {
  return state.holds != launch.owner;
}

template <Machine M>
inline void set_group(GroupStates<M>& groups, unsigned group, const Launch& launch) {
  auto& state = groups.states[group];
  state.driver->prepare({launch.mask, launch.code_segment, launch.argument_segment, launch.owner, true});
  state.prepared = launch.settings == 0 ? GroupStates<M>::kNotPrepared : launch.settings;
  groups.settings[group].add(launch, state.driver->number() + 1);
}

template <Machine M>
inline void wipe(GroupStates<M>& groups, unsigned group, uint8_t context) {
  auto& state = groups.states[group];
  const Code& code = groups.wipe.code;
  set_group(groups, group, {0, code.pc, state.all, 0, code.segment, code.segment, protocol::kKernelContext});
  GroupStates<M>::hand_over(state, {0, code.pc}, cpe::WipeWord(code.segment, groups.wipe.registers).word(),
                            GroupStates<M>::kWipe);
  state.holds = context;
}

// Who waited for the group to be idle may begin, and so may all.
template <Machine M>
[[gnu::noinline]] inline bool makes_room(GroupStates<M>& groups, typename GroupStates<M>::State& state,
                                         unsigned group) {
  if (state.drains == GroupStates<M>::Drains::kNo || groups.busy(group) || state.lost) return false;
  state.drains = GroupStates<M>::Drains::kNo;
  state.room = launch::kQueue;
  return true;
}

template <Machine M>
[[gnu::cold, gnu::noinline]] inline bool use_watchdog(GroupStates<M>& groups, unsigned group,
                                                      uint32_t watchdog,
                                                      typename GroupStates<M>::Drains whose) {
  auto& state = groups.states[group];
  if (groups.busy(group)) {
    // Others would keep it busy for ever.
    state.drains = whose;
    state.room = 0;
    return false;
  }
  state.driver->set_watchdog(watchdog);
  state.watchdog = watchdog;
  return true;
}

// What is rung for now has these settings, and finds nothing of others.
template <Machine M>
inline void set(GroupStates<M>& groups, unsigned group, const Launch& launch) {
  auto& state = groups.states[group];
  if (needs_wipe<M>(state, launch)) wipe(groups, group, launch.owner);
  set_group(groups, group, launch);
}

// False: later. The watchdog is the group's, not the launch's.
template <Machine M>
[[gnu::noinline]] inline bool prepare(GroupStates<M>& groups, unsigned group, const Launch& launch) {
  auto& state = groups.states[group];
  const uint32_t watchdog = std::max(launch.watchdog, GroupStates<M>::kShortest);
  if (state.watchdog != watchdog &&
      !use_watchdog(groups, group, watchdog, GroupStates<M>::Drains::kForOthers))
    return false;
  if (needs_wipe<M>(state, launch) && groups.waiting(group) + 1 >= state.room) return false;
  set(groups, group, launch);
  return true;
}

// An idle group will have a launch of this context: nothing of others is in its CPEs then.
template <Machine M>
[[gnu::cold, gnu::noinline]] inline void expect(GroupStates<M>& groups, unsigned group, uint8_t context,
                                                uint32_t watchdog) {
  auto& state = groups.states[group];
  if (groups.busy(group) || state.room == 0 || state.holds == context) return;
  if (state.watchdog != watchdog) use_watchdog(groups, group, watchdog, GroupStates<M>::Drains::kForOthers);
  wipe(groups, group, context);
}

}  // namespace swai::runtime::group_settings
