// SPDX-License-Identifier: Apache-2.0
// The card's side of the runtime, put together: one object, one function that does all there is to do.
//
//   Runtime<Processor> runtime(processor);
//   runtime.init(plan);
//   for (;;) {
//     while (runtime.poll(take_work())) {}
//     sleep until inbox.work has a bit;
//   }
#pragma once

#include <cstdint>

#include "card_regs.hpp"
#include "firmware/memory/memory.hpp"
#include "firmware/runtime/calibration.hpp"
#include "firmware/runtime/cleaner.hpp"
#include "firmware/runtime/clients.hpp"
#include "firmware/runtime/completion.hpp"
#include "firmware/runtime/events.hpp"
#include "firmware/runtime/groups.hpp"
#include "firmware/runtime/lost.hpp"
#include "firmware/runtime/module_load.hpp"
#include "firmware/runtime/modules.hpp"
#include "firmware/runtime/programs.hpp"
#include "firmware/runtime/queues.hpp"
#include "firmware/runtime/requests.hpp"
#include "firmware/runtime/stuck.hpp"
#include "firmware/runtime/transfers.hpp"
#include "firmware/runtime/two_level.hpp"

namespace swai::runtime {

// Tables that are large and of which a launch needs nothing: they may lie in slower memory than the rest.
template <Machine M>
struct Tables {
  [[gnu::cold, gnu::noinline]] explicit Tables(M& machine)
      : memory(machine),
        programs(machine, memory),
        modules(machine, memory),
        module_load(machine, memory, modules),
        stuck(machine),
        lost(machine) {}
  memory::Memory<M> memory;
  Programs<M> programs;
  Modules<M> modules;
  ModuleLoad<M> module_load;
  Stuck<M> stuck;
  Lost<M> lost;
};

template <Machine M>
class Runtime {
 public:
  // Memory of its own: SRAM that the DMA engine reaches, and a part of the device memory.
  static constexpr uint64_t kSramBytes = Completions<M>::kBytes + Transfers<M>::kBytes + TwoLevel<M>::kBytes;

  struct Plan {
    memory::Plan memory;
    QueuePlace queues;
    Wipe wipe;
    Scratch scratch;
    Clearing clearing;
    uint64_t sram = 0;     // kSramBytes
    uint64_t modules = 0;  // Modules<M>::kBytes of memory
    uint64_t answers = 0;  // program::kAnswerBytes of SRAM that the caches do not hold
    uint64_t events = 0;   // Events<M>::kBytes of memory
    unsigned groups = 1;
    uint32_t lost = 0;  // of them, those that a kernel before has left running, and that do not stop
  };

  [[gnu::cold, gnu::noinline]] Runtime(M& machine, Tables<M>& tables)
      : queues_({machine, clients_, tables.memory, tables.modules, tables.module_load, groups_, transfers_,
                 completions_, events_, costs_, routes_}),
        groups_(machine, tables.stuck, tables.lost),
        completions_(machine),
        modules_(tables.modules),
        module_load_(tables.module_load),
        requests_({machine, clients_, tables.memory, tables.modules, tables.module_load, groups_, transfers_,
                   completions_, events_, costs_, routes_},
                  queues_, tables.programs, two_level_, calibration_),
        programs_(tables.programs),
        transfers_(machine),
        routes_(machine, transfers_),
        calibration_(machine, costs_, routes_, transfers_, queues_),
        two_level_(machine, transfers_, queues_),
        cleaner_(machine, tables.memory, groups_, queues_),
        memory_(tables.memory),
        events_(machine),
        machine_(machine) {}

  [[gnu::cold, gnu::noinline]] void init(const Plan& plan) {
    memory::Plan memory = plan.memory;
    memory.withholds = plan.lost != 0;
    memory_.init(memory);
    modules_.init(plan.modules);
    module_load_.init();
    groups_.init(plan.groups, plan.wipe, plan.lost);
    completions_.init(plan.sram);
    transfers_.init(plan.sram + Completions<M>::kBytes);
    two_level_.init(plan.sram + Completions<M>::kBytes + Transfers<M>::kBytes);
    events_.init(plan.events);
    clients_.init();
    queues_.init(plan.queues);
    routes_.init();
    calibration_.init(plan.scratch);
    cleaner_.init(plan.clearing);
    requests_.init();
    programs_.init(queues_, cleaner_, plan.answers);
  }

