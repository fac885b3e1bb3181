// SPDX-License-Identifier: Apache-2.0
// What the firmware's runtime sees of the played card: registers, memory, DMA engine, core groups; and time,
// as a queue of things to come.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "abi/dma.hpp"
#include "abi/launch.hpp"
#include "abi/protocol.hpp"
#include "abi/segment.hpp"
#include "firmware/runtime/journal.hpp"
#include "firmware/runtime/machine.hpp"
#include "verif/host/runtime/fake_options.hpp"
#include "verif/host/runtime/fake_programs.hpp"

namespace swai::sdaa {

class FakeProcessor {
 public:
  static constexpr uint64_t kSram = 0x8000'0000;
  // Where the host has put the window onto the device memory.
  static constexpr uint64_t kBar0 = uint64_t{1} << 47;

  explicit FakeProcessor(const FakeOptions& options);
  ~FakeProcessor();
  FakeProcessor(const FakeProcessor&) = delete;
  FakeProcessor& operator=(const FakeProcessor&) = delete;

  // --- runtime::Machine
  uint64_t read(uint64_t address);
  bool try_read(uint64_t address, uint64_t& value);
  uint32_t read_low(uint64_t address) { return static_cast<uint32_t>(read(address)); }
  void write(uint64_t address, uint64_t value);
  // Who looks at it waits for something.
  uint64_t cycles();
  // Of the device memory the processor has pages for the kernel's own and what map() gave it.
  uint64_t load(uint64_t address) {
    check_pages(address, sizeof(uint64_t));
    return word_at(address);
  }
  void store(uint64_t address, uint64_t value) {
    check_pages(address, sizeof value);
    write_memory(address, &value, sizeof value);
  }
  void copy(uint64_t address, std::span<const uint8_t> bytes);
  void zero(uint64_t address, uint64_t bytes);
  void publish(uint64_t address, uint64_t bytes) { check_pages(address, bytes); }
  void look(uint64_t address, uint64_t bytes) {
    touch();
    check_pages(address, bytes);
  }
  void touch() { touched = true; }
  void move(uint64_t to, uint64_t from, uint64_t bytes);
  const uint8_t* bytes(uint64_t address) {
    check_pages(address, 1);
    return at(address, 1);
  }
  void set_entry(uint64_t address, uint64_t value) { store(address, value); }
  void map(uint64_t address, uint64_t bytes, protocol::Usage);
  void unmap(uint64_t address, uint64_t bytes);
  // Keeps the contents, so that a test can check whether they are cleared.
  void discard(uint64_t address, uint64_t bytes);
  void fetch(uint64_t address, void* to, uint64_t bytes);
  void put(uint64_t address, const void* from, uint64_t bytes);
  void order() {}
  uint64_t time() const { return now_; }
  uint64_t alarm() const { return alarm_.value_or(~uint64_t{0}); }
  void set_alarm(uint64_t time) { alarm_ = time == ~uint64_t{0} ? std::nullopt : std::optional(time); }
  // Nothing happens meanwhile, unless the test says that the next thing does.
  void sleep() {
    check_hears();
    if (sleeps && next_event()) run_next();
  }
  void note(journal::Fault fault, const journal::Arguments& arguments) {
    faults.write(static_cast<uint16_t>(fault), journal::Severity::kFault, now_, arguments);
    pending_vectors |= uint64_t{1} << protocol::kLogVector;
  }
  void begin_program(unsigned number) { programs.begin(number); }
  uint64_t show(unsigned number, uint64_t address, unsigned count, bool executable) {
    check_pages(address, count * program::kPageBytes);
    return programs.show(number, address, count, executable);
  }
  void show_answers(unsigned number, uint64_t address) { programs.show_answers(number, address); }
  void end_program(unsigned number) { programs.end(number); }
  void tell(unsigned number, const program::Notes& notes) { programs.tell(number, notes); }
  void tell_end(unsigned number, const program::Notes& notes) { programs.tell_end(number, notes); }
  // Nothing here interrupts one, so the test says how a turn ends; in a quantum it takes its time, which
  // ends.
  void run_program(unsigned number, runtime::ProgramState& state) {
    do {
      if (quantum_end_ && now_ >= *quantum_end_) {
        state.cause = FakePrograms::kTimer;
        return;
      }
      programs.run(number, state);
      if (quantum_end_) now_ += kProgramCycles;
    } while (answers_launch(state) || programs.is_answered(state));
  }
  // Bits of the inbox that interrupt a program.
  uint64_t heard() const { return heard_; }
  bool in_quantum() const { return quantum_end_.has_value(); }
  uint64_t begin_quantum(uint64_t end) {
    if (std::exchange(quantum_end_, end)) throw std::runtime_error("the firmware begins a quantum twice");
    return alarm();
  }
  void end_quantum(uint64_t alarm) {
    if (!std::exchange(quantum_end_, std::nullopt))
      throw std::runtime_error("the firmware ends a quantum that is not");
    set_alarm(alarm);
  }

