// SPDX-License-Identifier: Apache-2.0
// The scalar core with everything around it in C++, in lockstep with its model: code, local memory, window,
// units and clock gate, all with random delays.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "Vtb_cpe_core.h"
#include "sim/iss/cpe/hart.hpp"
#include "verif/rtl/lib/bench.hpp"

namespace swai::cpe {

using iss::cpe::Access;
using iss::cpe::Cause;
using iss::cpe::Command;
using iss::cpe::Environment;
using iss::cpe::Fault;

// Where code comes from, for core and model.
using CodeLine = std::function<Cause(uint32_t address, uint8_t* bytes)>;

// What the window leads to: 64 KiB, wherever the window points.
class Global {
 public:
  Environment::WindowResult access(const Environment::WindowAccess& access);
  void fill(verif::Random& random);
  bool operator==(const Global&) const = default;

 private:
  std::array<uint8_t, 0x10000> bytes_{};
};

class CoreBench final : private verif::Agent, private Environment, private iss::cpe::CodeSource {
 public:
  static constexpr uint8_t kId = 0x5b;
  static constexpr uint32_t kConfig = 0x0408'2a55;
  static constexpr uint32_t kLaunchMask = 0xdead'0123;
  static constexpr uint16_t kArgumentSegment = 0xbeef;

  explicit CoreBench(uint64_t seed);

  verif::Random& random() { return bench_.random(); }
  uint64_t instructions() const { return instructions_; }

  // Everything answers at once, and the clock always runs.
  void calm();
  // How often, in thousandths of the cycles: cached code is invalidated; waiting commands find their code
  // patched.
  void disturb(unsigned invalidate, std::function<void(uint32_t pc)> patch) {
    invalidate_ = invalidate;
    patch_ = std::move(patch);
  }
  // The unit's answer to a command; how many cycles it waits.
  std::function<Answer(const Command&)> answer;
  std::function<uint64_t(const Command&)> delay;
  // Whether a line that is asked for ahead is at hand.
  std::function<bool(uint32_t address)> here;

  // A reset, and the first instruction at pc. The model starts with the registers that the core has, as far
  // as they are known.
  void restart(uint32_t pc, CodeLine code);
  void step() { bench_.step(); }
  void steps(uint64_t count) { bench_.steps(count); }
  // Runs to the fault, which both must see, and compares all memory.
  Fault run_to_fault(uint64_t limit = 2'000'000);
  bool faulted() const { return faulted_; }
  // Asks it to halt, waits until it has, and compares all memory.
  void halt();
  // Forgets what has not been compared: for a reset out of the blue.
  void resynchronise();

  uint32_t read_counter(unsigned number);  // at the port
  iss::cpe::Hart& hart() { return hart_; }
  std::vector<uint8_t>& local() { return ldm_core_; }
  Vtb_cpe_core& top() { return bench_.top(); }
  uint64_t cycle() const { return bench_.cycle(); }
  uint64_t slept() const { return slept_; }
  uint64_t retired_at() const { return retired_at_; }  // cycle in which the last instruction was seen
  // Lines that were waited for, and lines asked for ahead.
  uint64_t fetches() const { return fetches_; }
  uint64_t asked_ahead() const { return asked_ahead_; }

 private:
  // Agent.
  void drive() override;
  void sample() override;
  void drive_code();
  void drive_window();
  void drive_unit();
  void sample_retirement();
  void check_laws();
  void count();
  void check_counters();
  void compare_memory();
  [[noreturn]] void fail(const std::string& what);
  Command command();

  // Environment and CodeSource of the model.
  WindowResult window(const WindowAccess& access) override { return global_model_.access(access); }
  Answer issue(const Command& command) override;
  uint32_t counter(unsigned number, bool high) override;
  Cause fetch(uint32_t address, uint8_t* line) override { return code_line_(address, line); }

  verif::Bench<Vtb_cpe_core> bench_;
  verif::Stalls ldm_stalls_, code_stalls_, window_stalls_, unit_stalls_;
  CodeLine code_line_;
  iss::cpe::Code code_;
  std::vector<uint8_t> ldm_core_, ldm_model_;
  Global global_core_, global_model_;
  iss::cpe::Hart hart_;

  bool calm_ = false;
  unsigned invalidate_ = 0;
  std::function<void(uint32_t)> patch_;

  bool running_ = false;  // the clock in this cycle
  bool fresh_ = false;    // ... in the last one: there may be a record
  bool ldm_read_ = false;
  uint32_t ldm_data_ = 0;
  bool code_asked_ = false;
  uint64_t fetches_ = 0;
  uint64_t asked_ahead_ = 0;
  Cause code_cause_ = Cause::kNone;
  std::array<uint8_t, 64> code_bytes_{};
  WindowResult window_result_;
  bool window_asked_ = false;
  bool unit_asked_ = false;
  uint64_t unit_wait_ = 0;
  Answer unit_answer_;
  struct Done {
    Command command;
    Answer answer;
  };
  std::deque<Done> done_;
  bool faulted_ = false;

  // What was offered in the last cycle and not taken, and so must stand still.
  struct Offer {
    bool fetch = false, local = false, window = false, unit = false;
    uint32_t line = 0;
    std::array<uint32_t, 4> local_payload{};
    std::array<uint64_t, 4> window_payload{};
    Command command;
  };
  Offer offer_;

  // What the counters should be.
  uint64_t clocks_ = 0;  // since reset
  std::array<uint64_t, 11> counts_{};
  uint64_t instructions_ = 0;
  uint64_t slept_ = 0;
  uint64_t retired_at_ = 0;
};

}  // namespace swai::cpe
