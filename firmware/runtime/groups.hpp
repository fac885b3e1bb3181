// SPDX-License-Identifier: Apache-2.0
// Launches on the core groups. Each group has a queue in hardware; here is known whose each launch in it is.
// A group's settings (mask, segments, owner, watchdog) are written when they change; launches that wait have
// theirs already.
//
// A group whose launch has failed holds the next one until the fault records of the failed one were taken, so
// that records belong to the launch that they are reported with. Then go_on() says whether those that wait
// may run: the group can only drop all of them, so those that were dropped for another's sake are started
// again.
//
// Between launches of different clients a group runs one of the runtime's own, the wipe, which leaves nothing
// in its CPEs that the second could read.
#pragma once

#include <bit>
#include <cstdint>

#include "abi/group/group.hpp"
#include "firmware/runtime/forecast.hpp"
#include "firmware/runtime/group_settings.hpp"
#include "firmware/runtime/group_states.hpp"
#include "firmware/runtime/group_watch.hpp"
#include "firmware/runtime/lost.hpp"
#include "firmware/runtime/own_launches.hpp"
#include "firmware/runtime/settings.hpp"
#include "firmware/runtime/stuck.hpp"

namespace swai::runtime {

template <Machine M>
class Groups {
  using States = GroupStates<M>;
  using State = typename States::State;

 public:
  using Driver = typename States::Driver;

  Groups(M& machine, Stuck<M>& stuck, Lost<M>& lost) : groups_(machine, stuck, lost) {}

  // Once.
  // `lost`: those that a kernel before has left running, and that do not stop.
  void init(unsigned count, const Wipe& wipe, uint32_t lost) {
    groups_.wipe = wipe;
    groups_.lost_count = static_cast<uint8_t>(std::popcount(lost));
    groups_.gave_up = groups_.awaits_rest = false;
    for (unsigned i = 0; i < count; ++i) {
      State& state = groups_.states[i];
      state.driver.emplace(groups_.machine, i);
      state.all = state.driver->all();
      state.collected = state.dropped = state.driver->number();
      if ((lost >> i & 1) != 0) {
        state.lost = true;
        state.room = 0;
        groups_.machine.note(journal::Fault::kGroupLost, {i, 0, 0});
        continue;
      }
      groups_.control(i, regs::cg::launch_control::kResume.mask());
    }
    groups_.count = count;
  }
  unsigned count() const { return groups_.count; }
  Driver& driver(unsigned group) { return *groups_.states[group].driver; }
  // The mask of all its CPEs.
  uint32_t all(unsigned group) const { return groups_.states[group].all; }

