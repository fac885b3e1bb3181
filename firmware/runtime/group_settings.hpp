// SPDX-License-Identifier: Apache-2.0
// What a group has to know for a launch: mask, segments, owner, watchdog; and what it must have forgotten.
#pragma once

#include <algorithm>
#include <cstdint>

#include "abi/kernel_arguments.hpp"
#include "firmware/runtime/group_states.hpp"

namespace swai::runtime {

template <Machine M>
class GroupSettings {
 public:
  using States = GroupStates<M>;
  using State = typename States::State;
  using Drains = typename States::Drains;

  // Who waited for the group to be idle may begin, and so may all.
  [[gnu::noinline]] static bool makes_room(States& groups, State& state, unsigned group) {
    if (state.drains == Drains::kNo || groups.busy(group) || state.lost) return false;
    state.drains = Drains::kNo;
    state.room = launch::kQueue;
    return true;
  }
  // False: later. The watchdog is the group's, not the launch's.
  [[gnu::noinline]] static bool prepare(States& groups, unsigned group, const Launch& launch) {
    State& state = groups.states[group];
    const uint32_t watchdog = std::max(launch.watchdog, States::kShortest);
    if (state.watchdog != watchdog && !use_watchdog(groups, group, watchdog, Drains::kForOthers))
      return false;
    if (needs_wipe(state, launch) && groups.waiting(group) + 1 >= state.room) return false;
    set(groups, group, launch);
    return true;
  }
  [[gnu::cold, gnu::noinline]] static bool use_watchdog(States& groups, unsigned group, uint32_t watchdog,
                                                        Drains whose) {
    State& state = groups.states[group];
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
  static void set(States& groups, unsigned group, const Launch& launch) {
    State& state = groups.states[group];
    if (needs_wipe(state, launch)) wipe(groups, group, launch.owner);
    set_group(groups, group, launch);
  }
  // An idle group will have a launch of this context: nothing of others is in its CPEs then.
  [[gnu::cold, gnu::noinline]] static void expect(States& groups, unsigned group, uint8_t context,
                                                  uint32_t watchdog) {
    State& state = groups.states[group];
    if (groups.busy(group) || state.room == 0 || state.holds == context) return;
    if (state.watchdog != watchdog) use_watchdog(groups, group, watchdog, Drains::kForOthers);
    wipe(groups, group, context);
  }
  static void set_group(States& groups, unsigned group, const Launch& launch) {
    State& state = groups.states[group];
    state.driver->prepare({launch.mask, launch.code_segment, launch.argument_segment, launch.owner, true});
    state.prepared = launch.settings == 0 ? States::kNotPrepared : launch.settings;
    groups.settings[group].add(launch, state.driver->number() + 1);
  }

 private:
  static void wipe(States& groups, unsigned group, uint8_t context) {
    State& state = groups.states[group];
    const Code& code = groups.wipe.code;
    set_group(groups, group,
              {0, code.pc, state.all, 0, code.segment, code.segment, protocol::kKernelContext});
    States::hand_over(state, {0, code.pc}, cpe::WipeWord(code.segment, groups.wipe.registers).word(),
                      States::kWipe);
    state.holds = context;
  }
  static bool needs_wipe(const State& state, const Launch& launch) { return state.holds != launch.owner; }
};

}  // namespace swai::runtime
