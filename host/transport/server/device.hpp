// SPDX-License-Identifier: Apache-2.0
// What the socket server needs of a card and gives to it. The server (server.hpp) speaks vfio-user and keeps
// the books: who may talk, when time may pass, whose interrupt goes where. The card is whatever implements
// Device.
//
// One thread calls everything. All cards of a process share one Clock: time passes only in Clock::run().
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace swai::socket {

// Regions as vfio-pci numbers them.
inline constexpr unsigned kBar0 = 0;
inline constexpr unsigned kBar2 = 2;
inline constexpr unsigned kBar4 = 4;
inline constexpr unsigned kRom = 6;
inline constexpr unsigned kConfig = 7;
inline constexpr unsigned kVga = 8;
inline constexpr unsigned kDeviceRegions = 9;

// Vectors are bits of a 64-bit word in the vendor region.
inline constexpr unsigned kMaxVectors = 64;

struct Region {
  uint64_t bytes = 0;  // 0: the card has no such region
  bool readable = true;
  bool writable = true;
};

struct DeviceInfo {
  std::string configuration;  // "cg1"; for people
  uint16_t vendor_id = 0;     // as in configuration space
  uint16_t device_id = 0;
  uint32_t card = 0;   // number of this card in its process
  uint32_t cards = 1;  // and how many there are
  std::array<Region, kDeviceRegions> regions{};
  uint32_t vectors = 0;  // MSI-X
};

// Memory of the client that the card may reach.
struct DmaRange {
  uint64_t iova = 0;
  uint64_t bytes = 0;  // iova + bytes does not exceed 2^64
  bool readable = false;
  bool writable = false;
  // The memory itself; not to be written when not `writable`. Null: it is reached through Host::host_read()
  // and host_write(), that is by messages to the client.
  uint8_t* memory = nullptr;
  // The file behind it, as long as dma_map() takes: for a device that passes it on.
  int fd = -1;
  uint64_t offset = 0;
};

// What a card tells the server. To be called from within Clock::run() or any call of Device, never elsewhere.
class Host {
 public:
  virtual ~Host() = default;

  // The answer to start_read(), with as many bytes as it asked for. `error`: 0, or an errno for the client
  // (then without data). A read that the card's bus refused is not an error: as on a real host it reads as
  // all ones.
  virtual void read_done(int error, std::span<const uint8_t> data) = 0;

  // An MSI-X message has arrived at the root complex.
  virtual void interrupt(unsigned vector) = 0;

  // The card has met something that only a reset cures (vfio's ERR interrupt).
  virtual void fatal_error() = 0;

  // Memory behind a DmaRange without `memory`. The answer is Device::host_done() with the same tag; until all
  // are answered the server does not let time pass. At most kMaxHostBytes each. Interrupts raised meanwhile
  // reach the client after the writes that came before them.
  virtual void host_read(uint32_t tag, uint64_t iova, uint32_t bytes) = 0;
  virtual void host_write(uint32_t tag, uint64_t iova, std::span<const uint8_t> data) = 0;
};

inline constexpr uint32_t kMaxHostBytes = 4096;

struct ControlResult {
  int error = 0;  // 0 or an errno
  uint64_t value = 0;
};

class Device {
 public:
  virtual ~Device() = default;

  // Once, before anything else. The host outlives all calls.
  virtual void connect(Host& host) = 0;
  virtual const DeviceInfo& info() const = 0;  // does not change
  virtual uint64_t cycle() const = 0;          // this card's present

  // Accesses in the order of the client. The server has checked that they lie inside a region that allows
  // them. A write is posted: it is on its way when the call returns, and later reads do not overtake it.
  // Returns 0 or an errno.
  virtual int region_write(unsigned region, uint64_t offset, std::span<const uint8_t> data) = 0;
  // How many more bytes of posted writes there is room for. While that is less than the next write, the
  // server lets time pass; an idle device must have room for kMaxAccess.
  virtual uint64_t write_room() const = 0;
  // One read at a time. Ends with Host::read_done(), perhaps before this returns. 1 .. kMaxAccess bytes.
  virtual void start_read(unsigned region, uint64_t offset, uint32_t bytes) = 0;

  // Ranges never overlap. dma_map returns 0 or an errno. After dma_unmap (the range is one that was mapped)
  // nothing may touch `memory` any more.
  virtual int dma_map(const DmaRange& range) = 0;
  virtual void dma_unmap(uint64_t iova, uint64_t bytes) = 0;
  // The answer of the client. Not `good`: the client refused, or answered nonsense.
  virtual void host_done(uint32_t tag, bool good, std::span<const uint8_t> data) = 0;

  // DEVICE_RESET: a function-level reset. What was on its way is dropped, an open read included (it gets no
  // read_done); DMA ranges stay.
  virtual void reset() = 0;
  // The client has left, at whatever point. Resets as reset() does, forgets open host accesses, and makes the
  // card ready for the next client. DMA ranges are unmapped one by one after it.
  virtual void client_gone() = 0;

  // A test facility of the vendor region (host/transport/vendor_region.hpp); ENOTSUP if the card does not
  // have it.
  virtual ControlResult control(uint64_t command, std::span<const uint64_t, 4> arguments) = 0;
};

// The largest region access that the server passes on.
inline constexpr uint32_t kMaxAccess = 1 << 20;

class Clock {
 public:
  virtual ~Clock() = default;

  // Nothing will happen on any card until somebody calls a Device.
  virtual bool asleep() const = 0;

  // Lets time pass: no card gets beyond cycle `limit`. Returns earlier at the end of a cycle in which a card
  // called its Host, or when all cards are asleep (then their cycle stays what it is). Splitting a run into
  // several with the same final limit changes nothing for the cards.
  virtual void run(uint64_t limit) = 0;
};

}  // namespace swai::socket
