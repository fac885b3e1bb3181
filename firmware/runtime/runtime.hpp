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

#include "firmware/memory/memory.hpp"
#include "firmware/runtime/completion.hpp"
#include "firmware/runtime/events.hpp"
#include "firmware/runtime/groups.hpp"
#include "firmware/runtime/modules.hpp"
#include "firmware/runtime/queues.hpp"
#include "firmware/runtime/requests.hpp"
#include "firmware/runtime/transfers.hpp"

namespace swai::runtime {

template <Machine M>
class Runtime {
 public:
  // Memory of its own: SRAM that the DMA engine reaches, and a part of the device memory.
  static constexpr uint64_t kSramBytes = Completions<M>::kBytes + Transfers<M>::kBytes;

  struct Plan {
    memory::Plan memory;
    typename Queues<M>::Place queues;
    uint64_t sram = 0;     // kSramBytes
    uint64_t modules = 0;  // Modules<M>::kBytes of memory
    unsigned groups = 1;
  };

  explicit Runtime(M& machine)
      : memory_(machine),
        modules_(machine, memory_),
        groups_(machine),
        transfers_(machine),
        completions_(machine),
        queues_({machine, memory_, modules_, groups_, transfers_, completions_, events_}),
        requests_({machine, memory_, modules_, groups_, transfers_, completions_, events_, queues_}) {}

  void init(const Plan& plan) {
    memory_.init(plan.memory);
    modules_.init(plan.modules);
    groups_.init(plan.groups);
    completions_.init(plan.sram);
    transfers_.init(plan.sram + Completions<M>::kBytes);
    events_.init();
    queues_.init(plan.queues);
    requests_.init();
  }

  // `work`: bits of inbox.work that were set and have been cleared. True: there is more to do without any
  // bit.
  bool poll(uint64_t work) {
    constexpr uint64_t kRequest = uint64_t{1} << protocol::kRequestDoorbell;
    if ((work & kRequest) != 0) requests_.serve();
    if (work >> 32 != 0) transfers_.pump(work);
    moved_ = (work != 0 || moved_ || queues_.busy()) && queues_.advance_all();
    completions_.pump();
    const bool cleaning = requests_.clean_up();
    return moved_ || cleaning;
  }

  // What is counted, by tag: `see` is called with protocol::Tag and value.
  template <typename See>
  void telemetry(See see) const {
    using protocol::Tag;
    const Statistics& counts = queues_.statistics();
    see(Tag::kRequests, requests_.served());
    see(Tag::kCommands, counts.commands);
    see(Tag::kCommandsFailed, counts.failed);
    see(Tag::kCommandsRefused, counts.refused);
    see(Tag::kLaunches, counts.launches);
    see(Tag::kLaunchesFailed, counts.launches_failed);
    see(Tag::kBytesToCard, counts.bytes_to_card);
    see(Tag::kBytesToHost, counts.bytes_to_host);
    see(Tag::kMemoryUsed, memory_.bytes_of(requests_.context()));
    see(Tag::kAllocations, memory_.count_of(requests_.context()));
    see(Tag::kModules, modules_.count());
    see(Tag::kBadSlots, counts.bad_slots);
  }

  memory::Memory<M>& memory() { return memory_; }
  Groups<M>& groups() { return groups_; }
  Queues<M>& queues() { return queues_; }
  Requests<M>& requests() { return requests_; }
  Modules<M>& modules() { return modules_; }

 private:
  memory::Memory<M> memory_;
  Modules<M> modules_;
  Groups<M> groups_;
  Transfers<M> transfers_;
  Completions<M> completions_;
  Events events_;
  Queues<M> queues_;
  Requests<M> requests_;
  bool moved_ = false;  // the queues may have more to do
};

}  // namespace swai::runtime
