// SPDX-License-Identifier: Apache-2.0
// What launches must come to: follows the queue, the CPEs, the records and the done words of tb_launch cycle
// by cycle.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "verif/rtl/group/launch/cpes.hpp"

namespace swai::cg {

struct Launch {
  uint32_t pc = 0;
  uint32_t argument = 0;
  uint32_t mask = 0;
  uint16_t code_segment = 0;
  uint16_t argument_segment = 0;
  uint8_t owner = 0;
  bool notify = false;
  uint64_t rung = 0;  // when its doorbell was rung
};

class LaunchModel : public verif::Agent {
 public:
  LaunchModel(Vtb_launch& top, Cpes& cpes, unsigned group, Random& random);

  Launch next;            // what a doorbell queues now
  uint32_t watchdog = 0;  // changes only while nothing runs

  uint32_t pending() const { return pending_; }
  const Fault& record(unsigned cpe) const { return records_[cpe]; }
  uint64_t captured() const { return captured_; }

  size_t queued() const { return queue_.size(); }
  uint32_t started() const { return sequence_; }
  uint32_t ended() const { return static_cast<uint32_t>(results_.size()); }
  uint32_t failures() const { return failures_; }
  uint32_t expired() const { return expired_; }
  uint64_t invalidations() const { return invalidations_; }  // of code
  uint64_t forgotten() const { return forgotten_; }          // of segment entries
  struct Result {
    uint64_t word = 0;
    uint64_t cycles = 0;  // as launch_cycles has it
  };
  const Result& result(uint32_t sequence) const { return results_.at(sequence); }
  void all_told() const;  // every done word that had to arrive has arrived

  void drive() override;
  void sample() override;

  verif::Stalls stalls;  // of the done words' way
  unsigned longest_answer = 40;

 private:
  void start();
  void run();
  void end();
  void port();
  void records();
  void resets();

  Vtb_launch& top_;
  Cpes& cpes_;
  Random& random_;
  unsigned group_;
  uint64_t cycle_ = 0;
  uint64_t busy_cycle_ = 0;  // of the launch hardware's clock

  std::deque<Launch> queue_;
  unsigned doomed_ = 0;
  uint32_t sequence_ = 0;
  bool active_ = false;
  Launch launch_;
  bool refused_ = false;
  uint64_t popped_ = 0;
  uint64_t waited_ = 0;
  uint64_t begun_ = 0;    // first cycle in which it is offered
  uint64_t through_ = 0;  // first cycle in which nobody works on it any more
  uint32_t taken_ = 0;
  uint32_t taken_before_ = 0;  // before this cycle
  uint32_t lost_ = 0;          // will not finish it
  uint32_t restarted_ = 0;
  bool kill_ = false;
  bool expired_now_ = false;
  bool was_running_ = false;
  std::map<uint32_t, Result> results_;
  uint32_t failures_ = 0;
  uint32_t expired_ = 0;
  uint64_t invalidations_ = 0;
  uint64_t forgotten_ = 0;
  uint16_t last_code_ = 0;
  uint8_t last_owner_ = 0;

  uint32_t pending_ = 0;
  std::vector<Fault> records_;
  uint64_t captured_ = 0;
  uint32_t rst_before_ = 0;
  uint32_t quiet_before_ = 0;
  uint32_t usable_now_ = 0;
  uint32_t usable_before_ = 0;  // a cycle earlier
  uint32_t halt_before_ = 0;
  uint32_t fault_noted_ = 0;      // since the last reset
  uint32_t fault_due_ = 0;        // whose record is due
  std::map<unsigned, bool> why_;  // of those whose record as a stopped one is due: by the watchdog

  bool answering_ = false;
  unsigned answer_in_ = 0;
  uint32_t told_ = 0;  // by done words that have been answered
  uint32_t telling_ = 0;
  std::set<uint32_t> notify_;  // launches whose notification is due
};

}  // namespace swai::cg
