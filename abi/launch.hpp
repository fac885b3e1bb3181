// What a launch leaves behind: the done word that a core group pushes, and the fault records of its CPEs,
// with the texts that everybody prints for them. The registers are in card_regs.hpp (device `cg`).
#pragma once

#include <cstdint>

#include "card_regs.hpp"

namespace swai::launch {

inline constexpr unsigned kMaxGroups = 4;
inline constexpr unsigned kMaxCpes = 32;
// Launches that can wait in a group.
inline constexpr unsigned kQueue = 8;

// Scalar addresses of a CPE, by their upper four bits.
inline constexpr uint32_t kArgumentWindow = 0xc000'0000;
inline constexpr uint32_t kDataWindow = 0x8000'0000;

// The word that a group stores in the processor's inbox when a launch has ended. Launches of a group count
// from 1.
struct Done {
  uint32_t sequence;
  bool failed;
  bool watchdog;
  uint32_t cycles;  // that it ran; sticks at the largest value
};
constexpr Done decode_done(uint64_t word) {
  return {static_cast<uint32_t>(word), (word >> 32 & 1) != 0, (word >> 33 & 1) != 0,
          static_cast<uint32_t>(word >> 34)};
}
constexpr uint64_t encode_done(const Done& done) {
  return done.sequence | uint64_t{done.failed} << 32 | uint64_t{done.watchdog} << 33 |
         uint64_t{done.cycles} << 34;
}

// Why a CPE stopped.
enum class Cause : uint8_t {
  kNone = 0,
  kIllegal = 1,
  kBreakpoint = 2,
  kMisaligned = 3,
  kVacant = 4,
  kCommand = 5,
  kNoSegment = 8,
  kLimit = 9,
  kPermission = 10,
  kOwner = 11,
  kBus = 12,
  kPoison = 13,
  kWatchdog = 16,
  kKilled = 17,
};

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
  }
  return "unknown cause";
}

enum class Access : uint8_t { kNone = 0, kFetch = 1, kRead = 2, kWrite = 3 };

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
