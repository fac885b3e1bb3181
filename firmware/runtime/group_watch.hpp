// Groups that do not answer any more.
#pragma once

#include <cstdint>
#include <utility>

#include "firmware/runtime/own_launches.hpp"

namespace swai::runtime {

template <Machine M>
class GroupWatch : protected OwnLaunches<M> {
 protected:
  using OwnLaunches<M>::OwnLaunches;
  using GroupStates<M>::waiting;
  using GroupStates<M>::busy;
  using GroupStates<M>::lost;
  using GroupStates<M>::any_lost;
  using GroupStates<M>::kGrace;
  using GroupStates<M>::kKept;
  using typename GroupStates<M>::State;
  using typename GroupStates<M>::Watch;
  using GroupStates<M>::is;
  using GroupStates<M>::is_nobodys;
  using GroupStates<M>::control;
  using GroupStates<M>::machine_;
  using GroupStates<M>::stuck_;
  using GroupStates<M>::lost_;
  using GroupStates<M>::count_;
  using GroupStates<M>::lost_count_;
  using GroupStates<M>::gave_up_;
  using GroupStates<M>::awaits_rest_;
  using GroupStates<M>::states_;
  using GroupStates<M>::settings_;
  using GroupStates<M>::watches_;
  using GroupStates<M>::looked_at_;
  using OwnLaunches<M>::own_may_write;

  // To be called now and then while launches are under way, more often than every kGrace cycles. A launch in
  // which nobody can go on is stopped: one group's is looked at each time, because all its cores' registers
  // take some thousand cycles. A group that has ended none for longer than one may take is given up:
  // it gets no others, and its launches end as lost when nothing of them is on its way to memory any more. If
  // that does not come to pass they end, too, but nobody gets what they may write to. True: launches have
  // ended, a group was given up since, or one that was is at rest.
  template <typename See>
  [[gnu::cold, gnu::noinline]] bool watch(See see) {
    const uint64_t now = machine_.time();
    bool any = any_lost() && look_at_lost();
    for (unsigned i = 0; i < count_; ++i) {
      Watch& watch = watches_[i];
      const State& state = states_[i];
      settings_[i].renew(state.collected);
      if (state.lost) {
        if (busy(i)) any |= end_lost(i, see);
      } else if (!busy(i)) {
        watch = {};
        stuck_.forget(i);
      } else if (watch.since == 0 || watch.collected != state.collected) {
        watch = {now, state.collected, false};
      } else if (now - watch.since > kGrace + (watch.stopped ? 0 : state.watchdog)) {
        give_up(i, now - watch.since);
      }
    }
    look_at_next();
    return std::exchange(gave_up_, false) || any;
  }
  [[gnu::cold, gnu::noinline]] void give_up(unsigned group, uint64_t waited) {
    State& state = states_[group];
    state.lost = true;
    state.room = 0;
    ++lost_count_;
    gave_up_ = awaits_rest_ = true;
    stuck_.forget(group);
    machine_.note(journal::Fault::kGroupLost, {group, waiting(group), waited});
    // Any of those that have not ended may be what runs, if not all ends have come here.
    const uint32_t first = state.collected + 1;
    // (The runtime's own write to nobody's memory but what they clear: own_may_write().)
    memory::Contexts contexts;
    settings_[group].look_back(state.driver->number(), [&](const Setting& had, uint32_t last) {
      if (!is_before(last, first) && had.launch.owner != protocol::kKernelContext)
        contexts.add(had.launch.owner);
      return !is_before(first, had.since);
    });
    lost_.add(group, state.all, contexts);
    if (!lost_.takes_registers(group)) return;
    control(group, regs::cg::launch_control::kFlush.mask() | regs::cg::launch_control::kKill.mask());
    state.driver->enable(0);
  }
  [[gnu::cold, gnu::noinline]] bool look_at_lost() {
    const bool any = lost_.look();
    awaits_rest_ = !lost_.are_at_rest();
    return any;
  }
  template <typename See>
  [[gnu::cold, gnu::noinline]] bool end_lost(unsigned group, See see) {
    State& state = states_[group];
    if (!lost_.is_at_rest(group) && !lost_.is_given_up(group)) return false;
    const uint32_t last = state.driver->number();
    while (state.collected != last) {
      const uint32_t number = ++state.collected;
      if (!is_nobodys(state, number))
        see(state.owners[number % kKept], LaunchEnd{.failed = true, .lost = true, .number = number});
    }
    return true;
  }
  // In turns, of those whose launch may stand still.
  [[gnu::cold, gnu::noinline]] void look_at_next() {
    for (unsigned i = 0; i < count_; ++i) {
      looked_at_ = looked_at_ + 1 < count_ ? looked_at_ + 1 : 0;
      if (!busy(looked_at_) || states_[looked_at_].lost || watches_[looked_at_].stopped) continue;
      return stop_if_stuck(looked_at_);
    }
  }
  [[gnu::cold]] void stop_if_stuck(unsigned group) {
    const State& state = states_[group];
    const uint32_t number = state.collected + 1;
    uint32_t mask = 0;
    settings_[group].look_back(number, [&](const Setting& had, uint32_t) {
      mask = had.launch.mask;
      return true;
    });
    if (!stuck_.look({group, state.driver->columns(), number, mask & state.all})) return;
    control(group, regs::cg::launch_control::kKill.mask());
    watches_[group] = {machine_.time(), state.collected, true};
  }
};

}  // namespace swai::runtime
