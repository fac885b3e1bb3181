// SPDX-License-Identifier: Apache-2.0
// The Verilated card with its clock and, in the builds that have them, waves and coverage.
//
// Beside what swai::VerilatedRun offers to testbenches it hands a command line to the model (the boot ROM's
// file) and can write waves for a part of the run.
#pragma once

#include <verilated.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "Vcard_top.h"

#ifdef WAVE
#include <verilated_fst_c.h>
#endif

namespace swai::card {

// The clocks that go into a waveform.
struct WaveWindow {
  std::string path;  // empty: none
  uint64_t from = 0;
  uint64_t to = UINT64_MAX;
  std::string
      trigger;  // of events.hpp; not empty: the first such event from clock `from` on begins the window,
  uint64_t length = 1000;  // which has so many clocks
};

class Model {
 public:
  // Registers and memories that reset leaves open start with contents chosen by `seed`, or zero without one.
  // Throws std::runtime_error when waves are asked for and this build has none.
  Model(std::optional<uint64_t> seed, const std::string& rom, WaveWindow waves);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // By which what is part of the model is known.
  const VerilatedContext& context() const { return context_; }
  Vcard_top& top() { return *top_; }
  const Vcard_top& top() const { return *top_; }

  // One clock. Inputs set before it are taken by the rising edge; outputs read after it follow from that
  // edge.
  void tick() {
    eval(1);
    eval(0);
    ++ticks_;
  }

  // The trigger has come: the window of waves opens with what this clock does, unless it is too early.
  bool open_window() {
    if (ticks_ < waves_.from) return false;
    waves_.from = ticks_;
    waves_.to = std::min(waves_.to, ticks_ + waves_.length - 1);
    waves_.trigger.clear();
    return true;
  }

 private:
  void eval(uint8_t clock) {
    top_->clk_i = clock;
    top_->eval();
#ifdef WAVE
    dump();
#endif
  }
  void dump();

  VerilatedContext context_;
  std::unique_ptr<Vcard_top> top_;
  WaveWindow waves_;
  uint64_t ticks_ = 0;
#ifdef WAVE
  std::unique_ptr<VerilatedFstC> file_;
#endif
};

}  // namespace swai::card
