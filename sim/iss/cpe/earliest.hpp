// Which of up to 32 comes first: their times in a tree of pairs, so that a new time costs five comparisons.
// Of those with the same time it is the one with the lowest number.
#pragma once

#include <array>
#include <cstdint>

namespace swai::iss::cpe {

class Earliest {
 public:
  static constexpr unsigned kMany = 32;

  Earliest() {
    times_.fill(~uint64_t{0});
    for (unsigned node = kMany - 1; node != 0; --node) first_[node] = static_cast<uint8_t>(winner(2 * node));
  }

  void set(unsigned number, uint64_t time) {
    times_[number] = time;
    for (unsigned node = (kMany + number) / 2; node != 0; node /= 2) {
      const unsigned left = winner(2 * node);
      const unsigned right = winner(2 * node + 1);
      first_[node] = static_cast<uint8_t>(times_[right] < times_[left] ? right : left);
    }
  }
  unsigned first() const { return first_[1]; }

 private:
  unsigned winner(unsigned node) const { return node < kMany ? first_[node] : node - kMany; }

  std::array<uint64_t, kMany> times_;
  std::array<uint8_t, kMany> first_{};  // by node of the tree, whose root is 1
};

}  // namespace swai::iss::cpe
