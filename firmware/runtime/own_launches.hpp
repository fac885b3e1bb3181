// Launches of the runtime's own.
#pragma once

#include <cstdint>

#include "firmware/runtime/forecast.hpp"

namespace swai::runtime {

template <Machine M>
class OwnLaunches : protected Forecast<M> {
 protected:
  using Forecast<M>::Forecast;
  using GroupStates<M>::waiting;
  using GroupStates<M>::busy;
  using GroupStates<M>::kGrace;
  using GroupStates<M>::kWipe;
  using GroupStates<M>::kOwn;
  using GroupStates<M>::kOwnWatchdog;
  using typename GroupStates<M>::Drains;
  using typename GroupStates<M>::State;
  using GroupStates<M>::is;
  using GroupStates<M>::hand_over;
  using GroupStates<M>::lost_;
  using GroupStates<M>::states_;
  using GroupSettings<M>::makes_room;
  using GroupSettings<M>::use_watchdog;
  using GroupSettings<M>::set_group;

  // A launch of the runtime's own, while nothing else is under way; until it has ended. False: it failed.
  [[gnu::cold, gnu::noinline]] bool run(unsigned group, const Launch& launch, uint32_t argument) {
    State& state = states_[group];
    if (state.lost) return false;
    state.driver->prepare({launch.mask, launch.code_segment, launch.argument_segment, launch.owner, false});
    hand_over(state, launch, argument, kWipe);
    if (!state.driver->wait_ended(state.driver->number(), kGrace)) return false;
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
  [[gnu::cold, gnu::noinline]] Room room_for_own(unsigned group) {
    State& state = states_[group];
    // Who waits for the group to be idle begins before it does again: they have a turn, and then it has one.
    if (state.drains == Drains::kForOthers && !state.yielded && !busy(group)) {
      state.yielded = true;
      return Room::kYielded;
    }
    if (waiting(group) >= state.room && !makes_room(state, group)) return Room::kNone;
    if (state.watchdog >= kOwnWatchdog || use_watchdog(group, kOwnWatchdog, Drains::kForOwn))
      return Room::kThere;
    return Room::kNone;
  }
  [[gnu::cold, gnu::noinline]] uint32_t start_own(unsigned group, const Launch& launch, uint32_t argument) {
    State& state = states_[group];
    state.yielded = false;
    set_group(group, launch);
    hand_over(state, launch, argument, kOwn);
    return state.driver->number();
  }
  bool own_has_ended(unsigned group, uint32_t number) const {
    return !is_before(states_[group].collected, number);
  }
  // Of the one that ended last.
  bool own_is_good(unsigned group, uint32_t number) const {
    return !states_[group].lost && states_[group].own_failed != number;
  }
  // If it is not good.
  bool own_may_write(unsigned group) const { return states_[group].lost && !lost_.is_at_rest(group); }
};

}  // namespace swai::runtime
