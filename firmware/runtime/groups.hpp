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

template <Machine M>
class Groups {
 public:
  using Driver = group::Group<M>;

  Groups(M& machine, Stuck<M>& stuck, Lost<M>& lost) : machine_(machine), stuck_(stuck), lost_(lost) {}

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

  // Launches are under way, as far as collect() has seen.
  bool busy(unsigned group) const { return waiting(group) != 0; }
  uint32_t waiting(unsigned group) const {
    return states_[group].driver->number() - states_[group].collected;
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

  // Whether the group will have nothing to do in less than so many cycles, if its launches take as long as
  // the last ones of the same kernels did; a kernel that is new goes on for as long as it has been running.
  // Mostly the first one takes too long by far, and nobody waits for the rest of the answer then.
  [[gnu::always_inline]] bool is_idle_within(unsigned group, uint64_t cycles) {
    if (!busy(group)) return true;
    const uint64_t patience = std::min(cycles, kMostPatience);
    return !is_in_vain(usual_cycles_of_first(group), patience) && are_over_within(group, patience);
  }
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

  // Launches in the group of whose owners that is true.
  template <typename IsMeant>
  unsigned count_of(unsigned group, IsMeant is_meant) const {
    const State& state = states_[group];
    const uint32_t last = state.driver->number();
    unsigned count = 0;
    for (uint32_t number = state.collected + 1; static_cast<int32_t>(last - number) >= 0; ++number)
      count += is(state.owners[number % kKept], is_meant) ? 1 : 0;
    return count;
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

  bool lost(unsigned group) const { return states_[group].lost; }
  bool any_lost() const { return lost_count_ != 0; }
  bool all_lost() const { return lost_count_ == count_; }
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
  // The same of the first that has not ended.
  [[gnu::always_inline]] uint64_t usual_cycles_of_first(unsigned group) {
    State& state = states_[group];
    // Mostly the same kernel again: nothing has changed since before the last one that has ended.
    if (is_before(state.collected, settings_[group].newest().since)) [[unlikely]]
      return usual_cycles(group, state.collected + 1);
    return cycles_of(state, state.collected);
  }
  static constexpr uint64_t kMostPatience = uint64_t{1} << 31;
  // To ask the group how long such a launch has been running: it would have to be near its end by chance, of
  // which less is to be had than the answer costs: a wait of half the patience less, in as many cases as the
  // patience is of the kernel's cycles.
  static bool is_in_vain(uint64_t usual, uint64_t patience) {
    constexpr uint64_t kAsking = 300;  // cycles until the group has answered
    return 2 * kAsking * usual > patience * patience;
  }
  [[gnu::noinline]] bool are_over_within(unsigned group, uint64_t patience) {
    State& state = states_[group];
    const uint32_t last = state.driver->number();
    uint64_t all = 0;
    for (uint32_t number = state.collected + 1; !is_before(last, number); ++number) {
      const uint64_t usual = usual_cycles(group, number);
      if (is_in_vain(usual, patience)) return false;
      const bool runs = number == state.collected + 1;
      const uint64_t age = runs ? state.driver->age() : 0;
      all += usual > age ? usual - age : age;
      if (all >= patience) return false;
    }
    return true;
  }
  // Of the kernel that a launch runs the last time before; 0: that is long ago.
  [[gnu::noinline]] uint64_t usual_cycles(unsigned group, uint32_t number) {
    State& state = states_[group];
    const Launch* its = nullptr;
    uint64_t cycles = 0;
    settings_[group].look_back(number, [&](const Setting& one, uint32_t last) {
      if (its == nullptr) its = &one.launch;
      if (is_before(state.collected, last)) last = state.collected;
      if (is_before(last, one.since) || one.launch.pc != its->pc ||
          one.launch.code_segment != its->code_segment)
        return false;
      if (number - last < kKept) cycles = cycles_of(state, last);
      return true;
    });
    return cycles;
  }
  // Of one that has ended. The last one's are in the done word, beside the processor.
  static uint64_t cycles_of(State& state, uint32_t number) {
    const launch::Done done = state.driver->last_done();
    return done.sequence == number ? done.cycles : state.driver->result(number).cycles;
  }
  void flush(unsigned group) {
    State& state = states_[group];
    state.dropped = state.driver->number();
    state.room = 0;
    // Nobody knows which of them began, wipes among them.
    state.holds = kSomebodys;
    state.prepared = kNotPrepared;
    control(group, regs::cg::launch_control::kFlush.mask());
  }
  // Who waited for the group to be idle may begin, and so may all.
  [[gnu::noinline]] bool makes_room(State& state, unsigned group) {
    if (state.drains == Drains::kNo || busy(group) || state.lost) return false;
    state.drains = Drains::kNo;
    state.room = launch::kQueue;
    return true;
  }
  [[gnu::always_inline]] static void hand_over(State& state, const Launch& launch, uint32_t argument,
                                               uint16_t owner) {
    state.owners[state.driver->start(launch.pc, argument) % kKept] = owner;
  }
  // False: later. The watchdog is the group's, not the launch's.
  [[gnu::noinline]] bool prepare(unsigned group, const Launch& launch) {
    State& state = states_[group];
    const uint32_t watchdog = std::max(launch.watchdog, kShortest);
    if (state.watchdog != watchdog && !use_watchdog(group, watchdog, Drains::kForOthers)) return false;
    if (needs_wipe(state, launch) && waiting(group) + 1 >= state.room) return false;
    set(group, launch);
    return true;
  }
  [[gnu::cold, gnu::noinline]] bool use_watchdog(unsigned group, uint32_t watchdog, Drains whose) {
    State& state = states_[group];
    if (busy(group)) {
      // Others would keep it busy for ever.
      state.drains = whose;
      state.room = 0;
      return false;
    }
    state.driver->set_watchdog(watchdog);
    state.watchdog = watchdog;
    return true;
  }
  static bool needs_wipe(const State& state, const Launch& launch) { return state.holds != launch.owner; }
  // What is rung for now has these settings, and finds nothing of others.
  void set(unsigned group, const Launch& launch) {
    State& state = states_[group];
    if (needs_wipe(state, launch)) {
      const Code& code = wipe_.code;
      set_group(group, {0, code.pc, state.all, 0, code.segment, code.segment, protocol::kKernelContext});
      hand_over(state, {0, code.pc}, cpe::WipeWord(code.segment, wipe_.registers).word(), kWipe);
    }
    state.holds = launch.owner;
    set_group(group, launch);
  }
  void set_group(unsigned group, const Launch& launch) {
    State& state = states_[group];
    state.driver->prepare({launch.mask, launch.code_segment, launch.argument_segment, launch.owner, true});
    state.prepared = launch.settings == 0 ? kNotPrepared : launch.settings;
    settings_[group].add(launch, state.driver->number() + 1);
  }
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
  void control(unsigned group, uint64_t action) {
    namespace reg = regs::cg::launch_control;
    machine_.write(regs::cg::kBase + group * regs::cg::kSize + reg::kOffset,
                   reg::kHoldAfterFailure.mask() | action);
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

  M& machine_;
  Stuck<M>& stuck_;
  Lost<M>& lost_;
  unsigned count_ = 0;
  uint8_t lost_count_ = 0;
  bool gave_up_ = false;  // a group, since watch(); or saw one at rest
  bool awaits_rest_ = false;
  Wipe wipe_ = {};
  std::array<State, launch::kMaxGroups> states_ = {};
  // Apart from what every launch looks at: the settings that those that wait may have.
  std::array<Settings, launch::kMaxGroups> settings_ = {};
  std::array<Watch, launch::kMaxGroups> watches_ = {};
  unsigned looked_at_ = 0;
};

}  // namespace swai::runtime
