// SPDX-License-Identifier: Apache-2.0
// What a core (CPE) does in a launch, as traces tell it: arguments of the core's slice, numbers of cycles and
// of work.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace swai::activity {

// The scalar core: it runs, or waits with a command for a barrier, the others of a channel, an engine; at the
// launch's end for all engines.
enum State : unsigned {
  kRuns,
  kBarrier,
  kDma,
  kRow,
  kColumn,
  kSystolic,
  kVector,
  kLast,
  kStopped,
};
inline constexpr std::array kStateNames = {
    "runs",           "barrier",       "DMA",         "row channel",
    "column channel", "systolic unit", "vector unit", "engines at its end",
    "stopped"};
inline constexpr unsigned kStates = kStateNames.size();

enum Engine : unsigned { kDmaEngine, kRowChannel, kColumnChannel, kSystolicUnit, kVectorUnit };
inline constexpr std::array kEngineNames = {"DMA", "row channel", "column channel", "systolic unit",
                                            "vector unit"};
inline constexpr unsigned kEngines = kEngineNames.size();

// Counters of the hardware (docs/hardware/cpe-core.md), modulo 2^32.
enum Count : unsigned {
  kInstructions,
  kCodeWaits,
  kLocalMemoryWaits,
  kWindowWaits,
  kDivisionWaits,
  kRows,
  kWeightWaits,
  kActivationWaits,
  kDrainWaits,
  kGroups,
  kOperandWaits,
  kRoomWaits,
  kLines,
  kRowWords,
  kColumnWords,
};
inline constexpr std::array kCountNames = {"instructions",
                                           "waits for code",
                                           "waits for local memory",
                                           "waits for the window",
                                           "waits for divisions",
                                           "systolic rows",
                                           "systolic waits for weights",
                                           "systolic waits for activations",
                                           "systolic waits for the drain",
                                           "vector groups",
                                           "vector waits for operands",
                                           "vector waits for room",
                                           "lines",
                                           "row words",
                                           "column words"};
inline constexpr unsigned kCounts = kCountNames.size();

// Arguments that count cycles.
inline std::string in_state(unsigned state) { return std::string("core: ") + kStateNames.at(state); }
inline std::string busy(unsigned engine) { return std::string(kEngineNames.at(engine)) + ": busy"; }
inline std::string idle(unsigned engine, unsigned state) {
  return std::string(kEngineNames.at(engine)) + " idle, " + in_state(state);
}

}  // namespace swai::activity
