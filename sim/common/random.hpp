// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine for the same seed (the distributions of <random> are
// not).
#pragma once

#include <cstdint>
#include <random>

namespace swai::verif {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  uint64_t next() { return engine_(); }
  uint64_t below(uint64_t bound) { return engine_() % bound; }
  uint64_t between(uint64_t low, uint64_t high) { return low + below(high - low + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }

  // Numbers as programs have them: small ones, powers of two and their neighbours, all sorts of widths.
  uint64_t number() {
    switch (below(4)) {
      case 0:
        return next();
      case 1:
        return (uint64_t{1} << below(64)) + below(3) - 1;
      case 2:
        return ~uint64_t{0} << below(64);
      default:
        return next() >> below(64);
    }
  }

 private:
  std::mt19937_64 engine_;
};

// Decides in each cycle whether a stream may move. The mood changes every now and then, so that a test sees
// full speed, trickles and long silence.
class Stalls {
 public:
  explicit Stalls(Random& random) : random_(random) {}

  // From now on never stalls.
  void never() { never_ = true; }

  bool go() {
    if (never_) return true;
    if (left_ == 0) {
      static constexpr unsigned kMoods[] = {100, 100, 95, 50, 50, 10, 0};
      percent_ = kMoods[random_.below(std::size(kMoods))];
      left_ = 1 + random_.below(percent_ == 0 ? 20 : 200);
    }
    --left_;
    return random_.chance(percent_);
  }

 private:
  Random& random_;
  bool never_ = false;
  unsigned percent_ = 100;
  uint64_t left_ = 0;
};

}  // namespace swai::verif
