// SPDX-License-Identifier: Apache-2.0
// The DMA engine between a core that issues commands, its local memory, and a group that answers when it
// likes. Requests are compared with the model's pieces, one by one.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "Vtb_dma.h"
#include "sim/common/field.hpp"
#include "sim/common/random.hpp"
#include "verif/rtl/cpe/dma/dma_model.hpp"
#include "verif/rtl/lib/bench.hpp"

namespace swai::cpe {

enum Cause : uint8_t { kNoCause = 0, kCauseNoSegment = 8, kCauseLimit = 9, kCausePoison = 13 };

struct FaultRecord {
  uint8_t cause = 0;
  uint8_t access = 0;
  bool dma = true;
  uint32_t pc = 0;
  uint16_t segment = 0;
  uint64_t offset = 0;

  bool operator==(const FaultRecord&) const = default;
};

class DmaBench : public verif::Bench<Vtb_dma>, private verif::Agent {
 public:
  explicit DmaBench(uint64_t seed);

  // The core's next command; nothing means not now.
  std::function<std::optional<Command>()> next = [] { return std::nullopt; };
  // A command was taken; tells its result.
  std::function<void(const Command&, const DmaModel::Answer&, uint32_t rdata)> on_taken =
      [](const Command&, const DmaModel::Answer&, uint32_t) {};

  void halt(bool halted) { top().halt_i = halted; }
  // In the coming cycle, in which there is no command and no transfer.
  void end_launch();
  // After a reset: what was under way is given up.
  void restart();
  // The local memory against what its line port was told; nothing may be under way.
  void compare_ldm();
  // A command that the core gives up, as when it is halted.
  void abandon() { command_.reset(); }
  bool issuing() const { return command_.has_value(); }

  bool outstanding() const { return !open_.empty() || offered_; }
  bool all_answered() const { return open_.empty() && model.pieces.empty() && !offered_; }
  bool failed() const { return fault_.has_value(); }
  // The record that the engine must show, once it has stopped.
  FaultRecord expected_fault() const;
  // The next piece is one that must not be requested at all.
  bool leaves_offsets() const { return !model.pieces.empty() && model.pieces.front().outside; }

  Memories actual;
  DmaModel model;
  unsigned fail_percent = 0;  // of answers
  uint64_t latency = 0;       // of all answers, in order; 0: random, in any order
  bool prompt = false;        // nobody stalls
  uint64_t requests = 0, loaded = 0, stored = 0, answers = 0;
  uint64_t background_cycles = 0;  // with background transfers only

 private:
  struct Open {
    Piece piece;
    uint8_t tag = 0;
    uint64_t number = 0;  // of the request
    uint64_t since = 0;
    uint8_t cause = 0;
    std::array<uint8_t, 64> data{};
  };
  struct Failed {
    uint64_t number = 0;
    FaultRecord record;
  };

  void drive() override;
  void sample() override;
  void drive_answer();
  void fill_ldm();
  void sample_issue();
  void sample_foreground();
  void sample_memory();
  void sample_request();
  void sample_answer();
  // From here on nothing needs to be complete any more.
  bool stopping() const { return failed() || leaves_offsets(); }
  uint64_t some_time_ago() const;
  bool is_complete(uint32_t ticket, uint64_t since) const;
  static FaultRecord record_of(const Piece& piece, uint8_t cause);

  verif::Stalls issue_stalls_, ready_stalls_, answer_stalls_, line_stalls_;
  std::optional<Command> command_;
  bool ends_ = false;
  std::vector<Open> open_;
  std::optional<size_t> answering_;
  std::optional<Failed> fault_;
  std::vector<uint32_t> failed_tickets_;
  std::deque<uint32_t> foreground_;  // tickets of that class that may not be complete
  bool offered_ = false;
  bool was_halted_ = false;
  std::array<uint8_t, 75> offer_{};
  std::array<bool, 2> reading_{};  // the other ports of the local memory
  // Of the last cycles: ticket, and the cycle of its last answer. Transfers complete in order, a cycle each,
  // so an answer counts for later tickets, too.
  std::deque<std::pair<uint32_t, uint64_t>> last_answers_;
  std::optional<uint32_t> told_;  // the highest ticket that the engine has said is complete
};

}  // namespace swai::cpe
