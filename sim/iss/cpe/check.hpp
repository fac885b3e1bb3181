// SPDX-License-Identifier: Apache-2.0
// Looks over a CPE's shoulder for what the model forgives and hardware does not: the model does all work at
// once, hardware does it some time until it is waited for. docs/simulate/cpe-run.md says what is found.
//
// A command is under way from when its unit takes it until the core has waited for it, has seen by a poll
// that it is complete, or so many commands follow that the unit must have completed it. What such a command
// writes nobody else may touch; what it reads nobody else may write; but for what a unit puts in order by
// itself (docs/hardware/cpe-memory.md, systolic.md, vector.md, channels.md).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sim/iss/cpe/footprint.hpp"
#include "sim/iss/cpe/hart.hpp"
#include "sim/iss/cpe/memory.hpp"

namespace swai::iss::cpe {

// A mistake of a kernel. It depends on luck what hardware makes of it.
struct Finding {
  enum Kind : uint8_t {
    kTooEarly,     // reads what a command that is under way writes
    kOverwrites,   // writes what it reads
    kTwoWriters,   // writes what it writes
    kOwnOperands,  // one run writes what it reads
    kNotCleaned,   // reads what a cache of the management processor holds
  };
  // What does something with local memory: an instruction of the core, or a command.
  struct Party {
    bool is_core = false;
    uint8_t unit = 0;
    uint8_t op = 0;
    uint32_t ticket = 0;  // of a command
    uint32_t pc = 0;
  };

  Kind kind = kTooEarly;
  Party late;          // found at it
  Party early;         // the command that is under way; of kNotCleaned there is none
  Span bytes;          // of local memory, counted from its start: the first that are in question
  Memory::Dirty line;  // of kNotCleaned
  uint32_t cpes = 0;
  uint64_t times = 0;

  // The same mistake, whoever made it whenever.
  bool is_like(const Finding& other) const;
};

// Joins those that are alike.
void add_finding(std::vector<Finding>& findings, const Finding& finding);

class Check {
 public:
  // Commands that come to their end in the order in which they were issued.
  enum Line : uint8_t {
    kDma,
    kSystolic,
    kVector,
    kRowSends,
    kRowReceives,
    kColumnSends,
    kColumnReceives,
    kLines
  };

  explicit Check(unsigned cpe) : cpe_(cpe) {}

  // Nothing is under way any more: a launch ended, the CPE was reset.
  void forget();
  // Only commands can be mistakes now.
  bool idle() const { return under_way_ == 0; }
  // An instruction of the core has read or written there.
  void accessed(uint32_t pc, const Hart::MemoryAccess& access);
  // A unit has taken a command, with this answer.
  void taken(const Command& command, uint32_t answer, Footprint uses);
  // Somebody has read this line.
  void read(const Finding::Party& reader, const Memory::Dirty& line);

  std::vector<Finding> take_findings();

 private:
  struct UnderWay {
    Finding::Party party;
    Footprint uses;
    bool overlaps = false;  // a run of the vector unit that need not wait for those before it
  };

  void begin(Line line, UnderWay command);
  void complete(Line line, uint32_t ticket);
  void look_at(Line line, const UnderWay& late);
  void compare(const UnderWay& early, const UnderWay& late, bool in_order);
  void found(Finding::Kind kind, const Finding::Party& late, const Finding::Party& early, Span bytes);

  unsigned cpe_;
  std::array<std::deque<UnderWay>, kLines> lines_;
  size_t under_way_ = 0;
  std::vector<Finding> findings_;
};

}  // namespace swai::iss::cpe
