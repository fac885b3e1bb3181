// SPDX-License-Identifier: Apache-2.0
// How long a group will have something to do.
#pragma once

#include <algorithm>
#include <cstdint>

#include "firmware/runtime/group_states.hpp"
#include "firmware/runtime/settings.hpp"

namespace swai::runtime::forecast {

inline constexpr uint64_t kMostPatience = uint64_t{1} << 31;
// To ask the group how long such a launch has been running: it would have to be near its end by chance, of
// which less is to be had than the answer costs: a wait of half the patience less, in as many cases as the
// patience is of the kernel's cycles.
inline bool is_in_vain(uint64_t usual, uint64_t patience) {
  constexpr uint64_t kAsking = 300;  // cycles until the group has answered
  return 2 * kAsking * usual > patience * patience;
}

// Of one that has ended. The last one's are in the done word, beside the processor.
template <Machine M>
inline uint64_t cycles_of(typename GroupStates<M>::State& state, uint32_t number) {
  const launch::Done done = state.driver->last_done();
  return done.sequence == number ? done.cycles : state.driver->result(number).cycles;
}

// Of the kernel that a launch runs the last time before; 0: that is long ago.
template <Machine M>
[[gnu::noinline]] inline uint64_t usual_cycles(GroupStates<M>& groups, unsigned group, uint32_t number) {
  auto& state = groups.states[group];
  const Launch* its = nullptr;
  uint64_t cycles = 0;
  groups.settings[group].look_back(number, [&](const Setting& one, uint32_t last) {
    if (its == nullptr) its = &one.launch;
    if (is_before(state.collected, last)) last = state.collected;
    if (is_before(last, one.since) || one.launch.pc != its->pc ||
        one.launch.code_segment != its->code_segment)
      return false;
    if (number - last < GroupStates<M>::kKept) cycles = cycles_of<M>(state, last);
    return true;
  });
  return cycles;
}

// The same of the first that has not ended.
template <Machine M>
[[gnu::always_inline]] inline uint64_t usual_cycles_of_first(GroupStates<M>& groups, unsigned group) {
  auto& state = groups.states[group];
  // Mostly the same kernel again: nothing has changed since before the last one that has ended.
  if (is_before(state.collected, groups.settings[group].newest().since)) [[unlikely]]
    return usual_cycles(groups, group, state.collected + 1);
  return cycles_of<M>(state, state.collected);
}

template <Machine M>
[[gnu::noinline]] inline bool are_over_within(GroupStates<M>& groups, unsigned group, uint64_t patience) {
  auto& state = groups.states[group];
  const uint32_t last = state.driver->number();
  uint64_t sum = 0;
  for (uint32_t number = state.collected + 1; !is_before(last, number); ++number) {
    const uint64_t usual = usual_cycles(groups, group, number);
    if (is_in_vain(usual, patience)) return false;
    const bool runs = number == state.collected + 1;
    const uint64_t age = runs ? state.driver->age() : 0;
    sum += usual > age ? usual - age : age;
    if (sum >= patience) return false;
  }
  return true;
}

// Whether the group will have nothing to do in less than so many cycles, if its launches take as long as
// the last ones of the same kernels did; a kernel that is new goes on for as long as it has been running.
// Mostly the first one takes too long by far, and nobody waits for the rest of the answer then.
template <Machine M>
[[gnu::always_inline]] inline bool is_idle_within(GroupStates<M>& groups, unsigned group, uint64_t cycles) {
  if (!groups.busy(group)) return true;
  const uint64_t patience = std::min(cycles, kMostPatience);
  return !is_in_vain(usual_cycles_of_first(groups, group), patience) &&
         are_over_within(groups, group, patience);
}

}  // namespace swai::runtime::forecast