  // `work`: bits of inbox.work that were set and have been cleared. True: there is more to do without any
  // bit.
  [[gnu::always_inline]] bool poll(uint64_t work) {
    constexpr uint32_t kRare = kRequest | kFeed;
    constexpr uint32_t kCompletions = uint32_t{1} << Completions<M>::kChannel;
    bool told = false;
    if (work != 0) {
      const auto doorbells = static_cast<uint32_t>(regs::inbox::work::kDoorbells.get(work));
      const auto channels = static_cast<uint32_t>(regs::inbox::work::kDma.get(work));
      const auto groups = static_cast<uint32_t>(regs::inbox::work::kGroups.get(work));
      if (groups != 0) queues_.launches_ended(groups);
      if ((doorbells & kRare) != 0) rare(doorbells);
      if ((channels & ~kCompletions) != 0) transfers_ended(channels & ~kCompletions);
      queues_.rung(doorbells);
      told = (channels & kCompletions) != 0;
    }
    queues_.retire_all();
    if (cleaner_.wanted() && cleaner_.step()) queues_.look_again();
    // The host hears of ends before anything begins.
    if (told || completions_.ready()) {
      if (completions_.pump(told)) queues_.look_again();
    }
    queues_.take_all();
    if (queues_.lacks_memory() && !cleaner_.wanted()) {
      cleaner_.look_again();
      return true;
    }
    return (clients_.any_leaving() && clean_up()) || queues_.busy() || completions_.ready();
  }
  // Before the processor sleeps. A group may stop answering, so while one has something to do, time is kept.
  // To withdraw the alarm when there is nothing to do any more would cost every launch that somebody waits
  // for.
  [[gnu::always_inline]] void rest() {
    if (alarm_ ||
        !(groups_.any_busy() || groups_.awaits_rest() || completions_.stuck() || transfers_.stuck()))
      return;
    keep_time();
  }
  // Somebody has a model program.
  bool has_programs() const { return has_programs_; }
  // In place of sleeping: lets one go on until it has done something, or until an interrupt; poll() follows.
  enum class Ran : uint8_t { kNone, kActed, kInterrupted };
  [[gnu::cold, gnu::noinline]] Ran run_program() {
    const unsigned number = programs_.next();
    if (number == program::kPrograms) return Ran::kNone;
    if (!alarm_) keep_time();
    const bool acted = programs_.run(number);
    has_programs_ = programs_.any();
    return acted ? Ran::kActed : Ran::kInterrupted;
  }
  // Calls of a program that runs (Programs).
  [[gnu::always_inline]] bool answer(ProgramState& state, uint64_t function, uint64_t first,
                                     uint64_t second) {
    return programs_.answer(state, function, first, second);
  }
  [[gnu::always_inline]] bool submit(ProgramState& state, uint64_t function, const CallArguments& words) {
    return programs_.submit(state, function, words);
  }
  [[gnu::always_inline]] uint32_t launched(ProgramState& state) { return programs_.launched(state); }
  // Behind poll(): a program has its turn, if there has been no pause for one for long. True: poll() follows.
  [[gnu::always_inline]] bool feed_programs() { return has_programs_ && programs_.starve() && feed(); }
  // It is time; poll() follows.
  [[gnu::cold, gnu::noinline]] void alarm() {
    alarm_ = false;
    if (queues_.watch_groups()) cleaner_.look_again();
    watch_cycles_ = groups_.suspects()        ? Stuck<M>::kApart
                    : groups_.waits_in_vain() ? kRareCycles
                                              : kWatchCycles;
    if (completions_.stuck() || transfers_.stuck()) mend();
  }
  // No command is under way, none waits.
  bool idle() const { return queues_.idle(); }

