// SPDX-License-Identifier: Apache-2.0
// Watches the commands to an HBM and checks every timing that docs/hardware/hbm.md states. It knows the rules
// from there, and nothing of how the controller keeps them.
#pragma once

#include <array>
#include <cstdint>

#include "sim/common/field.hpp"

namespace swai::cg {

// hbm_pkg::cmd_t
struct HbmCommands {
  bool sleep = false;
  bool wake = false;
  bool act = false;
  bool refresh = false;
  unsigned row_channel = 0;
  unsigned row_bank = 0;
  unsigned row = 0;
  bool pre = false;
  unsigned pre_bank = 0;
  bool col = false;
  bool write = false;
  unsigned col_channel = 0;
  unsigned col_bank = 0;
  unsigned col_col = 0;
};

void load(const verif::Field& field, HbmCommands& commands);

// Where a line lies.
struct HbmPlace {
  unsigned channel = 0;
  unsigned bank = 0;
  unsigned row = 0;
  unsigned col = 0;
};
HbmPlace place_of(uint64_t line);
uint64_t line_of(const HbmPlace& place);

class HbmTiming {
 public:
  // Commands of one cycle. Throws CheckFailed.
  void step(const HbmCommands& commands);

  // At the end: no bank has had too few refreshes.
  void finish() const;

  uint64_t reads() const { return reads_; }
  uint64_t writes() const { return writes_; }
  uint64_t activations() const { return activations_; }
  uint64_t refreshes() const { return refreshes_; }
  uint64_t sleeps() const { return sleeps_; }
  uint64_t longest_without_refresh() const { return longest_; }

  static constexpr int64_t kTRefi = 3900;
  static constexpr int64_t kLongest = 10'500;  // between two refreshes of a bank

 private:
  static constexpr int64_t kNever = -1'000'000;

  struct Bank {
    bool open = false;
    int64_t act = kNever;
    int64_t pre = kNever;
    int64_t read = kNever;
    int64_t write = kNever;
    int64_t refresh = kNever;
    int64_t fresh = 0;  // since the last refresh, or the end of self-refresh
    int64_t refreshes = 0;
  };
  struct Channel {
    std::array<Bank, 16> banks;
    int64_t row_command = kNever;
    int64_t read = kNever;
    int64_t write = kNever;
  };

  void sleep();
  void wake();
  void row_command(const HbmCommands& commands);
  void precharge(const HbmCommands& commands);
  void column(const HbmCommands& commands);

  std::array<Channel, 4> channels_;
  int64_t now_ = 0;
  int64_t longest_ = 0;
  bool asleep_ = false;
  int64_t asleep_since_ = 0;
  int64_t awake_since_ = kNever;
  int64_t slept_ = 0;
  uint64_t sleeps_ = 0;
  uint64_t reads_ = 0;
  uint64_t writes_ = 0;
  uint64_t activations_ = 0;
  uint64_t refreshes_ = 0;
};

}  // namespace swai::cg
