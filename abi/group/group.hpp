// SPDX-License-Identifier: Apache-2.0
// The management processor's side of a core group: segment table, daemon, CPEs, launches, faults.
//
// Order of use: use_segments(), set_segment() for the daemon's code, use_daemon(), enable(); then prepare()
// whenever mask or segments change, and start() for every launch, which is one store. Nothing here waits
// without a limit.
#pragma once

#include <bit>
#include <cstdint>

#include "abi/group/machine.hpp"
#include "abi/launch.hpp"
#include "abi/segment.hpp"
#include "card_regs.hpp"

namespace swai::group {

// What launches have in common, until it is set anew.
struct Setup {
  uint32_t mask;
  uint16_t code_segment;
  uint16_t argument_segment;
  uint8_t owner = segment::kShared;
  bool notify = false;  // with a bit in the inbox, and so an interrupt
};

// A launch in the form in which it is handed over: one store, `word` to `address`.
struct Doorbell {
  uint64_t address;
  uint64_t word;
};

template <Machine M>
class Group {
 public:
  using Done = launch::Done;
  using Doorbell = group::Doorbell;

  // To be made while no launch runs or waits.
  Group(M& machine, unsigned number)
      : machine_(machine),
        base_(regs::cg::kBase + number * regs::cg::kSize),
        inbox_(regs::inbox::done0::kAddr + number * (regs::inbox::done1::kAddr - regs::inbox::done0::kAddr)) {
    const uint64_t config = read<regs::cg::config::kOffset>();
    rows_ = static_cast<unsigned>(regs::cg::config::kRows.get(config));
    columns_ = static_cast<unsigned>(regs::cg::config::kColumns.get(config));
    first_ = number_ = static_cast<uint32_t>(regs::cg::launch_status::kEnded.get(status()));
  }

  unsigned rows() const { return rows_; }
  unsigned columns() const { return columns_; }
  unsigned cpes() const { return rows_ * columns_; }
  // The mask of all of them.
  uint32_t all() const { return static_cast<uint32_t>((uint64_t{1} << cpes()) - 1); }

  // --- Segments. The table lies in memory at an address that is a multiple of 64.

  void use_segments(uint64_t table, uint32_t entries) {
    table_ = table;
    write<regs::cg::segment_table::kOffset>(table);
    write<regs::cg::segment_count::kOffset>(entries);
  }
  // One store makes a segment, or takes it away; then the group must forget the old entry, if it may have
  // seen it: see forget().
  void set_segment(uint16_t number, const segment::Entry& entry) {
    write_entry(number, segment::encode(entry));
  }
  void clear_segment(uint16_t number) { write_entry(number, segment::kNoEntry); }

  // Makes the group forget entries of the table, or code. Before a launch with another code segment or owner
  // than the launch before it does so by itself.
  enum Forget : uint64_t {
    kSegments = regs::cg::invalidate::kDslb.mask(),
    kCode = regs::cg::invalidate::kCode.mask(),
  };
  void forget(uint64_t what) { write<regs::cg::invalidate::kOffset>(what); }

  // --- CPEs

  void use_daemon(uint16_t segment, uint32_t pc) {
    write<regs::cg::daemon::kOffset>(regs::cg::daemon::kBootPc.put(pc) |
                                     regs::cg::daemon::kSegment.put(segment));
  }
  // These run the daemon, all others are in reset.
  void enable(uint32_t mask) { write<regs::cg::cpe_enable::kOffset>(mask); }
  uint32_t stopped() { return read_mask<regs::cg::cpe_stopped::kOffset>(); }
  uint32_t running() { return read_mask<regs::cg::cpe_running::kOffset>(); }
  uint32_t asleep() { return read_mask<regs::cg::cpe_asleep::kOffset>(); }
  // Waits until launches can use all of these. False when that takes more than `limit` cycles.
  bool wait_ready(uint32_t mask, uint64_t limit) {
    return wait([&] { return (stopped() & mask) == 0; }, limit);
  }

  // --- Launches

  void prepare(const Setup& setup) {
    namespace reg = regs::cg::launch_setup;
    write<regs::cg::launch_mask::kOffset>(setup.mask);
    write<reg::kOffset>(reg::kCodeSegment.put(setup.code_segment) |
                        reg::kArgumentSegment.put(setup.argument_segment) | reg::kOwner.put(setup.owner) |
                        reg::kNotify.put(setup.notify));
  }
  [[gnu::always_inline]] Doorbell compose(uint32_t pc, uint32_t argument) const {
    namespace reg = regs::cg::doorbell;
    return {base_ + reg::kOffset, reg::kPc.put(pc) | reg::kArgument.put(argument)};
  }
  [[gnu::always_inline]] static Doorbell with_argument(const Doorbell& doorbell, uint32_t argument) {
    namespace reg = regs::cg::doorbell;
    return {doorbell.address, (doorbell.word & reg::kPc.mask()) | reg::kArgument.put(argument)};
  }
  // There must be room in the queue. Returns the launch's number.
  [[gnu::always_inline]] uint32_t ring(const Doorbell& doorbell) {
    machine_.write(doorbell.address, doorbell.word);
    return rung();
  }
  // Counts one that somebody else has handed over so.
  [[gnu::always_inline]] uint32_t rung() { return ++number_; }
  [[gnu::always_inline]] uint32_t start(uint32_t pc, uint32_t argument) {
    return ring(compose(pc, argument));
  }
  // Of the launch started last.
  uint32_t number() const { return number_; }

