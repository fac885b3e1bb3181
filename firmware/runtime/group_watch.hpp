// SPDX-License-Identifier: Apache-2.0
// Groups that do not answer any more.
#pragma once

#include <cstdint>
#include <utility>

#include "firmware/memory/contexts.hpp"
#include "firmware/runtime/group_states.hpp"
#include "firmware/runtime/settings.hpp"

namespace swai::runtime::group_watch {

template <Machine M>
[[gnu::cold, gnu::noinline]] inline void give_up(GroupStates<M>& groups, unsigned group, uint64_t waited) {
  auto& state = groups.states[group];
  state.lost = true;
  state.room = 0;
  ++groups.lost_count;
  groups.gave_up = groups.awaits_rest = true;
  groups.stuck.forget(group);
  groups.machine.note(journal::Fault::kGroupLost, {group, groups.waiting(group), waited});
  // Any of those that have not ended may be what runs, if not all ends have come here.
  const uint32_t first = state.collected + 1;
  // (The runtime's own write to nobody's memory but what they clear: own_launches::may_write().)
  memory::Contexts contexts;
  groups.settings[group].look_back(state.driver->number(), [&](const Setting& had, uint32_t last) {
    if (!is_before(last, first) && had.launch.owner != protocol::kKernelContext)
      contexts.add(had.launch.owner);
    return !is_before(first, had.since);
  });
  groups.lost.add(group, state.all, contexts);
  if (!groups.lost.takes_registers(group)) return;
  groups.control(group, regs::cg::launch_control::kFlush.mask() | regs::cg::launch_control::kKill.mask());
  state.driver->enable(0);
}

template <Machine M>
[[gnu::cold, gnu::noinline]] inline bool look_at_lost(GroupStates<M>& groups) {
  const bool any = groups.lost.look();
  groups.awaits_rest = !groups.lost.are_at_rest();
  return any;
}

template <Machine M, typename See>
[[gnu::cold, gnu::noinline]] inline bool end_lost(GroupStates<M>& groups, unsigned group, See see) {
  auto& state = groups.states[group];
  if (!groups.lost.is_at_rest(group) && !groups.lost.is_given_up(group)) return false;
  const uint32_t last = state.driver->number();
  while (state.collected != last) {
    const uint32_t number = ++state.collected;
    if (!GroupStates<M>::is_nobodys(state, number))
      see(state.owners[number % GroupStates<M>::kKept],
          LaunchEnd{.failed = true, .lost = true, .number = number});
  }
  return true;
}

template <Machine M>
[[gnu::cold]] inline void stop_if_stuck(GroupStates<M>& groups, unsigned group) {
  const auto& state = groups.states[group];
  const uint32_t number = state.collected + 1;
  uint32_t mask = 0;
  groups.settings[group].look_back(number, [&](const Setting& had, uint32_t) {
    mask = had.launch.mask;
    return true;
  });
  if (!groups.stuck.look({group, state.driver->columns(), number, mask & state.all})) return;
  groups.control(group, regs::cg::launch_control::kKill.mask());
  groups.watches[group] = {groups.machine.time(), state.collected, true};
}

// In turns, of those whose launch may stand still.
template <Machine M>
[[gnu::cold, gnu::noinline]] inline void look_at_next(GroupStates<M>& groups) {
  for (unsigned i = 0; i < groups.count; ++i) {
    groups.looked_at = groups.looked_at + 1 < groups.count ? groups.looked_at + 1 : 0;
    if (!groups.busy(groups.looked_at) || groups.states[groups.looked_at].lost ||
        groups.watches[groups.looked_at].stopped)
      continue;
    return stop_if_stuck(groups, groups.looked_at);
  }
}

// To be called now and then while launches are under way, more often than every kGrace cycles. A
// launch in which nobody can go on is stopped: one group's is looked at each time, because all its cores'
// registers take some thousand cycles. A group that has ended none for longer than one may take is given
// up: it gets no others, and its launches end as lost when nothing of them is on its way to memory any
// more. If that does not come to pass they end, too, but nobody gets what they may write to. True: launches
// have ended, a group was given up since, or one that was is at rest.
template <Machine M, typename See>
[[gnu::cold, gnu::noinline]] inline bool watch(GroupStates<M>& groups, See see) {
  const uint64_t now = groups.machine.time();
  bool any = groups.lost_count != 0 && look_at_lost(groups);
  for (unsigned i = 0; i < groups.count; ++i) {
    auto& watch = groups.watches[i];
    const auto& state = groups.states[i];
    groups.settings[i].renew(state.collected);
    if (state.lost) {
      if (groups.busy(i)) any |= end_lost(groups, i, see);
    } else if (!groups.busy(i)) {
      watch = {};
      groups.stuck.forget(i);
    } else if (watch.since == 0 || watch.collected != state.collected) {
      watch = {now, state.collected, false};
    } else if (now - watch.since > GroupStates<M>::kGrace + (watch.stopped ? 0 : state.watchdog)) {
      give_up(groups, i, now - watch.since);
    }
  }
  look_at_next(groups);
  return std::exchange(groups.gave_up, false) || any;
}

}  // namespace swai::runtime::group_watch