  void log(journal::Line line, const journal::Arguments& arguments = {}) {
    lines.write(static_cast<uint16_t>(line), describe(line).severity, now_, arguments);
  }

  // --- The host's side
  uint64_t now() const { return now_; }
  std::array<uint64_t, 64>& shared() { return shared_; }
  uint64_t take_work() {
    check_hears();
    return std::exchange(work_, 0);
  }
  uint64_t pending_vectors = 0;
  void set_work(uint64_t bits) { work_ |= bits; }
  void later(uint64_t cycles, std::function<void()> what) { events_.emplace(now_ + cycles, std::move(what)); }
  std::optional<uint64_t> next_event() const {
    if (events_.empty() || (alarm_ && *alarm_ < events_.begin()->first)) return alarm_;
    return events_.begin()->first;
  }
  bool take_alarm() { return std::exchange(alarmed_, false); }
  // A reset of the PCIe function: all channels are clear.
  void cut_off() {
    for (Channel& channel : channels_) channel = {.life = channel.life + 1};
  }
  // Processor, engine and groups begin anew; memories and what host and firmware share stay.
  void reset();
  void run_next();
  void pass_to(uint64_t cycle) { now_ = std::max(now_, cycle); }
  // nullptr: the card has no such memory.
  uint8_t* at(uint64_t address, uint64_t bytes);

  struct Mapping {
    uint8_t* host;
    uint64_t bytes;
    bool readable;
    bool writable;
  };
  std::map<uint64_t, Mapping> mappings;  // by iova
  FakePrograms programs;
  // Looks at each transfer before it reaches memory; throws when it must not be.
  std::function<void(const dma::Descriptor&)> check_transfer;
  // Whom the segments give memory to; 0: nobody.
  uint8_t owner_at(uint64_t address);
  static constexpr uint64_t kProgramCycles = 100;  // that a turn takes of a quantum
  uint64_t own = 0;                                // so much of group 0's memory is the kernel's
  std::vector<uint32_t> words;                     // arguments of launches of Operation::kWord
  bool sleeps = false;                             // whoever sleeps in a program's call
  uint64_t clear_looks = 0;                        // in vain, before a channel that is cleared is idle
  uint64_t failed_looks = 0;                       // the same of one that has failed
  // So long the cores of a group have something on its way to memory when they are switched off.
  uint64_t drain_cycles = 50;
  bool wipes_fail = false;  // as the last launch that is known
  // Cores that run wait for each other, but something of them moves whenever somebody looks.
  bool cores_wait = false;
  bool touched = false;        // the caches may hold memory of clients; a test forgets it
  bool own_fills_die = false;  // launches that clear memory: as Operation::kDead
  bool words_lost = false;     // done words
  std::array<uint64_t, launch::kMaxGroups> core_looks = {};  // at registers of its cores, also in vain
  // Launches of it that have ended, and nobody saw them.
  void skip_launches(unsigned group, uint32_t count) { groups_[group].ended += count; }
  // Nothing of them is: they are in reset.
  bool at_rest(unsigned group) const;

  // What the card tells about itself.
  static constexpr uint64_t kLogAt = kSram + 0x3'd000;
  static constexpr uint64_t kFaultsAt = kSram + 0x3'd800;
  static constexpr unsigned kJournalRecords = 16;
  runtime::Journal<FakeProcessor> lines{*this};
  runtime::Journal<FakeProcessor> faults{*this};