  // False: there is no room for it now. `owner` comes back with the launch's end. Launches of several
  // contexts take twice the room.
  [[gnu::always_inline]] bool start(unsigned group, const Launch& launch, uint32_t argument, uint16_t owner) {
    State& state = groups_.states[group];
    if (waiting(group) >= state.room && !group_settings::makes_room(groups_, state, group)) return false;
    if (launch.settings != state.prepared && !group_settings::prepare(groups_, group, launch)) return false;
    States::hand_over(state, launch, argument, owner);
    return true;
  }
  // It has nothing to do, and takes launches.
  [[gnu::always_inline]] bool is_idle(unsigned group) const {
    return !busy(group) && groups_.states[group].room != 0;
  }
  // Whether start() of this one would have nothing to do in an idle group but to hand it over.
  [[gnu::always_inline]] bool is_prepared(unsigned group, const Launch& launch) const {
    return launch.settings == groups_.states[group].prepared;
  }
  // Then it is one store, and rung() behind it.
  [[gnu::always_inline]] group::Doorbell compose(unsigned group, const Launch& launch,
                                                 uint32_t argument) const {
    return groups_.states[group].driver->compose(launch.pc, argument);
  }
  [[gnu::always_inline]] void rung(unsigned group, uint16_t owner) {
    State& state = groups_.states[group];
    state.owners[state.driver->rung() % States::kKept] = owner;
  }
  // It will have a launch of this context.
  void expect(unsigned group, uint8_t context, uint32_t watchdog) {
    group_settings::expect(groups_, group, context, watchdog);
  }
  // The group that has least to do; one that is lost only if all are.
  [[gnu::always_inline]] unsigned least_busy() const {
    const auto load = [this](unsigned group) { return lost(group) ? ~uint32_t{0} : waiting(group); };
    unsigned best = 0;
    for (unsigned group = 1; group < groups_.count; ++group) {
      if (load(group) < load(best)) best = group;
    }
    return best;
  }
  // Once more what was dropped; in the order of the ends, and at once.
  [[gnu::cold, gnu::noinline]] void start_again(unsigned group, const LaunchEnd& end, uint32_t argument) {
    Launch launch;
    groups_.settings[group].look_back(end.number, [&](const Setting& had, uint32_t) {
      launch = had.launch;
      return true;
    });
    State& state = groups_.states[group];
    // The watchdog is still the same one: all that waited had it.
    // A wipe more than what was dropped fits: less is in the group then than it takes, and one runs.
    const uint16_t owner = state.owners[end.number % States::kKept];
    if (launch.settings != state.prepared) group_settings::set(groups_, group, launch);
    States::hand_over(state, launch, argument, owner);
  }
  // After a failure: `drop` is asked whether a launch that waits may not run any more.
  template <typename Drop>
  void go_on(unsigned group, Drop drop) {
    namespace reg = regs::cg::launch_control;
    State& state = groups_.states[group];
    const uint32_t last = state.driver->number();
    for (uint32_t number = state.collected + 1; static_cast<int32_t>(last - number) >= 0; ++number) {
      if (!States::is(state.owners[number % States::kKept], drop)) continue;
      groups_.flush(group);
      break;
    }
    groups_.control(group, reg::kResume.mask());
  }
  // Takes the ends of a group's launches, in their order: `good` is called with owner and cycles of one that
  // went well, `see` with owner and LaunchEnd where one may have failed. The group's last done word tells of
  // all of them: a launch that fails holds the group, so one that went well has none that failed before it.
  // Only flushed ones follow a failed one, and those count as failed.
  template <typename Good, typename See>
  [[gnu::always_inline]] void collect(unsigned group, Good good, See see) {
    if (group >= groups_.count) return;
    State& state = groups_.states[group];
    const launch::Done done = state.driver->last_done();
    const uint32_t started = state.driver->number();
    uint32_t number = state.collected;
    // The word may be one of an earlier life.
    if (static_cast<int32_t>(done.sequence - number) <= 0 ||
        static_cast<int32_t>(started - done.sequence) < 0)
      return;
    state.collected = done.sequence;
    const bool has_room = state.room != 0;
    if (done.failed | !has_room) [[unlikely]]
      return collect_failed(group, number, done.sequence, see);
    // The word has the cycles of the last one, the group's records those of the others.
    while (++number != done.sequence) {
      if (!States::is_nobodys(state, number))
        good(state.owners[number % States::kKept], state.driver->result(number).cycles);
    }
    if (!States::is_nobodys(state, number)) good(state.owners[number % States::kKept], done.cycles);
  }

  // Launches are under way, as far as collect() has seen.
  bool busy(unsigned group) const { return groups_.busy(group); }
  uint32_t waiting(unsigned group) const { return groups_.waiting(group); }
  bool any_busy() const {
    for (unsigned i = 0; i < groups_.count; ++i) {
      if (busy(i)) return true;
    }
    return false;
  }
  // Whose end somebody waits for: of a wipe nobody does.
  uint32_t under_way() const {
    uint32_t sum = 0;
    for (unsigned i = 0; i < groups_.count; ++i) {
      const State& state = groups_.states[i];
      for (uint32_t number = state.driver->number(); number != state.collected; --number)
        sum += state.owners[number % States::kKept] == States::kWipe ? 0 : 1;
    }
    return sum;
  }
  // Whether the group will have nothing to do in less than so many cycles (forecast.hpp).
  [[gnu::always_inline]] bool is_idle_within(unsigned group, uint64_t cycles) {
    return forecast::is_idle_within(groups_, group, cycles);
  }

