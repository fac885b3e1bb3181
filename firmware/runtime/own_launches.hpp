// SPDX-License-Identifier: Apache-2.0
// Launches of the runtime's own.
#pragma once

#include <cstdint>

#include "firmware/runtime/group_settings.hpp"
#include "firmware/runtime/group_states.hpp"
#include "firmware/runtime/settings.hpp"

namespace swai::runtime {

template <Machine M>
class OwnLaunches {
 public:
  using States = GroupStates<M>;
  using State = typename States::State;
  using Drains = typename States::Drains;

  // A launch of the runtime's own, while nothing else is under way; until it has ended. False: it failed.
  [[gnu::cold, gnu::noinline]] static bool run(States& groups, unsigned group, const Launch& launch,
                                               uint32_t argument) {
    State& state = groups.states[group];
    if (state.lost) return false;
    state.driver->prepare({launch.mask, launch.code_segment, launch.argument_segment, launch.owner, false});
    States::hand_over(state, launch, argument, States::kWipe);
    if (!state.driver->wait_ended(state.driver->number(), States::kGrace)) return false;
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
  [[gnu::cold, gnu::noinline]] static Room room_for_own(States& groups, unsigned group) {
    State& state = groups.states[group];
    // Who waits for the group to be idle begins before it does again: they have a turn, and then it has one.
    if (state.drains == Drains::kForOthers && !state.yielded && !groups.busy(group)) {
      state.yielded = true;
      return Room::kYielded;
    }
    if (groups.waiting(group) >= state.room && !GroupSettings<M>::makes_room(groups, state, group))
      return Room::kNone;
    if (state.watchdog >= States::kOwnWatchdog ||
        GroupSettings<M>::use_watchdog(groups, group, States::kOwnWatchdog, Drains::kForOwn))
      return Room::kThere;
    return Room::kNone;
  }
  [[gnu::cold, gnu::noinline]] static uint32_t start_own(States& groups, unsigned group, const Launch& launch,
                                                         uint32_t argument) {
    State& state = groups.states[group];
    state.yielded = false;
    GroupSettings<M>::set_group(groups, group, launch);
    States::hand_over(state, launch, argument, States::kOwn);
    return state.driver->number();
  }
  static bool own_has_ended(const States& groups, unsigned group, uint32_t number) {
    return !is_before(groups.states[group].collected, number);
  }
  // Of the one that ended last.
  static bool own_is_good(const States& groups, unsigned group, uint32_t number) {
    return !groups.states[group].lost && groups.states[group].own_failed != number;
  }
  // If it is not good.
  static bool own_may_write(const States& groups, unsigned group) {
    return groups.states[group].lost && !groups.lost.is_at_rest(group);
  }
};

}  // namespace swai::runtime
