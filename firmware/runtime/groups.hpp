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

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "abi/group/group.hpp"
#include "abi/kernel_arguments.hpp"
#include "abi/protocol.hpp"
#include "firmware/runtime/group_watch.hpp"
#include "firmware/runtime/lost.hpp"
#include "firmware/runtime/machine.hpp"
#include "firmware/runtime/settings.hpp"
#include "firmware/runtime/stuck.hpp"

namespace swai::runtime {

template <Machine M>
class Groups : private GroupWatch<M> {
 public:
  using GroupWatch<M>::GroupWatch;
  using typename GroupStates<M>::Driver;
  using GroupStates<M>::waiting;
  using GroupStates<M>::busy;
  using GroupStates<M>::count_of;
  using GroupStates<M>::lost;
  using GroupStates<M>::any_lost;
  using Forecast<M>::is_idle_within;
  using OwnLaunches<M>::run;
  using typename OwnLaunches<M>::Room;
  using OwnLaunches<M>::room_for_own;
  using OwnLaunches<M>::start_own;
  using OwnLaunches<M>::own_has_ended;
  using OwnLaunches<M>::own_is_good;
  using OwnLaunches<M>::own_may_write;
  using GroupWatch<M>::watch;

  // Once.
  // `lost`: those that a kernel before has left running, and that do not stop.
  void init(unsigned count, const Wipe& wipe, uint32_t lost) {
    wipe_ = wipe;
    lost_count_ = static_cast<uint8_t>(std::popcount(lost));
    gave_up_ = awaits_rest_ = false;
    for (unsigned i = 0; i < count; ++i) {
      State& state = states_[i];
      state.driver.emplace(machine_, i);
      state.all = state.driver->all();
      state.collected = state.dropped = state.driver->number();
      if ((lost >> i & 1) != 0) {
        state.lost = true;
        state.room = 0;
        machine_.note(journal::Fault::kGroupLost, {i, 0, 0});
        continue;
      }
      control(i, regs::cg::launch_control::kResume.mask());
    }
    count_ = count;
  }
  unsigned count() const { return count_; }
  Driver& driver(unsigned group) { return *states_[group].driver; }
  // The mask of all its CPEs.
  uint32_t all(unsigned group) const { return states_[group].all; }
  // False: there is no room for it now. `owner` comes back with the launch's end. Launches of several
  // contexts take twice the room.
  [[gnu::always_inline]] bool start(unsigned group, const Launch& launch, uint32_t argument, uint16_t owner) {
    State& state = states_[group];
    if (waiting(group) >= state.room && !makes_room(state, group)) return false;
    if (launch.settings != state.prepared && !prepare(group, launch)) return false;
    hand_over(state, launch, argument, owner);
    return true;
  }
  // It has nothing to do, and takes launches.
  [[gnu::always_inline]] bool is_idle(unsigned group) const {
    return !busy(group) && states_[group].room != 0;
  }
  // Whether start() of this one would have nothing to do in an idle group but to hand it over.
  [[gnu::always_inline]] bool is_prepared(unsigned group, const Launch& launch) const {
    return launch.settings == states_[group].prepared;
  }
  // Then it is one store, and rung() behind it.
  [[gnu::always_inline]] group::Doorbell compose(unsigned group, const Launch& launch,
                                                 uint32_t argument) const {
    return states_[group].driver->compose(launch.pc, argument);
  }
  [[gnu::always_inline]] void rung(unsigned group, uint16_t owner) {
    State& state = states_[group];
    state.owners[state.driver->rung() % kKept] = owner;
  }
  // The group that has least to do; one that is lost only if all are.
  [[gnu::always_inline]] unsigned least_busy() const {
    const auto load = [this](unsigned group) { return lost(group) ? ~uint32_t{0} : waiting(group); };
    unsigned best = 0;
    for (unsigned group = 1; group < count_; ++group) {
      if (load(group) < load(best)) best = group;
    }
    return best;
  }
  // Once more what was dropped; in the order of the ends, and at once.
  [[gnu::cold, gnu::noinline]] void start_again(unsigned group, const LaunchEnd& end, uint32_t argument) {
    Launch launch;
    settings_[group].look_back(end.number, [&](const Setting& had, uint32_t) {
      launch = had.launch;
      return true;
    });
    State& state = states_[group];
    // The watchdog is still the same one: all that waited had it.
    // A wipe more than what was dropped fits: less is in the group then than it takes, and one runs.
    const uint16_t owner = state.owners[end.number % kKept];
    if (launch.settings != state.prepared) set(group, launch);
    hand_over(state, launch, argument, owner);
  }
  // After a failure: `drop` is asked whether a launch that waits may not run any more.
  template <typename Drop>
  void go_on(unsigned group, Drop drop) {
    namespace reg = regs::cg::launch_control;
    State& state = states_[group];
    const uint32_t last = state.driver->number();
    for (uint32_t number = state.collected + 1; static_cast<int32_t>(last - number) >= 0; ++number) {
      if (!is(state.owners[number % kKept], drop)) continue;
      flush(group);
      break;
    }
    control(group, reg::kResume.mask());
  }
  // Takes the ends of a group's launches, in their order: `good` is called with owner and cycles of one that
  // went well, `see` with owner and LaunchEnd where one may have failed. The group's last done word tells of
  // all of them: a launch that fails holds the group, so one that went well has none that failed before it.
  // Only flushed ones follow a failed one, and those count as failed.
  template <typename Good, typename See>
  [[gnu::always_inline]] void collect(unsigned group, Good good, See see) {
    if (group >= count_) return;
    State& state = states_[group];
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
      if (!is_nobodys(state, number)) good(state.owners[number % kKept], state.driver->result(number).cycles);
    }
    if (!is_nobodys(state, number)) good(state.owners[number % kKept], done.cycles);
  }
  bool any_busy() const {
    for (unsigned i = 0; i < count_; ++i) {
      if (busy(i)) return true;
    }
    return false;
  }
  uint32_t under_way() const {
    uint32_t sum = 0;
    for (unsigned i = 0; i < count_; ++i) sum += waiting(i);
    return sum;
  }
  // Those of them that run now, and for how many cycles they have.
  struct Running {
    uint32_t launches = 0;
    uint64_t cycles = 0;
  };
  template <typename IsMeant>
  [[gnu::cold, gnu::noinline]] Running running(IsMeant is_meant) {
    Running all;
    for (unsigned i = 0; i < count_; ++i) {
      const State& state = states_[i];
      uint64_t age = 0;  // a group that is being reset refuses
      if (!busy(i) || !is(state.owners[(state.collected + 1) % kKept], is_meant) ||
          !machine_.try_read(regs::cg::kBase + i * regs::cg::kSize + regs::cg::launch_age::kOffset, age))
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
    for (unsigned i = 0; i < count_; ++i) {
      State& state = states_[i];
      if (state.lost || count_of(i, is_meant) == 0) continue;
      if (!dropping(state)) {
        flush(i);
      } else if (state.driver->number() != state.dropped) {
        continue;  // what was dropped is about to end, and some of it has begun again
      }
      // Nothing can begin any more, so that is the one that is stopped, or none.
      const uint64_t word = state.driver->status();
      const uint32_t runs = static_cast<uint32_t>(status::kEnded.get(word)) + 1;
      if (status::kRunning.get(word) == 0 || static_cast<int32_t>(runs - state.collected) <= 0 ||
          !is(state.owners[runs % kKept], is_meant) ||
          (watches_[i].stopped && watches_[i].collected == state.collected))
        continue;
      control(i, regs::cg::launch_control::kKill.mask());
      watches_[i] = {machine_.time(), state.collected, true};
    }
  }
  // --- Groups that do not answer any more

  bool all_lost() const { return lost_count_ == count_; }
  // To be called again, though nothing may be under way: a group that was given up is not at rest.
  bool awaits_rest() const { return awaits_rest_; }
  // Nothing else is under way, and nobody waits for that any longer: it need not be looked at often.
  bool waits_in_vain() const { return awaits_rest_ && !any_busy() && lost_.are_given_up(); }
  // To be called again sooner.
  bool suspects() const { return stuck_.suspects(); }
  // What was launched for these contexts may still write to memory, though it has ended.
  const memory::Contexts& writers() const { return lost_.writers(); }
  bool may_write(uint8_t context) const { return any_lost() && lost_.writers().has(context); }
  // The same, looked at anew.
  [[gnu::cold, gnu::noinline]] bool may_write_now(uint8_t context) {
    if (may_write(context)) gave_up_ |= look_at_lost();
    return may_write(context);
  }
  // That is over, or nobody waits for it any longer.
  bool is_settled(uint8_t context) const { return !any_lost() || lost_.is_settled(context); }
  // The context has gone, and another client may get its number.
  void disown(uint8_t context) {
    for (unsigned i = 0; i < count_; ++i) {
      State& state = states_[i];
      if (state.holds != context) continue;
      state.holds = kSomebodys;
      state.prepared = kNotPrepared;
    }
  }
  // Settings have numbers from 1 to this one.
  static constexpr uint32_t kLastSettings = ~uint32_t{0} - 1;
  // They begin again.
  void forget_settings() {
    for (unsigned i = 0; i < count_; ++i) states_[i].prepared = kNotPrepared;
  }
  // After segments were taken away or code was replaced.
  void forget() {
    for (unsigned i = 0; i < count_; ++i) driver(i).forget(Driver::kSegments | Driver::kCode);
  }

 private:
  using GroupStates<M>::kKept;
  using GroupStates<M>::kNotPrepared;
  using GroupStates<M>::kWipe;
  using GroupStates<M>::kOwn;
  using GroupStates<M>::kSomebodys;
  using typename GroupStates<M>::Drains;
  using typename GroupStates<M>::State;
  using GroupStates<M>::is;
  using GroupStates<M>::is_nobodys;
  using GroupStates<M>::is_dropped;
  using GroupStates<M>::dropping;
  using GroupStates<M>::flush;
  using GroupStates<M>::hand_over;
  using GroupStates<M>::control;
  using GroupStates<M>::machine_;
  using GroupStates<M>::stuck_;
  using GroupStates<M>::lost_;
  using GroupStates<M>::count_;
  using GroupStates<M>::lost_count_;
  using GroupStates<M>::gave_up_;
  using GroupStates<M>::awaits_rest_;
  using GroupStates<M>::wipe_;
  using GroupStates<M>::states_;
  using GroupStates<M>::settings_;
  using GroupStates<M>::watches_;
  using GroupSettings<M>::makes_room;
  using GroupSettings<M>::prepare;
  using GroupSettings<M>::set;
  using GroupWatch<M>::give_up;
  using GroupWatch<M>::look_at_lost;
  using GroupWatch<M>::end_lost;

  // The launches behind `number`, up to `last`.
  template <typename See>
  [[gnu::cold, gnu::noinline]] void collect_failed(unsigned group, uint32_t number, uint32_t last, See see) {
    State& state = states_[group];
    if (state.lost) {  // end_lost() tells of them
      state.collected = number;
      return;
    }
    bool dirty = false;
    do {
      ++number;
      const LaunchEnd end = end_of(group, number);
      const uint16_t owner = state.owners[number % kKept];
      if (owner == kWipe) {
        dirty |= end.failed && !end.dropped;
      } else if (owner == kOwn) {
        if (end.failed) state.own_failed = number;
        if (end.failed && !end.dropped) control(group, regs::cg::launch_control::kResume.mask());
      } else {
        see(owner, end);
      }
    } while (number != last);
    // What somebody has left there is not for the next one.
    if (dirty) give_up(group, 0);
    if (!dropping(state) && state.drains == Drains::kNo && !state.lost) state.room = launch::kQueue;
  }
  [[gnu::cold, gnu::noinline]] LaunchEnd end_of(unsigned group, uint32_t number) {
    State& state = states_[group];
    Driver& driver = *state.driver;
    const auto result = driver.result(number);
    // What runs takes some cycles at least.
    LaunchEnd end = {.failed = result.failed,
                     .dropped = is_dropped(state, number) && result.failed && result.cycles == 0,
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
      if (end.fault.cause == launch::Cause::kKilled) stuck_.explain(group, number, set);
    }
    return end;
  }
};

}  // namespace swai::runtime
