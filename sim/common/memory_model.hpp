// SPDX-License-Identifier: Apache-2.0
// A memory system for the management core alone: the slave end of the memory bus (rtl/lib/mbus_pkg.sv), RAM,
// a console byte device and a CLINT timer. It knows nothing of Verilator: the caller passes it the request
// that the core offers in a cycle and drives what it answers in the next one.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>

#include "wires.hpp"

namespace swai::common {

enum class MbusOp : uint8_t {
  kRead = wires::mbus::op::kRead,
  kWrite = wires::mbus::op::kWrite,
  kLr = wires::mbus::op::kLr,
  kSc = wires::mbus::op::kSc,
  kSwap = wires::mbus::op::kSwap,
  kAdd = wires::mbus::op::kAdd,
  kXor = wires::mbus::op::kXor,
  kAnd = wires::mbus::op::kAnd,
  kOr = wires::mbus::op::kOr,
  kMin = wires::mbus::op::kMin,
  kMax = wires::mbus::op::kMax,
  kMinu = wires::mbus::op::kMinu,
  kMaxu = wires::mbus::op::kMaxu
};

inline constexpr unsigned kMbusIds = 3;  // fetch, read, write
inline constexpr unsigned kMbusLineBytes = 64;

struct MbusRequest {
  MbusOp op = MbusOp::kRead;
  uint8_t id = 0;
  uint8_t size = 0;  // log2 of bytes
  uint64_t addr = 0;
  uint64_t strb = 0;
  const void* data = nullptr;  // a line of 64 bytes; only looked at when the operation carries data
};

struct MbusResponse {
  uint8_t id = 0;
  bool err = false;
  alignas(64) std::array<uint8_t, kMbusLineBytes> data{};
};

// Zeroed memory that costs nothing until it is touched.
class Ram {
 public:
  Ram(uint64_t base, uint64_t bytes);
  ~Ram();
  Ram(const Ram&) = delete;
  Ram& operator=(const Ram&) = delete;

  uint64_t base() const { return base_; }
  uint64_t bytes() const { return bytes_; }
  bool contains(uint64_t addr, uint64_t length) const {
    return addr >= base_ && length <= bytes_ && addr - base_ <= bytes_ - length;
  }
  uint8_t* at(uint64_t addr) { return memory_ + (addr - base_); }
  const uint8_t* at(uint64_t addr) const { return memory_ + (addr - base_); }
  std::span<uint8_t> all() { return {memory_, bytes_}; }
  void clear();

 private:
  uint64_t base_;
  uint64_t bytes_;
  uint8_t* memory_;
};

// Software interrupt and timer of one hart, in the usual CLINT layout. Time is whatever the caller says it
// is.
class Clint {
 public:
  bool software_interrupt() const { return msip_; }
  bool timer_interrupt() const { return time_ >= mtimecmp_; }
  bool never_fires() const { return !msip_ && mtimecmp_ == ~uint64_t{0}; }
  uint64_t time() const { return time_; }
  void set_time(uint64_t time) { time_ = time; }
  void advance() { ++time_; }
  uint64_t read(uint64_t offset) const;  // the aligned eight bytes at offset
  void write(uint64_t offset, uint64_t data, uint8_t byte_enable);

 private:
  bool msip_ = false;
  uint64_t mtimecmp_ = ~uint64_t{0};
  uint64_t time_ = 0;
};

class MemoryModel {
 public:
  struct Options {
    uint64_t ram_base = 0x8000'0000;
    uint64_t ram_bytes = uint64_t{64} << 20;
    unsigned latency = 1;            // cycles from a request to its response: 1 is what the card's SRAM gives
    std::optional<uint64_t> seed{};  // set: random stalls of requests and responses, order mixed across ids
    std::function<void(uint8_t)> console{};
  };

  static constexpr uint64_t kClintBase = 0x0200'0000;
  static constexpr uint64_t kClintBytes = 0x1'0000;
  static constexpr uint64_t kConsoleBase = 0x1000'0000;
  static constexpr uint64_t kConsoleBytes = 0x1000;
  static bool is_device(uint64_t addr) {
    return addr - kClintBase < kClintBytes || addr - kConsoleBase < kConsoleBytes;
  }

  explicit MemoryModel(Options options);

  Ram& ram() { return ram_; }
  const Ram& ram() const { return ram_; }
  Clint& clint() { return clint_; }

  // Starts anew as after a reset: nothing in flight. RAM keeps its content. With a seed, stalls restart from
  // it.
  void reset(std::optional<uint64_t> seed);

  // One clock cycle. `request` is what the master offers in this cycle, or null. Returns the response that
  // the master sees in the next cycle, or null. Call ready() before and hold the answer: it says whether this
  // request is taken.
  const MbusResponse* clock(const MbusRequest* request) {
    if (!timed_) {
      if (request == nullptr) return nullptr;
      access(*request, slot_);
      return &slot_;
    }
    return clock_timed(request);
  }

  // Whether the slave takes a request in the coming call of clock().
  bool ready() const { return ready_; }

  // Whether clock() must be called in every cycle, and not only in those with a request.
  bool timed() const { return timed_; }

  // The effect of a request, without any time.
  void access(const MbusRequest& request, MbusResponse& response);

 private:
  struct Pending {
    uint64_t due;
    MbusResponse response;
  };

  const MbusResponse* clock_timed(const MbusRequest* request);
  void check_stable(const MbusRequest* request);
  void choose_stalls();
  bool chance(unsigned of_256) { return (random_() & 0xff) < of_256; }
  bool access_ram(const MbusRequest& request, MbusResponse& response);
  bool access_io(const MbusRequest& request, MbusResponse& response);

  Options options_;
  Ram ram_;
  Clint clint_;
  std::optional<uint64_t> reservation_;

  bool timed_ = false;  // anything but "answer in the next cycle, always ready"
  bool ready_ = true;
  MbusResponse slot_;
  std::array<std::deque<Pending>, kMbusIds> queues_;
  unsigned in_flight_ = 0;
  uint64_t now_ = 0;
  std::mt19937_64 random_;
  uint64_t phase_end_ = 0;  // stalls come in phases, so that both busy and idle buses are seen
  unsigned request_stall_ = 0;
  unsigned response_stall_ = 0;
  unsigned longest_ = 1;
  std::optional<MbusRequest> refused_;  // what was offered and not taken must be offered again, unchanged
  std::array<uint8_t, kMbusLineBytes> refused_data_{};
};

}  // namespace swai::common
