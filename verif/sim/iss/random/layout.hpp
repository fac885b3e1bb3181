// SPDX-License-Identifier: Apache-2.0
// Where things lie in a generated program. All mappings keep the low 21 bits of addresses, so that any alias
// of an address tells its offset in the image.
#pragma once

#include <array>
#include <cstdint>

namespace swai::random_program {

inline constexpr uint64_t kBase = 0x8000'0000;
inline constexpr uint64_t kImageLimit = 0x20'0000;  // one 2 MiB superpage maps all of it
inline constexpr uint64_t kPage = 4096;
inline constexpr uint64_t kLine = 64;

// Offsets in the image.
inline constexpr uint64_t kRuntimeOffset = 0;  // start, trap handlers, end
inline constexpr uint64_t kTohostOffset = 0x4000;
inline constexpr uint64_t kSignatureOffset = 0x5000;  // registers, CSRs, trap log
inline constexpr uint64_t kLogOffset = 0x5200;
inline constexpr uint64_t kLogEnd = 0x7000;
inline constexpr uint64_t kSignatureEnd = 0x7000;
inline constexpr uint64_t kMachineFrame = 0x7000;  // what mscratch and sscratch point to
inline constexpr uint64_t kSupervisorFrame = 0x7100;
inline constexpr uint64_t kTablesOffset = 0x8000;
inline constexpr uint64_t kConstantsOffset = 0x18000;  // never written
inline constexpr uint64_t kPoolOffset = 0x18800;       // the second half of it: what load_value() wants
inline constexpr uint64_t kPoolEntries = 256;
inline constexpr uint64_t kHandoffOffset = 0x19000;   // alternately cached and not, with flushes in between
inline constexpr uint64_t kUncachedOffset = 0x1A000;  // only through non-cacheable mappings
inline constexpr uint64_t kUncachedBytes = 0x2000;
inline constexpr uint64_t kDeviceOffset = 0x1C000;  // only through mappings of type IO
inline constexpr uint64_t kDeviceBytes = 0x1000;
inline constexpr uint64_t kStackOffset = 0x1E000;
inline constexpr uint64_t kStackBytes = 0x2000;
inline constexpr uint64_t kPlayOffset = 0x20000;  // where loads and stores play
inline constexpr uint64_t kPlayBytes = 0x20000;
inline constexpr uint64_t kCodeOffset = 0x40000;

// Page tables, in pages from kTablesOffset.
enum Table : uint8_t {
  kRoot0,
  kRoot1,
  kWindows,   // level 1: the windows below and the zoo
  kIdentity,  // level 1: superpages for the second root
  kDevices,   // level 1: timer
  kDemandS,   // level 0; entries become valid when they are touched
  kDemandU,
  kZoo0,  // level 0: strange pages
  kZoo1,
  kTableCount
};
inline constexpr uint64_t table_address(Table table) { return kBase + kTablesOffset + table * kPage; }

namespace pte {
inline constexpr uint64_t kV = 1, kR = 2, kW = 4, kX = 8, kU = 16, kG = 32, kA = 64, kD = 128;
inline constexpr uint64_t kNc = uint64_t{1} << 61;
inline constexpr uint64_t kIo = uint64_t{2} << 61;
inline constexpr uint64_t kPbmtReserved = uint64_t{3} << 61;
inline constexpr uint64_t kN = uint64_t{1} << 63;
inline constexpr uint64_t kLeaf = kV | kR | kW | kX | kA | kD;  // every permission
constexpr uint64_t make(uint64_t address, uint64_t flags) { return address >> 12 << 10 | flags; }
}  // namespace pte

enum class Privilege : uint8_t { kUser = 0, kSupervisor = 1, kMachine = 3 };
enum class Attribute : uint8_t { kCached, kUncached, kDevice };

// A virtual range of 2 MiB that maps the image.
struct Window {
  uint64_t base;
  Privilege privilege;  // who may use it
  Attribute attribute;
};

inline constexpr uint64_t kGib = uint64_t{1} << 30;
inline constexpr uint64_t kMib2 = uint64_t{1} << 21;
// The table of windows hangs at three places.
inline constexpr uint64_t kWindowsLow = 5 * kGib;
inline constexpr uint64_t kWindowsMiddle = 0xFFFF'FFC0'0000'0000;
inline constexpr uint64_t kWindowsHigh = 0xFFFF'FFFF'C000'0000;
inline constexpr unsigned kDemandIndex = 2;  // entries 2 (supervisor) and 3 (user) of the table of windows
inline constexpr unsigned kZooTableIndex = 8;
inline constexpr unsigned kZooIndex = 10;  // to 63

inline constexpr std::array<Window, 20> kMappedWindows = {{
    {kBase, Privilege::kSupervisor, Attribute::kCached},
    {kWindowsLow, Privilege::kSupervisor, Attribute::kCached},
    {kWindowsLow + 2 * kMib2, Privilege::kSupervisor, Attribute::kCached},
    {kWindowsMiddle, Privilege::kSupervisor, Attribute::kCached},
    {kWindowsHigh + 2 * kMib2, Privilege::kSupervisor, Attribute::kCached},
    {kWindowsLow + 1 * kMib2, Privilege::kUser, Attribute::kCached},
    {kWindowsLow + 3 * kMib2, Privilege::kUser, Attribute::kCached},
    {kWindowsHigh + 1 * kMib2, Privilege::kUser, Attribute::kCached},
    {kWindowsMiddle + 3 * kMib2, Privilege::kUser, Attribute::kCached},
    {6 * kGib, Privilege::kUser, Attribute::kCached},
    {kWindowsLow + 4 * kMib2, Privilege::kSupervisor, Attribute::kUncached},
    {kWindowsHigh + 4 * kMib2, Privilege::kSupervisor, Attribute::kUncached},
    {7 * kGib, Privilege::kSupervisor, Attribute::kUncached},
    {kWindowsLow + 5 * kMib2, Privilege::kUser, Attribute::kUncached},
    {kWindowsMiddle + 5 * kMib2, Privilege::kUser, Attribute::kUncached},
    {14 * kGib, Privilege::kUser, Attribute::kUncached},
    {kWindowsLow + 6 * kMib2, Privilege::kSupervisor, Attribute::kDevice},
    {kWindowsHigh + 6 * kMib2, Privilege::kSupervisor, Attribute::kDevice},
    {kWindowsLow + 7 * kMib2, Privilege::kUser, Attribute::kDevice},
    {kWindowsMiddle + 7 * kMib2, Privilege::kUser, Attribute::kDevice},
}};

}  // namespace swai::random_program