  // Whether that launch has ended. Looks at a register beside the processor: the group pushes what it has to
  // say.
  [[gnu::always_inline]] bool ended(uint32_t number) {
    return is_at_least(machine_.read_low(inbox_), number);
  }
  [[gnu::always_inline]] bool wait_ended(uint32_t number, uint64_t limit) {
    if (ended(number)) return true;
    return wait([&] { return ended(number); }, limit);
  }
  // The same without a limit, for measurements: as few instructions as there can be.
  [[gnu::always_inline]] void wait_ended(uint32_t number) {
    while (!ended(number)) {
    }
  }
  // Launches that the queue takes at once, as far as the processor knows without asking the group.
  [[gnu::always_inline]] uint32_t room() {
    // Before the first launch has ended the inbox may still hold the word of an earlier life.
    const uint32_t seen = machine_.read_low(inbox_);
    const uint32_t ended = is_at_least(seen, first_) ? seen : first_;
    return launch::kQueue - (number_ - ended);
  }

  // The launch that ended last.
  Done last_done() { return launch::decode_done(machine_.read(inbox_)); }

  // How that launch went: known for the sixteen that ended last.
  struct Result {
    uint32_t cycles;
    uint32_t waited;
    bool failed;
    bool watchdog;
  };
  Result result(uint32_t number) {
    namespace reg = regs::cg::launch_cycles;
    const uint64_t word = machine_.read(base_ + reg::kOffset + number % reg::kCopies * reg::kStride);
    return {static_cast<uint32_t>(reg::kRun.get(word)), static_cast<uint32_t>(reg::kWaited.get(word)),
            reg::kFailed.get(word) != 0, reg::kWatchdog.get(word) != 0};
  }

  uint64_t status() { return read<regs::cg::launch_status::kOffset>(); }
  // Cycles that the launch that runs has been running; 0: none runs.
  uint64_t age() { return read<regs::cg::launch_age::kOffset>(); }
  // A launch that runs longer is stopped; 0: never.
  void set_watchdog(uint32_t cycles) { write<regs::cg::watchdog::kOffset>(cycles); }
  void kill() { write<regs::cg::launch_control::kOffset>(regs::cg::launch_control::kKill.mask()); }
  void flush() { write<regs::cg::launch_control::kOffset>(regs::cg::launch_control::kFlush.mask()); }

  // --- Faults

  uint32_t faults() { return read_mask<regs::cg::fault_pending::kOffset>(); }
  launch::Fault fault(unsigned cpe) {
    namespace r0 = regs::cg::fault_record0;
    namespace r1 = regs::cg::fault_record1;
    return launch::decode_fault(machine_.read(base_ + r0::kOffset + cpe * r0::kStride),
                                machine_.read(base_ + r1::kOffset + cpe * r1::kStride));
  }
  // Takes the records, so that new ones can come. `take` is called with a CPE's number and its record.
  template <typename Take>
  void take_faults(Take take) {
    const uint32_t pending = faults();
    for (uint32_t left = pending; left != 0; left &= left - 1) {
      const auto cpe = static_cast<unsigned>(std::countr_zero(left));
      take(cpe, fault(cpe));
    }
    if (pending != 0) write<regs::cg::fault_pending::kOffset>(pending);
  }

  // --- The inside of a CPE, which must not be in reset

  uint64_t ldm_address(unsigned cpe) const { return base_ + regs::kCgAccess + cpe * regs::kCgAccessStride; }
  uint64_t cpe_status(unsigned cpe) { return machine_.read(ldm_address(cpe) + regs::kCgAccessStatus); }
  // Zeroes the local memory; false when that takes more than `limit` cycles.
  bool clear_ldm(unsigned cpe, uint64_t limit) {
    machine_.write(ldm_address(cpe) + regs::kCgAccessControl, 1);
    return wait([&] { return (machine_.read(ldm_address(cpe) + regs::kCgAccessControl) & 1) == 0; }, limit);
  }

  M& machine() { return machine_; }

  template <typename Condition>
  bool wait(Condition condition, uint64_t limit) {
    const uint64_t start = machine_.cycles();
    while (!condition()) {
      if (machine_.cycles() - start > limit) return condition();
    }
    return true;
  }

 private:
  // Launch numbers count modulo 2^32.
  static bool is_at_least(uint32_t number, uint32_t wanted) {
    return static_cast<int32_t>(number - wanted) >= 0;
  }

  template <uint64_t kOffset>
  [[gnu::always_inline]] uint64_t read() {
    return machine_.read(base_ + kOffset);
  }
  template <uint64_t kOffset>
  uint32_t read_mask() {
    return static_cast<uint32_t>(read<kOffset>());
  }
  template <uint64_t kOffset>
  [[gnu::always_inline]] void write(uint64_t value) {
    machine_.write(base_ + kOffset, value);
  }
  void write_entry(uint16_t number, uint64_t word) {
    const uint64_t address = table_ + uint64_t{number} * sizeof(uint64_t);
    machine_.store(address, word);
    machine_.publish(address, sizeof(uint64_t));
  }

  M& machine_;
  uint64_t base_;
  uint64_t inbox_;
  uint64_t table_ = 0;
  unsigned rows_ = 0;
  unsigned columns_ = 0;
  uint32_t first_ = 0;
  uint32_t number_ = 0;
};

}  // namespace swai::group
