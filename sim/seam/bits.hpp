// SPDX-License-Identifier: Apache-2.0
// The bits of the words that a CPE's model takes and gives in every cycle: cpe_tile_pkg::in_t and out_t,
// lowest first.
#pragma once

#include <cstdint>

namespace swai::array {

// Bits of cpe_tile_pkg::in_t.
enum In : unsigned {
  kAccessValid,
  kColumnReceiveValid,
  kColumnSendReady,
  kRowReceiveValid,
  kRowSendReady,
  kInvalidate,
  kRspValid,
  kMemReady,
  kReleaseRow,
  kReleaseColumn,
  kReleaseAll,
  kLaunchValid,
  kHalt,
  kNotReset,
  kId,
  kDaemonSegment = kId + 7,
  kActivityWanted = kDaemonSegment + 16
};
constexpr unsigned kEvents = kHalt;  // those below are rare

// Bits of cpe_tile_pkg::out_t.
enum Out : unsigned {
  kAccessReady,
  kColumnSendValid,
  kRowSendValid,
  kMemValid,
  kFaultValid,
  kFetchValid,
  kArriveRow,
  kArriveColumn,
  kArriveAll,
  kFinished,
  kLaunchReady,
  kAsleep,
  kQuiet,
  kColumnReceiveOne,
  kColumnReceiveReady,
  kRowReceiveOne,
  kRowReceiveReady,
  kColumnReceiveSource,
  kRowReceiveSource = kColumnReceiveSource + 3,
  kColumnSendMask = kRowReceiveSource + 3,
  kRowSendMask = kColumnSendMask + 8,
  kDmaWorks = kRowSendMask + 8,
  kSystolicWorks,
  kVectorWorks,
  kDmaForeground
};
constexpr unsigned kOutBits = kRowReceiveReady + 1;  // of one bit each

constexpr uint64_t bits(unsigned first, unsigned count) { return ((uint64_t{1} << count) - 1) << first; }
constexpr uint64_t bit(unsigned index) { return bits(index, 1); }

}  // namespace swai::array