  // --- Launches of the runtime's own (own_launches.hpp)

  using Room = own_launches::Room;
  bool run(unsigned group, const Launch& launch, uint32_t argument) {
    return own_launches::run(groups_, group, launch, argument);
  }
  Room room_for_own(unsigned group) { return own_launches::room(groups_, group); }
  uint32_t start_own(unsigned group, const Launch& launch, uint32_t argument) {
    return own_launches::start(groups_, group, launch, argument);
  }
  bool own_has_ended(unsigned group, uint32_t number) const {
    return own_launches::has_ended(groups_, group, number);
  }
  bool own_is_good(unsigned group, uint32_t number) const {
    return own_launches::is_good(groups_, group, number);
  }
  bool own_may_write(unsigned group) const { return own_launches::may_write(groups_, group); }

  // --- Launches of some owners

  template <typename IsMeant>
  unsigned count_of(unsigned group, IsMeant is_meant) const {
    return groups_.count_of(group, is_meant);
  }
  // Those of them that run now, and for how many cycles they have.
  struct Running {
    uint32_t launches = 0;
    uint64_t cycles = 0;
  };
  template <typename IsMeant>
  [[gnu::cold, gnu::noinline]] Running running(IsMeant is_meant) {
    Running all;
    for (unsigned i = 0; i < groups_.count; ++i) {
      const State& state = groups_.states[i];
      uint64_t age = 0;  // a group that is being reset refuses
      if (!busy(i) || !States::is(state.owners[(state.collected + 1) % States::kKept], is_meant) ||
          !groups_.machine.try_read(regs::cg::kBase + i * regs::cg::kSize + regs::cg::launch_age::kOffset,
                                    age))
        continue;
      ++all.launches;
      all.cycles += age;
    }
    return all;
  }
  // Stops what runs if its owner is meant, and drops what waits if any of it is: their ends come as failed,
  // and see() of collect() lets those of others start again. To be called again as long as owners that are
  // meant have launches: what was dropped before comes first.
  template <typename IsMeant>
  [[gnu::cold, gnu::noinline]] void stop(IsMeant is_meant) {
    namespace status = regs::cg::launch_status;
    for (unsigned i = 0; i < groups_.count; ++i) {
      State& state = groups_.states[i];
      if (state.lost || count_of(i, is_meant) == 0) continue;
      if (!States::dropping(state)) {
        groups_.flush(i);
      } else if (state.driver->number() != state.dropped) {
        continue;  // what was dropped is about to end, and some of it has begun again
      }
      // Nothing can begin any more, so that is the one that is stopped, or none.
      const uint64_t word = state.driver->status();
      const uint32_t runs = static_cast<uint32_t>(status::kEnded.get(word)) + 1;
      if (status::kRunning.get(word) == 0 || static_cast<int32_t>(runs - state.collected) <= 0 ||
          !States::is(state.owners[runs % States::kKept], is_meant) ||
          (groups_.watches[i].stopped && groups_.watches[i].collected == state.collected))
        continue;
      groups_.control(i, regs::cg::launch_control::kKill.mask());
      groups_.watches[i] = {groups_.machine.time(), state.collected, true};
    }
  }

  // --- Groups that do not answer any more (group_watch.hpp)

