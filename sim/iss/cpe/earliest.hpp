// SPDX-License-Identifier: Apache-2.0
// Which of up to 32 comes first: a tree of their times, in which a new one costs five comparisons. Of those
// with the same time it is the one with the lowest number.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace swai::iss::cpe {

class Earliest {
 public:
  static constexpr unsigned kMany = 32;

  // The largest number, and any time beyond 2^59, is never.
  explicit Earliest(const std::array<uint64_t, kMany>& times) {
    for (unsigned number = 0; number < kMany; ++number) nodes_[kMany + number] = key(number, times[number]);
    for (unsigned node = kMany - 1; node != 0; --node) decide(node);
  }

  // The least so far goes up in a register, so it waits for nothing that was just stored.
  void set(unsigned number, uint64_t time) {
    uint64_t least = key(number, time);
    for (unsigned node = kMany + number; node != 0; node /= 2) {
      nodes_[node] = least;
      least = std::min(least, nodes_[node ^ 1]);
    }
  }
  unsigned first() const { return nodes_[1] % kMany; }
  uint64_t time() const { return nodes_[1] / kMany; }

 private:
  static uint64_t key(unsigned number, uint64_t time) {
    return std::min(time, ~uint64_t{0} / kMany) * kMany + number;
  }
  void decide(unsigned node) { nodes_[node] = std::min(nodes_[2 * node], nodes_[2 * node + 1]); }

  std::array<uint64_t, 2 * kMany> nodes_{};  // the root is 1, the leaves come last: time, then number
};

}  // namespace swai::iss::cpe
