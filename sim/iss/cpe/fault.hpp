// What stops a CPE, and what crosses the border of its scalar core: the types of rtl/cpe/cpe_pkg.sv.
#pragma once

#include <cstdint>

namespace swai::iss::cpe {

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

enum class Access : uint8_t { kNone = 0, kFetch = 1, kRead = 2, kWrite = 3 };

// Instead of a segment: `offset` is a scalar address, or nothing.
inline constexpr uint16_t kNoSegment = 0xffff;

struct Fault {
  Cause cause = Cause::kNone;
  Access access = Access::kNone;
  bool dma = false;
  uint32_t pc = 0;
  uint16_t segment = kNoSegment;
  uint64_t offset = 0;

  bool operator==(const Fault&) const = default;
};

// Upper four bits of a scalar address.
namespace space {
inline constexpr uint32_t kLdm = 0x1;
inline constexpr uint32_t kDaemon = 0x4;
inline constexpr uint32_t kKernel = 0x5;
inline constexpr uint32_t kWindow = 0x8;
inline constexpr uint32_t kArguments = 0xc;
}  // namespace space

inline constexpr uint32_t kLdmBase = 0x1000'0000;
inline constexpr uint32_t kLdmBytes = 128 * 1024;

// A custom instruction on its way to a unit.
struct Command {
  uint8_t unit = 0;  // {custom-1, funct3}
  uint8_t op = 0;    // funct7
  uint32_t rs1 = 0;
  uint32_t rs2 = 0;
  uint32_t pc = 0;

  bool operator==(const Command&) const = default;
};

}  // namespace swai::iss::cpe
