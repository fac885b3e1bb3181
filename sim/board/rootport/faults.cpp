// SPDX-License-Identifier: Apache-2.0
#include "sim/board/rootport/faults.hpp"

namespace swai::rootport {

const char* text(Fault fault) {
  static constexpr const char* kTexts[] = {"drop-completion", "poison-completion", "unsupported-read",
                                           "abort-read",      "poison-write",      "drop-answer"};
  return kTexts[static_cast<size_t>(fault)];
}

void FaultKnobs::count(Fault fault, uint64_t skip, uint64_t count) {
  Knob& knob = knobs_[static_cast<size_t>(fault)];
  knob.skip = skip;
  knob.count = count;
  armed_ = true;
}

void FaultKnobs::chance(Fault fault, uint32_t per_million, uint64_t seed) {
  Knob& knob = knobs_[static_cast<size_t>(fault)];
  knob.per_million = per_million;
  knob.random.emplace(seed);
  armed_ = true;
}

void FaultKnobs::clear() {
  knobs_ = {};
  armed_ = false;
}

bool FaultKnobs::ask(Knob& knob) {
  bool hit = knob.random && knob.random->below(1'000'000) < knob.per_million;
  if (knob.skip != 0) {
    --knob.skip;
  } else if (knob.count != 0) {
    --knob.count;
    hit = true;
  }
  knob.hits += hit;
  return hit;
}

}  // namespace swai::rootport
