// SPDX-License-Identifier: Apache-2.0
// One CPE: scalar core, local memory, control, DMA, data window, and its ends of two channels.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sim/iss/cpe/channel.hpp"
#include "sim/iss/cpe/check.hpp"
#include "sim/iss/cpe/clock.hpp"
#include "sim/iss/cpe/dma.hpp"
#include "sim/iss/cpe/hart.hpp"
#include "sim/iss/cpe/port.hpp"
#include "sim/iss/cpe/round_memory.hpp"
#include "sim/iss/cpe/sync.hpp"
#include "sim/iss/cpe/systolic.hpp"
#include "sim/iss/cpe/vector.hpp"

namespace swai {
class Archive;
}

namespace swai::iss::cpe {

// What a CPE is told of a launch, and what its group needs besides.
struct Launch {
  uint32_t pc = 0;
  uint32_t argument = 0;
  uint32_t mask = 0;  // CPEs that take part: bit row * columns + column
  uint16_t code_segment = 0;
  uint16_t argument_segment = 0;
  uint8_t context = segment::kShared;  // whose segments it may use
};

class Cpe : private Environment {
 public:
  using Observer = std::function<void(unsigned cpe, const Retirement& record)>;

  // What the CPE is part of.
  struct Surroundings {
    Code& code;
    Port& port;
    Sync& sync;
    HbmTime& hbm;
    Channel& row;     // the channel along its row, where its position is its column
    Channel& column;  // the one along its column
  };
  Cpe(const Surroundings& around, std::span<uint8_t> ldm, unsigned number, unsigned columns,
      const Hart::Identity& identity);
  Cpe(const Cpe&) = delete;
  Cpe& operator=(const Cpe&) = delete;

  void reset(uint32_t pc);
  // Will be taken when its code asks for a launch; stays through a reset until withdraw().
  void give(const Launch& launch) { pending_ = launch; }
  void withdraw() { pending_.reset(); }
  // Who else runs. What is not memory is not read in company: it may show what the others do, or how far they
  // are.
  enum class Company : uint8_t { kOthers, kNobody };
  // Up to `limit` instructions, fewer when it waits or stops, or wants to be alone; returns how many. An
  // access through the window counts as many as it makes the core wait, at least: who polls memory sees what
  // others have stored as soon as with short rounds.
  uint64_t run(uint64_t limit, Company company, const Observer& observer);
  bool wants_to_be_alone() const { return wants_to_be_alone_; }
  // It waited in its last round, and what for has not happened yet: run() would change nothing.
  bool still_waits() const;
  // Looks for mistakes that the model forgives, from now on.
  void look_for_mistakes() { check_ = std::make_unique<Check>(number_); }
  // Null: nobody looks for any.
  Check* check() { return check_.get(); }
  // The end of a round: its stores take effect.
  void commit() { memory_.commit(); }
  const RoundMemory& memory() const { return memory_; }
  // Stands still from now on, with a record, unless it has one.
  void stop(Cause cause);

  const Fault& fault() const;  // cause none: it has not stopped
  bool stopped() const { return fault().cause != Cause::kNone; }
  // It was a launch that its fault ended, not the daemon.
  bool failed_launch() const { return failed_launch_; }
  Clock& clock() { return clock_; }
  const Clock& clock() const { return clock_; }

  // Launches that it has taken.
  uint64_t taken() const { return taken_; }
  // No launch runs here and none waits to be taken.
  bool finished() const { return !running_ && !pending_; }
  bool running() const { return running_; }
  bool busy() const { return row_.busy(column_number_) || column_.busy(row_number_); }
  // Stands still after a fault, or has nothing to do but wait for a launch or at a barrier.
  bool asleep() const;
  // Of the launch that runs here, or did last.
  uint64_t launch_instructions() const;

  // A counter by its number in docs/hardware/cpe-core.md; 0 for what only hardware can count.
  uint64_t count(unsigned number) const;
  // As the window shows it (cpe_status): where it waits once it is there.
  uint32_t status(bool is_there) const;

  const Hart& hart() const { return hart_; }
  std::span<uint8_t> ldm() const { return ldm_; }
  const Dma& dma() const { return dma_; }
  const Systolic& systolic() const { return systolic_; }
  const Vector& vector() const { return vector_; }
  void visit(Archive& archive);
  // What it does or waits for.
  std::string describe() const;

 private:
  WindowResult window(const WindowAccess& access) override;
  Answer issue(const Command& command) override;
  bool set(uint8_t unit, uint8_t op, uint32_t rs1, uint32_t rs2) override;
  Answer pass_on(const Command& command);
  Answer checked_issue(const Command& command);
  void note(const Command& command, uint32_t answer, uint64_t lines_before);
  Footprint footprint(const Command& command) const;
  void look_at_line(const Finding::Party& reader, uint16_t segment, uint64_t offset, uint64_t bytes);
  uint32_t counter(unsigned number, bool high) override;
  Hart::Status observed_step(const Observer& observer);
  Hart::Status checked_step(const Observer& observer);
  void execute(uint64_t limit, const Observer& observer);
  void read_memory_only(uint16_t segment);
  Answer control(const Command& command);
  Cause access(const WindowAccess& access, uint16_t number, uint64_t offset, std::span<uint8_t> bytes);
  void stop_engines();
  const Fault& unit_fault() const;
  std::string describe_wait() const;

  std::span<uint8_t> ldm_;
  unsigned number_;
  unsigned row_number_;
  unsigned column_number_;
  Port& port_;
  RoundMemory memory_;
  Sync& sync_;
  Channel& row_;
  Channel& column_;
  Dma dma_;
  Systolic systolic_;
  Vector vector_;
  Hart hart_;
  std::unique_ptr<Check> check_;
  Clock clock_;

  Launch launch_;                  // the one taken last
  std::optional<Launch> pending_;  // not taken yet
  bool running_ = false;
  bool waiting_ = false;
  Company company_ = Company::kNobody;
  bool wants_to_be_alone_ = false;
  uint64_t window_cycles_ = 0;  // of the round
  bool failed_launch_ = false;
  uint64_t taken_ = 0;
  Fault stopped_;  // from outside
  uint64_t first_instruction_ = 0;
  uint64_t launch_instructions_ = 0;

  // What engines have done, in the units of their counters, and had done when the CPE was reset.
  struct Work {
    uint64_t lines = 0, row = 0, column = 0, systolic = 0, vector = 0;
  };
  Work work() const;
  Work before_;
};

}  // namespace swai::iss::cpe