  // What is counted, by tag: `see` is called with protocol::Tag and value.
  template <typename See>
  void telemetry(See see) const {
    using protocol::Tag;
    const Statistics& statistics = queues_.statistics();
    Counts counts = clients_.before();
    uint64_t bytes = 0, allocations = 0, modules = 0;
    for (const Client& client : clients_.all()) {
      if (client.attached == Attached::kNobody) continue;
      counts.add(client.counts);
      bytes += memory_.bytes_of(client.context);
      allocations += memory_.count_of(client.context);
      modules += modules_.count_of(client.context);
    }
    see(Tag::kRequests, requests_.served());
    see(Tag::kCommands, counts.commands);
    see(Tag::kCommandsFailed, statistics.failed);
    see(Tag::kCommandsRefused, statistics.refused);
    see(Tag::kLaunches, counts.launches);
    see(Tag::kLaunchesFailed, statistics.launches_failed);
    see(Tag::kBytesToCard, counts.bytes_to_card);
    see(Tag::kBytesToHost, counts.bytes_to_host);
    see(Tag::kMemoryUsed, bytes);
    see(Tag::kAllocations, allocations);
    see(Tag::kModules, modules);
    see(Tag::kBadSlots, statistics.bad_slots);
    see(Tag::kCleared, cleaner_.cleared());
  }
  // Somebody has that place.
  bool is_used(unsigned place) const { return clients_.all()[place].attached != Attached::kNobody; }
  [[gnu::cold, gnu::noinline]] protocol::ClientUsage usage(unsigned place) {
    const Client& client = clients_.all()[place];
    const auto running =
        groups_.running([&](uint16_t owner) { return queues_.context_of(owner) == client.context; });
    protocol::ClientUsage usage = {};
    usage.context = client.context;
    usage.attached = client.attached;
    usage.queues = client.queues;
    usage.allocations = memory_.count_of(client.context);
    usage.memory = memory_.bytes_of(client.context);
    usage.modules = modules_.count_of(client.context);
    usage.running = running.launches;
    usage.commands = client.counts.commands;
    usage.launches = client.counts.launches;
    usage.busy = client.counts.busy + running.cycles;
    usage.bytes_to_card = client.counts.bytes_to_card;
    usage.bytes_to_host = client.counts.bytes_to_host;
    return usage;
  }

  memory::Memory<M>& memory() { return memory_; }
  Calibration<M>& calibration() { return calibration_; }
  Groups<M>& groups() { return groups_; }
  Queues<M>& queues() { return queues_; }
  const Clients& clients() const { return clients_; }

 private:
  static constexpr uint64_t kWatchCycles = 32'768;
  static constexpr uint64_t kRareCycles = 16 * kWatchCycles;
  static_assert(kRareCycles < Lost<M>::kGrace);

  [[gnu::always_inline]] void keep_time() {
    alarm_ = true;
    machine_.set_alarm(machine_.time() + watch_cycles_);
  }

  static constexpr uint32_t kRequest = uint32_t{1} << protocol::kRequestDoorbell;
  static constexpr uint32_t kFeed = uint32_t{1} << two_level::kDoorbell;
  [[gnu::cold, gnu::noinline]] bool feed() {
    const bool acted = programs_.feed();
    has_programs_ = programs_.any();
    return acted;
  }
  [[gnu::cold, gnu::noinline]] void mend() {
    completions_.mend();
    transfers_.mend();
    transfers_ended(0);
    queues_.look_again();
  }
  [[gnu::noinline]] void rare(uint32_t doorbells) {
    if ((doorbells & kRequest) != 0) {
      requests_.serve();
      has_programs_ = programs_.any();
    }
    if ((doorbells & kFeed) != 0) two_level_.rung();
    cleaner_.look_again();
  }
  [[gnu::cold, gnu::noinline]] bool clean_up() {
    cleaner_.look_again();
    return requests_.clean_up();
  }
  [[gnu::noinline]] void transfers_ended(uint32_t channels) {
    transfers_.pump(channels);
    queues_.transfers_ended();
    two_level_.step();
    // Every copy's end comes by here, and the step's code lies in slow memory.
    if (calibration_.measures_link()) calibration_.step();
  }

  // What every launch passes through comes first, and lies in few pages so.
  Queues<M> queues_;
  bool alarm_ = false;
  uint64_t watch_cycles_ = kWatchCycles;
  bool has_programs_ = false;
  Groups<M> groups_;
  Clients clients_;
  Completions<M> completions_;
  Modules<M>& modules_;
  ModuleLoad<M>& module_load_;
  Requests<M> requests_;
  Programs<M>& programs_;
  Transfers<M> transfers_;
  Costs costs_;
  Routes<M> routes_;
  Calibration<M> calibration_;
  TwoLevel<M> two_level_;
  Cleaner<M> cleaner_;
  memory::Memory<M>& memory_;
  Events<M> events_;
  M& machine_;
};

}  // namespace swai::runtime
