// SPDX-License-Identifier: Apache-2.0
// A core group and the processor beside it, played for the driver: registers with latencies, a launch queue,
// CPEs that take time to start, and memory in which only what was published can be seen by the group. It
// checks what the hardware would choke on.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "abi/group/machine.hpp"
#include "abi/launch.hpp"
#include "abi/segment.hpp"

namespace swai::group {

struct FakeLaunch {
  uint32_t pc;
  uint32_t argument;
  uint32_t mask;
  uint64_t setup;
  uint32_t number;
  uint64_t code;  // what the group found at pc: eight bytes
};

class FakeGroup {
 public:
  explicit FakeGroup(uint64_t seed, unsigned number = 0, unsigned rows = 4, unsigned columns = 8);

  // The interface of group::Machine.
  uint64_t read(uint64_t address);
  uint32_t read_low(uint64_t address) { return static_cast<uint32_t>(read(address)); }
  void write(uint64_t address, uint64_t value);
  void store(uint64_t address, uint64_t value);
  void copy(uint64_t address, std::span<const uint8_t> bytes);
  void zero(uint64_t address, uint64_t bytes);
  void publish(uint64_t address, uint64_t bytes);
  uint64_t cycles() { return ++now_; }

  // What the group was told to do wrong: empty if nothing.
  const std::string& complaint() const { return complaint_; }
  const std::vector<FakeLaunch>& launches() const { return launches_; }

  // As the group sees memory.
  uint64_t word(uint64_t address);

  // How the group behaves.
  uint32_t broken_cpes = 0;    // never come up
  bool clear_hangs = false;    // clearing of local memory does not end
  bool launches_hang = false;  // none ends
  uint32_t run_cycles = 20;    // of a launch, and up to as many again
  void fail_next(uint32_t cpe, uint64_t record0, uint64_t record1);
  void set_ended(uint32_t number) { ended_ = taken_ = number; }
  void set_inbox(uint64_t word) { inbox_ = word; }

  // What it saw.
  unsigned resets(unsigned cpe) const { return resets_[cpe]; }
  unsigned clears(unsigned cpe) const { return clears_[cpe]; }
  uint64_t last(uint64_t offset) const;  // written to a register

 private:
  static constexpr unsigned kCpes = launch::kMaxCpes;

  void complain(const std::string& text) {
    if (complaint_.empty()) complaint_ = text;
  }
  void pass(uint64_t cycles);
  void doorbell(uint64_t value);
  void enable(uint32_t mask);
  uint32_t stopped() const;
  uint64_t segment_base(uint16_t number, uint8_t permission);
  uint64_t group_read(uint64_t offset);
  void group_write(uint64_t offset, uint64_t value);
  uint64_t cpe_read(unsigned cpe, uint64_t offset);

  std::mt19937_64 random_;
  unsigned number_;
  unsigned rows_;
  unsigned columns_;
  uint64_t now_ = 1;
  std::string complaint_;

  std::map<uint64_t, uint64_t> registers_;
  std::map<uint64_t, uint8_t> cache_;
  std::map<uint64_t, uint8_t> memory_;

  uint32_t enabled_ = 0;
  uint64_t up_at_[kCpes] = {};
  uint64_t cleared_at_[kCpes] = {};
  unsigned resets_[kCpes] = {};
  unsigned clears_[kCpes] = {};

  struct Failure {
    bool wanted = false;
    uint32_t cpe = 0;
    uint64_t record0 = 0;
    uint64_t record1 = 0;
  };
  Failure failure_;
  std::vector<FakeLaunch> launches_;
  std::deque<FakeLaunch> queue_;
  bool running_ = false;
  FakeLaunch current_ = {};
  uint64_t started_at_ = 0;
  uint64_t ends_at_ = 0;
  uint32_t taken_ = 0;
  uint32_t ended_ = 0;
  uint64_t inbox_ = 0;
  std::map<uint32_t, uint64_t> results_;
  uint32_t fault_pending_ = 0;
  uint64_t record0_[kCpes] = {};
  uint64_t record1_[kCpes] = {};
};
static_assert(Machine<FakeGroup>);

}  // namespace swai::group
