// SPDX-License-Identifier: Apache-2.0
// A card for testing the socket without a card: memory behind BAR0, a copy engine and a timer behind BAR4,
// and plain bytes as configuration space. Every access takes cycles, so that mistakes about time show.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "host/transport/server/device.hpp"

namespace swai::socket {

class FakeClock;

// Registers of BAR4, 64 bits each.
inline constexpr uint64_t kFakeIova = 0x00;
inline constexpr uint64_t kFakeAt = 0x08;     // in BAR0
inline constexpr uint64_t kFakeBytes = 0x10;  // up to the size of BAR0
// Starts a copy: 1 from host memory, 2 to host memory; bits 15:8 the vector that says it is done. 3: one
// write to host memory, by message, that is not waited for: the interrupt comes in the same cycle.
inline constexpr uint64_t kFakeGo = 0x18;
inline constexpr uint64_t kFakeDone = 0x20;    // copies done
inline constexpr uint64_t kFakeFaults = 0x28;  // accesses to host memory that failed
inline constexpr uint64_t kFakeTimer = 0x30;   // vector 1 after so many cycles
inline constexpr uint64_t kFakeRepeat = 0x38;  // the timer starts again so often
inline constexpr uint64_t kFakeFatal = 0x40;   // reports a fatal error

inline constexpr uint64_t kFakeBar0Bytes = 0x10000;
inline constexpr uint64_t kFakeReadCycles = 1000;
inline constexpr uint16_t kFakeVendor = 0xfa4e;
inline constexpr uint16_t kFakeDeviceId = 0xcafe;

class FakeDevice final : public Device {
 public:
  FakeDevice(FakeClock& clock, uint32_t card = 0, uint32_t cards = 1);

  void connect(Host& host) override { host_ = &host; }
  const DeviceInfo& info() const override { return info_; }
  uint64_t cycle() const override;
  int region_write(unsigned region, uint64_t offset, std::span<const uint8_t> data) override;
  uint64_t write_room() const override;
  void start_read(unsigned region, uint64_t offset, uint32_t bytes) override;
  int dma_map(const DmaRange& range) override;
  void dma_unmap(uint64_t iova, uint64_t bytes) override;
  void host_done(uint32_t tag, bool good, std::span<const uint8_t> data) override;
  void reset() override;
  void client_gone() override;
  ControlResult control(uint64_t command, std::span<const uint64_t, 4> arguments) override;

  size_t mappings() const { return ranges_.size(); }
  unsigned resets() const { return resets_; }
  unsigned departures() const { return departures_; }
  // The next read is never answered, and the card falls asleep.
  void swallow_next_read() { swallow_ = true; }
  void run_out_of_memory() { no_memory_ = true; }  // at the next read
  // Reads take no time, as with a card that is one of several clients' (host/daemon/cards).
  void answer_at_once() { at_once_ = true; }
  unsigned reads() const { return reads_; }
  // What happened, one line each, with cycles.
  const std::vector<std::string>& trace() const { return trace_; }
  void set_tracing(bool on) { tracing_ = on; }

 private:
  friend class FakeClock;
  static constexpr unsigned kPiece = 256;  // bytes of a copy at once
  static constexpr unsigned kInFlight = 4;

  void note(const std::string& line);
  void at(uint64_t cycle, std::function<void()> what);
  void apply_write(unsigned region, uint64_t offset, const std::vector<uint8_t>& data);
  void register_written(uint64_t offset);
  void start_timer();
  void copy_some();
  void piece_done(bool good);
  void post_piece(unsigned vector);
  const DmaRange* range_of(uint64_t iova, uint64_t bytes, bool write) const;
  uint64_t get(uint64_t offset) const;
  void set(uint64_t offset, uint64_t value);

  FakeClock& clock_;
  DeviceInfo info_;
  Host* host_ = nullptr;
  std::vector<uint8_t> regions_[kDeviceRegions];
  std::multimap<uint64_t, std::function<void()>> events_;
  uint64_t wire_free_ = 0;  // when the next access may start its way
  uint64_t queued_ = 0;     // bytes of writes on their way
  std::map<uint64_t, DmaRange> ranges_;
  struct Copy {
    bool to_host = false;
    uint64_t iova = 0;
    uint64_t at = 0;
    uint64_t left = 0;
    unsigned vector = 0;
    unsigned in_flight = 0;
  };
  std::vector<Copy> copies_;  // the first is under way
  struct Piece {
    uint64_t at = 0;
    bool posted = false;
  };
  std::map<uint32_t, Piece> asked_;
  uint32_t next_tag_ = 0;
  bool swallow_ = false;
  bool no_memory_ = false;
  bool at_once_ = false;
  unsigned reads_ = 0;
  bool tracing_ = true;
  unsigned resets_ = 0;
  unsigned departures_ = 0;
  std::vector<std::string> trace_;
};

// The clock of all fake devices that name it.
class FakeClock final : public Clock {
 public:
  bool asleep() const override;
  void run(uint64_t limit) override;
  uint64_t cycle() const { return cycle_; }
  // Calls of the server, for tests that want to know whether time was cut into slices.
  uint64_t runs() const { return runs_; }

 private:
  friend class FakeDevice;
  std::vector<FakeDevice*> devices_;
  uint64_t cycle_ = 0;
  uint64_t runs_ = 0;
  bool called_ = false;  // a device has called its host
};

}  // namespace swai::socket
