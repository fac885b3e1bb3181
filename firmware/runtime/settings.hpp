// SPDX-License-Identifier: Apache-2.0
// What the launches of a group have in common: that is written when it changes, and asked for afterwards.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace swai::runtime {

// A launch as a queue gives it.
struct Launch {
  uint32_t settings = 0;  // launches with the same number differ in nothing but the argument; 0: no number
  uint32_t pc = 0;
  uint32_t mask = 0;
  uint32_t watchdog = 0;
  uint16_t code_segment = 0;
  uint16_t argument_segment = 0;
  uint8_t owner = 0;
};

// Launches have numbers, which count modulo 2^32.
inline bool is_before(uint32_t number, uint32_t other) { return static_cast<int32_t>(number - other) < 0; }

struct Setting {
  Launch launch = {};
  uint32_t since = 0;  // number of the first launch that had it
};

class Settings {
 public:
  static constexpr uint32_t kKept = 16;

  void add(const Launch& launch, uint32_t since) { kept_[changes_++ % kKept] = {launch, since}; }
  const Setting& newest() const { return kept_[(changes_ - 1) % kKept]; }
  // A launch had the settings that were made last before it. `see` is called with these and then with earlier
  // ones, and the number of the last launch that had them, until it returns true.
  template <typename See>
  void look_back(uint32_t number, See see) const {
    for (uint32_t i = 1; i <= std::min(changes_, kKept); ++i) {
      const Setting& one = kept_[(changes_ - i) % kKept];
      if (is_before(number, one.since)) continue;
      if (see(one, number)) return;
      number = one.since - 1;
    }
  }
  // To be called at least once in kOld launches, with the last one that has ended: what began long ago must
  // not look as if it began later.
  static constexpr uint32_t kOld = uint32_t{1} << 30;
  [[gnu::cold, gnu::noinline]] void renew(uint32_t ended) {
    Setting& one = kept_[(changes_ - 1) % kKept];
    if (!is_before(ended, one.since) && ended - one.since > kOld) one.since = ended - kKept;
  }

 private:
  std::array<Setting, kKept> kept_ = {};
  uint32_t changes_ = 0;
};

}  // namespace swai::runtime
