// Launches on the core groups. Each group has a queue in hardware; here is known whose each launch in it is.
// A group's settings (mask, segments, owner, watchdog) are written when they change; launches that wait have
// theirs already.
//
// A group whose launch has failed holds the next one until the fault records of the failed one were taken, so
// that records belong to the launch that they are reported with.
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
      states_[i].collected = drivers_[i]->number();
      control(i, regs::cg::launch_control::kResume.mask());
    }
    count_ = count;
  }
  unsigned count() const { return count_; }
  Driver& driver(unsigned group) { return *drivers_[group]; }

  // Whether a launch with these settings can be handed over now.
  bool takes(unsigned group, const Launch& launch) {
    const State& state = states_[group];
    if (drivers_[group]->room() == 0 || waiting(group) >= kOwners) return false;
    // The watchdog is the group's, not the launch's.
    return state.watchdog == launch.watchdog || !busy(group);
  }
  // There must be room; `owner` comes back with the launch's end.
  void start(unsigned group, const Launch& launch, uint16_t owner) {
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
    state.owners[drivers_[group]->start(launch.pc, launch.argument) % kOwners] = owner;
  }

  // Takes the ends of launches, in their order: `see` is called with owner and LaunchEnd.
  template <typename See>
  void collect(See see) {
    for (unsigned i = 0; i < count_; ++i) {
      State& state = states_[i];
      while (busy(i) && drivers_[i]->ended(state.collected + 1)) {
        const uint32_t number = ++state.collected;
        see(state.owners[number % kOwners], end_of(i, number));
      }
    }
  }

  // Launches are under way, as far as collect() has seen.
  bool busy(unsigned group) const { return waiting(group) != 0; }
  uint32_t waiting(unsigned group) const { return drivers_[group]->number() - states_[group].collected; }
  bool any_busy() const {
    for (unsigned i = 0; i < count_; ++i) {
      if (busy(i)) return true;
    }
    return false;
  }

  // Stops what runs, and what waits never runs: all of it ends as failed.
  void stop() {
    namespace reg = regs::cg::launch_control;
    for (unsigned i = 0; i < count_; ++i) {
      if (busy(i)) control(i, reg::kFlush.mask() | reg::kKill.mask());
    }
  }

  // After segments were taken away or code was replaced.
  void forget() {
    for (unsigned i = 0; i < count_; ++i) drivers_[i]->forget(Driver::kSegments | Driver::kCode);
  }

 private:
  // Launches whose results the group keeps.
  static constexpr uint32_t kOwners = 16;
  struct State {
    uint32_t collected = 0;  // number of the last launch whose end is known
    std::array<uint16_t, kOwners> owners = {};
    uint32_t mask = 0;
    uint32_t watchdog = 0;
    uint16_t code_segment = 0;
    uint16_t argument_segment = 0;
    uint8_t owner = 0;
  };
  void control(unsigned group, uint64_t action) {
    namespace reg = regs::cg::launch_control;
    machine_.write(regs::cg::kBase + group * regs::cg::kSize + reg::kOffset,
                   reg::kHoldAfterFailure.mask() | action);
  }
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
      control(group, regs::cg::launch_control::kResume.mask());
    }
    return end;
  }

  M& machine_;
  unsigned count_ = 0;
  std::array<std::optional<Driver>, launch::kMaxGroups> drivers_ = {};
  std::array<State, launch::kMaxGroups> states_ = {};
};

}  // namespace swai::runtime
