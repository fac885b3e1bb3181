// SPDX-License-Identifier: Apache-2.0
// The messages of the vfio-user protocol, version 0.1, as both ends of our socket lay them out. Names and
// numbers are those of the protocol's specification (QEMU's docs/interop/vfio-user.rst) and of Linux's
// vfio.h. All numbers are little-endian, as is every machine that this runs on.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace swai::link::vfio_user {

static_assert(std::endian::native == std::endian::little);

inline constexpr uint16_t kMajor = 0;
inline constexpr uint16_t kMinor = 1;

enum class Command : uint16_t {
  kVersion = 1,
  kDmaMap = 2,
  kDmaUnmap = 3,
  kDeviceGetInfo = 4,
  kDeviceGetRegionInfo = 5,
  kDeviceGetRegionIoFds = 6,
  kDeviceGetIrqInfo = 7,
  kDeviceSetIrqs = 8,
  kRegionRead = 9,
  kRegionWrite = 10,
  kDmaRead = 11,   // server to client
  kDmaWrite = 12,  // server to client
  kDeviceReset = 13,
  kRegionWriteMulti = 15,
  kDeviceFeature = 16,
  kMigDataRead = 17,
  kMigDataWrite = 18,
};

// Header flags.
inline constexpr uint32_t kTypeMask = 0xf;
inline constexpr uint32_t kTypeCommand = 0;
inline constexpr uint32_t kTypeReply = 1;
inline constexpr uint32_t kNoReply = 0x10;
inline constexpr uint32_t kError = 0x20;
inline constexpr uint32_t kKnownFlags = kTypeMask | kNoReply | kError;

struct Header {
  uint16_t id = 0;
  uint16_t command = 0;
  uint32_t bytes = 0;  // of the whole message
  uint32_t flags = 0;
  uint32_t error = 0;
};
static_assert(sizeof(Header) == 16);

struct Version {  // followed by JSON, which ends with a NUL
  uint16_t major = kMajor;
  uint16_t minor = kMinor;
};
static_assert(sizeof(Version) == 4);

// What the JSON says; a field that is not there has the specification's default.
struct Capabilities {
  uint64_t max_msg_fds = 1;
  uint64_t max_data_xfer_size = 1 << 20;
  uint64_t max_dma_maps = 65535;
  uint64_t pgsizes = 4096;
  bool write_multiple = false;
};

inline constexpr uint32_t kDmaReadable = 1;
inline constexpr uint32_t kDmaWritable = 2;

struct DmaMap {
  uint32_t argsz = sizeof(DmaMap);
  uint32_t flags = 0;
  uint64_t offset = 0;  // in the file that comes with the message
  uint64_t address = 0;
  uint64_t size = 0;
};
static_assert(sizeof(DmaMap) == 32);

inline constexpr uint32_t kUnmapAll = 2;  // as in Linux; address and size are zero

struct DmaUnmap {
  uint32_t argsz = sizeof(DmaUnmap);
  uint32_t flags = 0;
  uint64_t address = 0;
  uint64_t size = 0;
};
static_assert(sizeof(DmaUnmap) == 24);

inline constexpr uint32_t kDeviceReset = 1;
inline constexpr uint32_t kDevicePci = 2;

struct DeviceInfo {
  uint32_t argsz = sizeof(DeviceInfo);
  uint32_t flags = 0;
  uint32_t regions = 0;
  uint32_t irqs = 0;
};
static_assert(sizeof(DeviceInfo) == 16);

inline constexpr uint32_t kRegionReadable = 1;
inline constexpr uint32_t kRegionWritable = 2;
inline constexpr uint32_t kRegionMmap = 4;
inline constexpr uint32_t kRegionCaps = 8;

struct RegionInfo {
  uint32_t argsz = sizeof(RegionInfo);
  uint32_t flags = 0;
  uint32_t index = 0;
  uint32_t cap_offset = 0;  // from the start of this structure
  uint64_t size = 0;
  uint64_t offset = 0;
};
static_assert(sizeof(RegionInfo) == 32);

inline constexpr uint16_t kCapabilityType = 2;

struct RegionType {
  uint16_t id = kCapabilityType;
  uint16_t version = 1;
  uint32_t next = 0;
  uint32_t type = 0;
  uint32_t subtype = 0;
};
static_assert(sizeof(RegionType) == 16);

struct RegionIoFds {
  uint32_t argsz = sizeof(RegionIoFds);
  uint32_t flags = 0;
  uint32_t index = 0;
  uint32_t count = 0;
};
static_assert(sizeof(RegionIoFds) == 16);

// Interrupt types of vfio-pci.
enum class Irq : uint32_t { kIntx = 0, kMsi = 1, kMsix = 2, kErr = 3, kReq = 4 };
inline constexpr uint32_t kIrqs = 5;

inline constexpr uint32_t kIrqEventfd = 1;
inline constexpr uint32_t kIrqMaskable = 2;

struct IrqInfo {
  uint32_t argsz = sizeof(IrqInfo);
  uint32_t flags = 0;
  uint32_t index = 0;
  uint32_t count = 0;
};
static_assert(sizeof(IrqInfo) == 16);

inline constexpr uint32_t kDataNone = 1;
inline constexpr uint32_t kDataBool = 2;
inline constexpr uint32_t kDataEventfd = 4;
inline constexpr uint32_t kActionMask = 8;
inline constexpr uint32_t kActionUnmask = 16;
inline constexpr uint32_t kActionTrigger = 32;

struct IrqSet {  // followed by `count` bytes with kDataBool
  uint32_t argsz = sizeof(IrqSet);
  uint32_t flags = 0;
  uint32_t index = 0;
  uint32_t start = 0;
  uint32_t count = 0;
};
static_assert(sizeof(IrqSet) == 20);

struct RegionAccess {  // followed by data in a write and in the reply of a read
  uint64_t offset = 0;
  uint32_t region = 0;
  uint32_t count = 0;
};
static_assert(sizeof(RegionAccess) == 16);

struct DmaAccess {  // likewise
  uint64_t address = 0;
  uint64_t count = 0;
};
static_assert(sizeof(DmaAccess) == 16);

struct MultiHeader {  // followed by MultiWrites; also the reply
  uint64_t count = 0;
};

struct MultiWrite {
  uint64_t offset = 0;
  uint32_t region = 0;
  uint32_t count = 0;
  uint8_t data[8] = {};
};
static_assert(sizeof(MultiWrite) == 24);

// A message as it has arrived, or is about to leave.
inline constexpr uint64_t kDefaultTransfer = 1 << 20;
inline constexpr uint32_t kMaxMessage = sizeof(Header) + sizeof(RegionAccess) + kDefaultTransfer;

// The structure at `at` of a payload; nothing if the payload is too short.
template <typename T>
std::optional<T> take(std::span<const uint8_t> payload, uint64_t at = 0) {
  if (at > payload.size() || payload.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, payload.data() + at, sizeof(T));
  return value;
}

template <typename T>
void append(std::vector<uint8_t>& bytes, const T& value) {
  const auto* begin = reinterpret_cast<const uint8_t*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof(T));
}

// Whether [offset, offset + count) lies inside [0, bytes).
constexpr bool inside(uint64_t offset, uint64_t count, uint64_t bytes) {
  return offset <= bytes && count <= bytes - offset;
}

}  // namespace swai::link::vfio_user
