// SPDX-License-Identifier: Apache-2.0
// Things that go wrong on purpose, by count or by seed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/common/random.hpp"

namespace swai::rootport {

enum class Fault : uint8_t {
  kDropCompletion,    // a completion to the card is lost: the card's timeout
  kPoisonCompletion,  // its data is marked as damaged
  kUnsupportedRead,   // a read of the card is answered with "unsupported request"
  kAbortRead,         // with "completer abort"
  kPoisonWrite,       // an MMIO write is marked as damaged
  kDropAnswer,        // a completion from the card is lost: the host's timeout
};
inline constexpr size_t kFaults = 6;
const char* text(Fault fault);

class FaultKnobs {
 public:
  // Lets `skip` candidates pass, then hits the next `count`.
  void count(Fault fault, uint64_t skip, uint64_t count = 1);
  // Hits each candidate with this probability.
  void chance(Fault fault, uint32_t per_million, uint64_t seed);
  void clear();
  uint64_t hits(Fault fault) const { return knobs_[static_cast<size_t>(fault)].hits; }

  // Is the next candidate hit?
  bool next(Fault fault) { return armed_ && ask(knobs_[static_cast<size_t>(fault)]); }

 private:
  struct Knob {
    uint64_t skip = 0;
    uint64_t count = 0;
    uint32_t per_million = 0;
    std::optional<verif::Random> random;
    uint64_t hits = 0;
  };
  static bool ask(Knob& knob);

  bool armed_ = false;
  std::array<Knob, kFaults> knobs_;
};

}  // namespace swai::rootport
