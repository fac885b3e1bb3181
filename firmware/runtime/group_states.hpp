// SPDX-License-Identifier: Apache-2.0
// What is known of the core groups and of each launch in them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "abi/group/group.hpp"
#include "abi/kernel_arguments.hpp"
#include "abi/protocol.hpp"
#include "firmware/runtime/lost.hpp"
#include "firmware/runtime/machine.hpp"
#include "firmware/runtime/settings.hpp"
#include "firmware/runtime/stuck.hpp"

namespace swai::runtime {

// Code of the runtime's own.
struct Code {
  uint16_t segment = 0;
  uint32_t pc = 0;
};

// What clears CPEs, with the segments that it uses.
struct Wipe {
  Code code = {};
  uint16_t registers = 0;  // of all groups
};

// How it went.
struct LaunchEnd {
  bool failed = false;
  bool dropped = false;  // it has not run
  bool lost = false;     // its group does not answer
  bool watchdog = false;
  uint32_t number = 0;  // of the launch in its group
  uint32_t cycles = 0;  // that it ran
  bool has_fault = false;
  unsigned cpe = 0;
  launch::Fault fault = {};
};

// Functions over it are apart, by what they do: what a group has to know for
// a launch (group_settings.hpp), how long it will be busy (forecast.hpp), launches of the runtime's own
// (own_launches.hpp), and groups that do not answer (group_watch.hpp). Groups has it.
template <Machine M>
struct GroupStates {
  using Driver = group::Group<M>;

  GroupStates(M& its_machine, Stuck<M>& its_stuck, Lost<M>& its_lost)
      : machine(its_machine), stuck(its_stuck), lost(its_lost) {}

  // What is under way in a group ends within so many cycles after its watchdog, or after it was stopped.
  static constexpr uint64_t kGrace = Lost<M>::kGrace;
  // Launches whose results the group keeps.
  static constexpr uint32_t kKept = Settings::kKept;
  static constexpr uint32_t kNotPrepared = ~uint32_t{0};
  // The owner of a wipe; and of what is in the CPEs when nobody knows whose it is.
  static constexpr uint16_t kWipe = 0xffff;
  static constexpr uint16_t kOwn = 0xfffe;  // of other launches of the runtime's own
  static constexpr uint16_t kSomebodys = 0x100;
  // No watchdog is shorter: a wipe takes one or two thousand cycles, and whose launch it was that chose the
  // watchdog must not matter to it.
  static constexpr uint32_t kShortest = 10'000;
  static constexpr uint32_t kOwnWatchdog = 1'000'000;
  static_assert(launch::kQueue <= kKept);
  // Somebody waits for the group to be idle.
  enum class Drains : uint8_t {
    kNo,
    kForOwn,  // launches of the runtime's own
    kForOthers,
  };
  struct alignas(128) State {
    std::optional<Driver> driver = {};
    uint32_t all = 0;
    uint32_t collected = 0;          // number of the last launch whose end is known
    uint32_t dropped = 0;            // and of the last one that can have been dropped
    uint32_t room = launch::kQueue;  // 0: what was dropped comes again first, or `drains`
    std::array<uint16_t, kKept> owners = {};
    uint32_t prepared = kNotPrepared;  // number of the settings
    uint32_t watchdog = 0;
    bool lost = false;
    Drains drains = Drains::kNo;
    bool yielded = false;         // others had a turn since the last launch of the runtime's own
    uint32_t own_failed = 0;      // number of the last launch of the runtime's own that failed or was dropped
    uint16_t holds = kSomebodys;  // the context whose launches leave something in the CPEs
  };
  // Since when a group has ended nothing.
  struct Watch {
    uint64_t since = 0;  // 0: it was not looked at
    uint32_t collected = 0;
    bool stopped = false;
  };
  // Launches are under way, as far as collect() has seen.
  bool busy(unsigned group) const { return waiting(group) != 0; }
  uint32_t waiting(unsigned group) const { return states[group].driver->number() - states[group].collected; }
  // Launches in the group of whose owners that is true.
  template <typename IsMeant>
  unsigned count_of(unsigned group, IsMeant is_meant) const {
    const State& state = states[group];
    const uint32_t last = state.driver->number();
    unsigned count = 0;
    for (uint32_t number = state.collected + 1; static_cast<int32_t>(last - number) >= 0; ++number)
      count += is(state.owners[number % kKept], is_meant) ? 1 : 0;
    return count;
  }
  // What the runtime launches itself is nobody's.
  template <typename IsMeant>
  [[gnu::always_inline]] static bool is(uint16_t owner, IsMeant is_meant) {
    return owner < kOwn && is_meant(owner);
  }
  [[gnu::always_inline]] static bool is_nobodys(const State& state, uint32_t number) {
    return state.owners[number % kKept] >= kOwn;
  }
  static bool is_dropped(const State& state, uint32_t number) {
    return static_cast<int32_t>(state.dropped - number) >= 0;
  }
  static bool dropping(const State& state) { return is_dropped(state, state.collected + 1); }
  void flush(unsigned group) {
    State& state = states[group];
    state.dropped = state.driver->number();
    state.room = 0;
    // Nobody knows which of them began, wipes among them.
    state.holds = kSomebodys;
    state.prepared = kNotPrepared;
    control(group, regs::cg::launch_control::kFlush.mask());
  }
  [[gnu::always_inline]] static void hand_over(State& state, const Launch& launch, uint32_t argument,
                                               uint16_t owner) {
    state.owners[state.driver->start(launch.pc, argument) % kKept] = owner;
  }
  void control(unsigned group, uint64_t action) {
    namespace reg = regs::cg::launch_control;
    machine.write(regs::cg::kBase + group * regs::cg::kSize + reg::kOffset,
                  reg::kHoldAfterFailure.mask() | action);
  }

  M& machine;
  Stuck<M>& stuck;
  Lost<M>& lost;
  unsigned count = 0;
  uint8_t lost_count = 0;
  bool gave_up = false;  // a group, since watch(); or saw one at rest
  bool awaits_rest = false;
  Wipe wipe = {};
  std::array<State, launch::kMaxGroups> states = {};
  // Apart from what every launch looks at: the settings that those that wait may have.
  std::array<Settings, launch::kMaxGroups> settings = {};
  std::array<Watch, launch::kMaxGroups> watches = {};
  unsigned looked_at = 0;
};

}  // namespace swai::runtime
