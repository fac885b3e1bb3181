// SPDX-License-Identifier: Apache-2.0
// What an HBM should answer: requests take effect one after the other, in the order in which they are taken.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "sim/group/noc_port.hpp"

namespace swai::cg {

struct Expected {
  Status status = Status::kOk;
  bool compare = false;  // the bytes of the request's block count
  Line data{};
};

class HbmModel {
 public:
  explicit HbmModel(uint64_t bytes) : bytes_(bytes) {}

  Expected access(const Request& request);

  void poison(uint64_t line) { poisoned_.insert(line); }
  const std::unordered_map<uint64_t, Line>& lines() const { return lines_; }
  bool poisoned(uint64_t line) const { return poisoned_.contains(line); }
  uint64_t sc_successes() const { return sc_successes_; }
  uint64_t sc_failures() const { return sc_failures_; }
  uint64_t atomics() const { return atomics_; }
  uint64_t poisoned_reads() const { return poisoned_reads_; }

 private:
  void write(uint64_t line, const Line& data, uint64_t strobe);

  uint64_t bytes_;
  std::unordered_map<uint64_t, Line> lines_;
  std::unordered_set<uint64_t> poisoned_;
  std::array<std::optional<uint64_t>, 8> reserved_;
  uint64_t sc_successes_ = 0;
  uint64_t sc_failures_ = 0;
  uint64_t atomics_ = 0;
  uint64_t poisoned_reads_ = 0;
};

}  // namespace swai::cg
