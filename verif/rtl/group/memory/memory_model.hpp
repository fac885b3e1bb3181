// SPDX-License-Identifier: Apache-2.0
// What the memory port of a core group should answer: segment table, memory of the card, requests in the
// order in which they are taken.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "verif/rtl/group/memory/memory_pins.hpp"

namespace swai::cg {

// The card's memory by physical address. What was never written is zero.
class CardMemory {
 public:
  Line read(uint64_t addr) const;
  void write(uint64_t addr, const Line& data, uint64_t strobe);
  void poison(uint64_t addr) { poisoned_.insert(addr / 64); }
  bool poisoned(uint64_t addr) const { return poisoned_.contains(addr / 64); }
  const std::unordered_map<uint64_t, Line>& lines() const { return lines_; }

 private:
  std::unordered_map<uint64_t, Line> lines_;
  std::unordered_set<uint64_t> poisoned_;
};

// Where the card refuses: what a target on the ring answers.
Status status_at(uint64_t addr);

// In the line of a fetch: it is asked for ahead.
inline constexpr uint32_t kAhead = 1U << 25;

// What one request should be answered.
struct Answer {
  Cause cause = Cause::kNone;
  bool compare = false;
  Line data{};  // in natural lanes
};

enum class Access { kFetch, kRead, kWrite };

class MemoryModel {
 public:
  CardMemory memory;
  Space space;
  std::vector<Segment> table;         // as the group would read it
  std::unordered_set<uint16_t> lost;  // segments whose entry is damaged

  // Translates an access of one line; `cause` says whether it is legal.
  uint64_t translate(uint16_t segment, uint64_t offset, Access access, Cause& cause) const;

  // Takes effect.
  Answer access(const MemRequest& request);

  // A line of code, by scalar address; writes nothing.
  Answer fetch(uint32_t line) const;

 private:
  Answer read(uint64_t addr) const;
};

}  // namespace swai::cg
