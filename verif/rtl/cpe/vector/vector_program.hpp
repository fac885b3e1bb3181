// SPDX-License-Identifier: Apache-2.0
// Random commands for the vector unit whose outcome does not depend on how far runs overlap.
//
// Local memory has areas. Runs read one and write another; those that go the other way round do not overlap
// with what was before. Reductions have an area of their own, because they may be written after the results
// of later runs.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "sim/common/random.hpp"
#include "sim/iss/cpe/fault.hpp"

namespace swai::cpe {

class VectorProgram {
 public:
  struct Options {
    unsigned bad_percent = 5;      // of commands that the unit refuses
    unsigned overrun_percent = 0;  // of runs that leave local memory
    unsigned wait_percent = 15;    // waits and polls after a run
    uint32_t groups = 60;          // at most, of a run
  };

  VectorProgram(verif::Random& random, const Options& options) : random_(random), options_(options) {}

  iss::cpe::Command next();
  // The last run left local memory: there is no use in more.
  bool over() const { return over_ && queue_.empty(); }
  uint32_t runs() const { return runs_; }

 private:
  struct Area {
    uint32_t begin, end;
  };
  // An operand or the results: what it takes of an area.
  struct Place {
    uint32_t at = 0;
    int32_t stride = 0;
    uint32_t number = 0;
  };

  void plan_run();
  void plan_bad();
  void push(uint8_t op, uint32_t rs1, uint32_t rs2);
  Place place(const Area& area, bool scalar, uint32_t elements, uint32_t rows);
  Place overrun(bool scalar, bool below);
  static uint32_t how(uint32_t kind, const Place& place, uint32_t modifiers);

  verif::Random& random_;
  Options options_;
  std::deque<iss::cpe::Command> queue_;
  bool backwards_ = false;  // reads what was written, writes what was read
  bool over_ = false;
  uint32_t runs_ = 0;
  uint32_t pc_ = 0x5000'0000;
};

// An fp32 as tests need them: all sorts of bits, numbers near 1, special ones.
uint32_t random_fp32(verif::Random& random);

}  // namespace swai::cpe
