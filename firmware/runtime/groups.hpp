// Launches on the core groups. Each group has a queue in hardware; here is known which command each launch in
// it belongs to. A group's settings (mask, segments, owner, watchdog) are written when they change; launches
// that wait have theirs already.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "firmware/abi/protocol.hpp"
#include "firmware/group/group.hpp"
#include "firmware/runtime/machine.hpp"

namespace swai::runtime {

// A launch as a queue gives it.
struct Launch {
  uint32_t pc = 0;
  uint32_t argument = 0;
  uint32_t mask = 0;
  uint32_t watchdog = 0;
  uint16_t code_segment = 0;
  uint16_t argument_segment = 0;
  uint8_t owner = 0;
};

// How it went.
struct LaunchEnd {
  bool failed = false;
  bool watchdog = false;
  bool has_fault = false;
  unsigned cpe = 0;
  launch::Fault fault = {};
};

template <Machine M>
class Groups {
 public:
  using Driver = group::Group<M>;

  explicit Groups(M& machine) : machine_(machine) {}

  void init(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      drivers_[i].emplace(machine_, i);
      states_[i] = {};
      states_[i].ended = drivers_[i]->number();
    }
    count_ = count;
  }
  unsigned count() const { return count_; }
  Driver& driver(unsigned group) { return *drivers_[group]; }

  // Whether a launch with these settings can be handed over now.
  bool takes(unsigned group, const Launch& launch) {
    State& state = states_[group];
    if (drivers_[group]->room() == 0) return false;
    // The watchdog is the group's, not the launch's.
    return state.watchdog == launch.watchdog || state.ended == drivers_[group]->number();
  }
  bool has_room(unsigned group) { return drivers_[group]->room() != 0; }
  // Returns the launch's number on the group.
  uint32_t start(unsigned group, const Launch& launch) {
    State& state = states_[group];
    if (state.watchdog != launch.watchdog) {
      drivers_[group]->set_watchdog(launch.watchdog);
      state.watchdog = launch.watchdog;
    }
    const bool same = state.mask == launch.mask && state.code_segment == launch.code_segment &&
                      state.argument_segment == launch.argument_segment && state.owner == launch.owner;
    if (!same) {
      drivers_[group]->prepare(
          {launch.mask, launch.code_segment, launch.argument_segment, launch.owner, true});
      state.mask = launch.mask;
      state.code_segment = launch.code_segment;
      state.argument_segment = launch.argument_segment;
      state.owner = launch.owner;
    }
    return drivers_[group]->start(launch.pc, launch.argument);
  }
  bool ended(unsigned group, uint32_t number) {
    if (!drivers_[group]->ended(number)) return false;
    states_[group].ended = number;
    return true;
  }
  // Of one of the sixteen launches that ended last; takes the records of its faults.
  LaunchEnd end_of(unsigned group, uint32_t number) {
    Driver& driver = *drivers_[group];
    const auto result = driver.result(number);
    LaunchEnd end = {result.failed, result.watchdog};
    if (result.failed) {
      driver.take_faults([&](unsigned cpe, const launch::Fault& fault) {
        if (end.has_fault) return;
        end.has_fault = true;
        end.cpe = group * launch::kMaxCpes + cpe;
        end.fault = fault;
      });
    }
    return end;
  }
  bool busy(unsigned group) { return states_[group].ended != drivers_[group]->number(); }

  bool any_busy() {
    for (unsigned i = 0; i < count_; ++i) {
      if (busy(i)) return true;
    }
    return false;
  }

  // After segments were taken away or code was replaced.
  void forget() {
    for (unsigned i = 0; i < count_; ++i) drivers_[i]->forget(Driver::kSegments | Driver::kCode);
  }

 private:
  struct State {
    uint32_t ended = 0;
    uint32_t mask = 0;
    uint32_t watchdog = 0;
    uint16_t code_segment = 0;
    uint16_t argument_segment = 0;
    uint8_t owner = 0;
  };
  M& machine_;
  unsigned count_ = 0;
  std::array<std::optional<Driver>, launch::kMaxGroups> drivers_ = {};
  std::array<State, launch::kMaxGroups> states_ = {};
};

}  // namespace swai::runtime