  bool lost(unsigned group) const { return groups_.states[group].lost; }
  bool any_lost() const { return groups_.lost_count != 0; }
  bool all_lost() const { return groups_.lost_count == groups_.count; }
  template <typename See>
  bool watch(See see) {
    return group_watch::watch(groups_, see);
  }
  // To be called again, though nothing may be under way: a group that was given up is not at rest.
  bool awaits_rest() const { return groups_.awaits_rest; }
  // Nothing else is under way, and nobody waits for that any longer: it need not be looked at often.
  bool waits_in_vain() const { return groups_.awaits_rest && !any_busy() && groups_.lost.are_given_up(); }
  // To be called again sooner.
  bool suspects() const { return groups_.stuck.suspects(); }
  // What was launched for these contexts may still write to memory, though it has ended.
  const memory::Contexts& writers() const { return groups_.lost.writers(); }
  bool may_write(uint8_t context) const { return any_lost() && groups_.lost.writers().has(context); }
  // The same, looked at anew.
  [[gnu::cold, gnu::noinline]] bool may_write_now(uint8_t context) {
    if (may_write(context)) groups_.gave_up |= group_watch::look_at_lost(groups_);
    return may_write(context);
  }
  // That is over, or nobody waits for it any longer.
  bool is_settled(uint8_t context) const { return !any_lost() || groups_.lost.is_settled(context); }

  // The context has gone, and another client may get its number.
  void disown(uint8_t context) {
    for (unsigned i = 0; i < groups_.count; ++i) {
      State& state = groups_.states[i];
      if (state.holds != context) continue;
      state.holds = States::kSomebodys;
      state.prepared = States::kNotPrepared;
    }
  }
  // Settings have numbers from 1 to this one.
  static constexpr uint32_t kLastSettings = ~uint32_t{0} - 1;
  // They begin again.
  void forget_settings() {
    for (unsigned i = 0; i < groups_.count; ++i) groups_.states[i].prepared = States::kNotPrepared;
  }
  // After segments were taken away or code was replaced.
  void forget() {
    for (unsigned i = 0; i < groups_.count; ++i) driver(i).forget(Driver::kSegments | Driver::kCode);
  }

 private:
  // The launches behind `number`, up to `last`.
  template <typename See>
  [[gnu::cold, gnu::noinline]] void collect_failed(unsigned group, uint32_t number, uint32_t last, See see) {
    State& state = groups_.states[group];
    if (state.lost) {  // end_lost() of group_watch.hpp tells of them
      state.collected = number;
      return;
    }
    bool dirty = false;
    do {
      ++number;
      const LaunchEnd end = end_of(group, number);
      const uint16_t owner = state.owners[number % States::kKept];
      if (owner == States::kWipe) {
        dirty |= end.failed && !end.dropped;
      } else if (owner == States::kOwn) {
        if (end.failed) state.own_failed = number;
        if (end.failed && !end.dropped) groups_.control(group, regs::cg::launch_control::kResume.mask());
      } else {
        see(owner, end);
      }
    } while (number != last);
    // What somebody has left there is not for the next one.
    if (dirty) group_watch::give_up(groups_, group, 0);
    if (!States::dropping(state) && state.drains == States::Drains::kNo && !state.lost)
      state.room = launch::kQueue;
  }
  [[gnu::cold, gnu::noinline]] LaunchEnd end_of(unsigned group, uint32_t number) {
    State& state = groups_.states[group];
    Driver& driver = *state.driver;
    const auto result = driver.result(number);
    // What runs takes some cycles at least.
    LaunchEnd end = {.failed = result.failed,
                     .dropped = States::is_dropped(state, number) && result.failed && result.cycles == 0,
                     .watchdog = result.watchdog,
                     .number = number,
                     .cycles = result.cycles};
    if (result.failed && !end.dropped) {
      const auto set = [&](unsigned cpe, const launch::Fault& fault) {
        end.has_fault = true;
        end.cpe = group * launch::kMaxCpes + cpe;
        end.fault = fault;
      };
      // Those that were stopped because of another one are not the reason.
      driver.take_faults([&](unsigned cpe, const launch::Fault& fault) {
        if (!end.has_fault || end.fault.cause == launch::Cause::kKilled) set(cpe, fault);
      });
      if (end.fault.cause == launch::Cause::kKilled) groups_.stuck.explain(group, number, set);
    }
    return end;
  }

  States groups_;
};

}  // namespace swai::runtime
