// SPDX-License-Identifier: Apache-2.0
// Launches of the runtime's own.
#pragma once

#include <cstdint>

#include "firmware/runtime/group_settings.hpp"
#include "firmware/runtime/group_states.hpp"
#include "firmware/runtime/settings.hpp"

namespace swai::runtime::own_launches {

// A launch of the runtime's own, while nothing else is under way; until it has ended. False: it failed.
template <Machine M>
[[gnu::cold, gnu::noinline]] inline bool run(GroupStates<M>& groups, unsigned group, const Launch& launch,
                                             uint32_t argument) {
  auto& state = groups.states[group];
  if (state.lost) return false;
  state.driver->prepare({launch.mask, launch.code_segment, launch.argument_segment, launch.owner, false});
  GroupStates<M>::hand_over(state, launch, argument, GroupStates<M>::kWipe);
  if (!state.driver->wait_ended(state.driver->number(), GroupStates<M>::kGrace)) return false;
  state.collected = state.driver->number();
  return !state.driver->result(state.collected).failed;
}

// The same beside others: it clears memory, and what the CPEs hold of somebody stays that one's. They see
// nothing of it and it nothing of them.
enum class Room : uint8_t {
  kNone,
  kYielded,  // others have a turn first; if nobody takes it, it is there
  kThere,
};

template <Machine M>
[[gnu::cold, gnu::noinline]] inline Room room(GroupStates<M>& groups, unsigned group) {
  auto& state = groups.states[group];
  // Who waits for the group to be idle begins before it does again: they have a turn, and then it has one.
  if (state.drains == GroupStates<M>::Drains::kForOthers && !state.yielded && !groups.busy(group)) {
    state.yielded = true;
    return Room::kYielded;
  }
  if (groups.waiting(group) >= state.room && !group_settings::makes_room(groups, state, group))
    return Room::kNone;
  if (state.watchdog >= GroupStates<M>::kOwnWatchdog ||
      group_settings::use_watchdog(groups, group, GroupStates<M>::kOwnWatchdog,
                                   GroupStates<M>::Drains::kForOwn))
    return Room::kThere;
  return Room::kNone;
}

template <Machine M>
[[gnu::cold, gnu::noinline]] inline uint32_t start(GroupStates<M>& groups, unsigned group,
                                                   const Launch& launch, uint32_t argument) {
  auto& state = groups.states[group];
  state.yielded = false;
  group_settings::set_group(groups, group, launch);
  GroupStates<M>::hand_over(state, launch, argument, GroupStates<M>::kOwn);
  return state.driver->number();
}

template <Machine M>
inline bool has_ended(const GroupStates<M>& groups, unsigned group, uint32_t number) {
  return !is_before(groups.states[group].collected, number);
}

// Of the one that ended last.
template <Machine M>
inline bool is_good(const GroupStates<M>& groups, unsigned group, uint32_t number) {
  return !groups.states[group].lost && groups.states[group].own_failed != number;
}

// If it is not good.
template <Machine M>
inline bool may_write(const GroupStates<M>& groups, unsigned group) {
  return groups.states[group].lost && !groups.lost.is_at_rest(group);
}

}  // namespace swai::runtime::own_launches
