// SPDX-License-Identifier: Apache-2.0
// The ring and what lies behind it, as the endpoint sees them: requests take effect in order per target and
// after any time, answers come in any order. And a master on the ring: the management processor.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "sim/common/field.hpp"
#include "sim/common/random.hpp"
#include "verif/rtl/lib/bench.hpp"

namespace swai::pcie {

inline constexpr uint64_t kSram = 0x8000'0000, kSramBytes = 0x4'0000;
inline constexpr uint64_t kHbm = 0x80'0000'0000, kGroupBytes = uint64_t{16} << 30;
inline constexpr unsigned kGroups = 2;
inline constexpr uint64_t kInboxWork = 0x1000'5000;
inline constexpr unsigned kOk = 0, kPoison = 1, kDenied = 2, kNobody = 3;
inline constexpr unsigned kRead = 0, kWrite = 1, kAdd = 5;

struct RingRequest {
  static constexpr unsigned kBits = 634;
  unsigned op = kRead;
  unsigned source = 0;
  unsigned tag = 0;
  uint64_t addr = 0;
  unsigned size = 0;
  uint64_t strb = 0;
  std::array<uint8_t, 64> data{};
  bool operator==(const RingRequest&) const = default;
};

struct RingResponse {
  unsigned dest = 0;
  unsigned tag = 0;
  unsigned status = kOk;
  std::array<uint8_t, 64> data{};
  bool operator==(const RingResponse&) const = default;
};

void store(verif::Field& field, const RingRequest& request);
void load(const verif::Field& field, RingRequest& request);
void store(verif::Field& field, const RingResponse& response);
void load(const verif::Field& field, RingResponse& response);

// What memory holds that nobody has written.
uint8_t untouched(uint64_t addr);

class Memory {
 public:
  uint8_t get(uint64_t addr) const;
  void set(uint64_t addr, uint8_t value);

 private:
  std::unordered_map<uint64_t, std::array<uint8_t, 64>> lines_;
};

struct RingPins {
  verif::Field req_valid, req_ready, req;
  verif::Field rsp_valid, rsp;
};

class Ring : public verif::Agent {
 public:
  Ring(RingPins pins, verif::Random& random);

  Memory memory;
  std::set<uint64_t> poisoned;  // lines
  std::set<uint64_t> denied;
  std::function<void(uint64_t bits)> on_inbox = [](uint64_t) {};
  std::function<void(const RingRequest&)> on_request = [](const RingRequest&) {};
  std::function<void(unsigned tag)> on_answer = [](unsigned) {};

  bool idle() const { return in_flight_ == 0; }
  bool writes_idle() const { return writes_in_flight_ == 0; }
  // No stalls, and an answer after exactly so many cycles.
  void fixed_latency(unsigned cycles);
  void slow(bool slow) { slow_ = slow; }

  void drive() override;
  void sample() override;

 private:
  struct Operation {
    RingRequest request;
    uint64_t due;
  };
  struct Answer {
    RingResponse response;
    uint64_t due;
    bool write;
  };

  unsigned target(uint64_t addr) const;
  Answer apply(const RingRequest& request);
  uint64_t delay();

  RingPins pins_;
  verif::Random& random_;
  verif::Stalls stalls_;
  std::map<unsigned, std::deque<Operation>> operations_;  // by target
  std::vector<Answer> answers_;
  std::optional<size_t> answering_;
  std::optional<RingRequest> waiting_;
  std::set<unsigned> tags_;
  unsigned in_flight_ = 0, writes_in_flight_ = 0, write_target_ = 0;
  unsigned fixed_ = 0;
  bool slow_ = false;
  uint64_t cycle_ = 0;
};

struct MasterPins {
  verif::Field req_valid, req_ready, req;
  verif::Field rsp_valid, rsp_ready, rsp;
};

class RingMaster : public verif::Agent {
 public:
  RingMaster(MasterPins pins, verif::Random& random);

  void send(RingRequest request, std::function<void(const RingResponse&)> done);
  bool idle() const { return queue_.empty() && !pending_ && waiting_.empty(); }

  void drive() override;
  void sample() override;

 private:
  struct Entry {
    RingRequest request;
    std::function<void(const RingResponse&)> done;
  };
  MasterPins pins_;
  verif::Random& random_;
  verif::Stalls send_, take_;
  std::deque<Entry> queue_;
  bool pending_ = false;
  std::map<unsigned, Entry> waiting_;
  unsigned tag_ = 0;
};

}  // namespace swai::pcie