 private:
  static constexpr unsigned kGroups = launch::kMaxGroups;
  struct Channel {
    uint64_t ring = 0;
    uint64_t size_log2 = 0;
    uint64_t control = 0;
    uint64_t vector = 0;
    uint16_t head = 0;
    uint16_t tail = 0;
    uint64_t error = 0;
    uint64_t error_address = 0;
    bool busy = false;
    uint64_t life = 0;  // counts clears
    uint64_t looks = 0;
  };
  struct Fault {
    launch::Cause cause = launch::Cause::kNone;
    uint64_t pointer = 0;
    unsigned cpe = 0;
  };
  // A launch as it was rung for.
  // What the firmware does not hear of would never wake it.
  void check_hears() const {
    if (heard_ != ~uint64_t{0}) throw std::runtime_error("the firmware does not hear of all that happens");
  }
  // A launch that is ready, which the machine hands over by itself (runtime::ReadyLaunch).
  bool answers_launch(runtime::ProgramState& state);

  struct Launch {
    uint64_t cycles = 0;
    uint64_t began = 0;
    Operation operation = Operation::kNothing;
    uint32_t mask = 0;
    uint8_t owner = 0;
    bool stopped = false;  // by the watchdog
    bool flushed = false;
    bool killed = false;
    uint64_t arguments = 0;
    uint32_t argument = 0;   // as it was handed over
    uint64_t constants = 0;  // pointer; what lies behind the operation in the code
  };
  bool is_dead(const Launch& launch) const;
  struct Group {
    std::map<uint64_t, uint64_t> registers;
    std::deque<Launch> launches;  // the one in front runs, unless the group holds
    bool running = false;
    bool held = false;
    uint64_t plan = 0;                 // the end that counts
    uint8_t holds = 0;                 // whose kernel ran last, if the cores were not wiped since
    std::optional<uint64_t> off = {};  // since when its cores are switched off
    uint32_t ended = 0;
    uint64_t done = 0;
    uint32_t fault_pending = 0;
    std::array<uint64_t, 16> results = {};
    std::array<uint64_t, launch::kMaxCpes> record0 = {};
    std::array<uint64_t, launch::kMaxCpes> record1 = {};
  };

  uint64_t word_at(uint64_t address);
  void write_memory(uint64_t address, const void* from, uint64_t bytes);
  void check_pages(uint64_t address, uint64_t bytes) const;
  uint64_t read_dma(unsigned channel, uint64_t offset);
  void write_dma(unsigned channel, uint64_t offset, uint64_t value);
  void transfer(unsigned channel);
  void end_of_transfer(unsigned channel, const dma::Descriptor& descriptor);
  uint64_t read_group(unsigned group, uint64_t offset);
  // Whose core's register that is; nothing: nobody's.
  static std::optional<unsigned> group_of_core(uint64_t address);
  void write_group(unsigned group, uint64_t offset, uint64_t value);
  void ring(unsigned group, uint64_t doorbell);
  void control_launches(unsigned group, uint64_t control);
  void run_next_launch(unsigned group);
  void end_launch_in(unsigned group, uint64_t cycles);
  void end_launch(unsigned group);
  Fault run_kernel(const Launch& launch);
  // Memory that a kernel may use; nullptr: it may not, and `fault` says why.
  uint8_t* reach(uint64_t pointer, uint64_t bytes, uint8_t permission, uint8_t owner, Fault& fault);

  FakeOptions options_;
  uint64_t now_ = 1;
  uint64_t spin_ = 0;
  uint64_t work_ = 0;
  uint64_t heard_ = ~uint64_t{0};  // inbox.enable
  std::multimap<uint64_t, std::function<void()>> events_;
  std::array<uint64_t, 64> shared_ = {};
  std::vector<uint8_t> sram_;
  std::vector<uint8_t*> memory_;  // of each group
  std::array<Channel, dma::kChannels> channels_ = {};
  std::array<Group, kGroups> groups_ = {};
  uint64_t segment_table_ = 0;
  std::set<uint64_t> pages_;
  std::optional<uint64_t> quantum_end_;
  std::optional<uint64_t> alarm_;
  bool alarmed_ = false;
};
static_assert(runtime::Machine<FakeProcessor>);

}  // namespace swai::sdaa
