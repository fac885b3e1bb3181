// SPDX-License-Identifier: Apache-2.0
// What a launch leaves behind: the done word that a core group pushes, and the fault records of its CPEs,
// with the texts that everybody prints for them. The registers are in card_regs.hpp (device `cg`).
#pragma once

#include <cstdint>

#include "card_regs.hpp"
#include "cpe_isa.hpp"

namespace swai::launch {

inline constexpr unsigned kMaxGroups = 4;
inline constexpr unsigned kMaxCpes = 32;
// Launches that can wait in a group.
inline constexpr unsigned kQueue = 8;

// Scalar addresses of a CPE.
inline constexpr uint32_t kArgumentWindow = uint32_t{cpe::isa::space::kArguments} << 28;
inline constexpr uint32_t kDataWindow = uint32_t{cpe::isa::space::kWindow} << 28;

// The word that a group stores in the processor's inbox when a launch has ended. Launches of a group count
// from 1.
struct Done {
  uint32_t sequence;
  bool failed;
  bool watchdog;
  uint32_t cycles;  // that it ran; sticks at the largest value
};
constexpr Done decode_done(uint64_t word) {
  namespace w = cpe::isa::done_word;
  return {static_cast<uint32_t>(w::kLaunch.get(word)), w::kFailed.get(word) != 0, w::kWatchdog.get(word) != 0,
          static_cast<uint32_t>(w::kCycles.get(word))};
}
constexpr uint64_t encode_done(const Done& done) {
  namespace w = cpe::isa::done_word;
  return w::kLaunch.put(done.sequence) | w::kFailed.put(done.failed) | w::kWatchdog.put(done.watchdog) |
         w::kCycles.put(done.cycles);
}

// Why a CPE stopped.
using cpe::isa::Cause;

constexpr const char* text(Cause cause) {
  switch (cause) {
    case Cause::kNone:
      return "no fault";
    case Cause::kIllegal:
      return "illegal instruction";
    case Cause::kBreakpoint:
      return "breakpoint";
    case Cause::kMisaligned:
      return "misaligned access";
    case Cause::kVacant:
      return "address that names nothing";
    case Cause::kCommand:
      return "bad command to a unit";
    case Cause::kNoSegment:
      return "no such segment";
    case Cause::kLimit:
      return "beyond the end of the segment";
    case Cause::kPermission:
      return "segment does not permit the access";
    case Cause::kOwner:
      return "segment of another context";
    case Cause::kBus:
      return "memory refused the access";
    case Cause::kPoison:
      return "damaged memory";
    case Cause::kWatchdog:
      return "stopped by the watchdog";
    case Cause::kKilled:
      return "stopped by request";
    case Cause::kStuck:
      return "no core of the launch could go on";
  }
  return "unknown cause";
}

using cpe::isa::Access;

constexpr const char* text(Access access) {
  switch (access) {
    case Access::kNone:
      return "none";
    case Access::kFetch:
      return "fetch";
    case Access::kRead:
      return "read";
    case Access::kWrite:
      return "write";
  }
  return "unknown access";
}

// A fault record, from its two registers.
struct Fault {
  Cause cause;
  Access access;
  bool dma;  // by the DMA engine; pc is that of the instruction that began the transfer
  uint32_t pc;
  uint16_t segment;  // segment::kNone: `offset` is a scalar address, or 0
  uint64_t offset;
};
constexpr Fault decode_fault(uint64_t record0, uint64_t record1) {
  namespace r0 = regs::cg::fault_record0;
  namespace r1 = regs::cg::fault_record1;
  return {static_cast<Cause>(r0::kCause.get(record0)),
          static_cast<Access>(r0::kAccess.get(record0)),
          r0::kDma.get(record0) != 0,
          static_cast<uint32_t>(r0::kPc.get(record0)),
          static_cast<uint16_t>(r1::kSegment.get(record1)),
          r1::kLocation.get(record1)};
}

}  // namespace swai::launch
