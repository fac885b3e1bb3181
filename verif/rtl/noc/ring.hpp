// SPDX-License-Identifier: Apache-2.0
// What the ring carries (rtl/noc/noc_pkg.sv) for testbenches, and a model of what it should do with it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verif/rtl/lib/mbus.hpp"

namespace swai::verif {

inline constexpr unsigned kNocReqBits = 634;
inline constexpr unsigned kNocRspBits = 525;
inline constexpr unsigned kMaxNodes = 6;

enum NocStatus : uint8_t { kOk, kPoison, kDenied, kNobody };

struct NocRequest {
  common::MbusOp op = common::MbusOp::kRead;
  uint8_t source = 0;
  uint8_t tag = 0;
  uint64_t addr = 0;
  uint8_t size = 0;
  uint64_t strb = 0;
  MbusLine data{};

  bool operator==(const NocRequest&) const = default;
};

struct NocResponse {
  uint8_t dest = 0;
  uint8_t tag = 0;
  uint8_t status = kOk;
  MbusLine data{};

  bool operator==(const NocResponse&) const = default;
};

inline void store(Field& field, const NocRequest& request) {
  field.set_bytes(request.data);
  field.set(wires::noc::req::kStrb, request.strb);
  field.set(wires::noc::req::kSize, request.size);
  field.set(wires::noc::req::kAddr, request.addr);
  field.set(wires::noc::req::kTag, request.tag);
  field.set(wires::noc::req::kSource, request.source);
  field.set(wires::noc::req::kOp, static_cast<uint64_t>(request.op));
}

inline void load(const Field& field, NocRequest& request) {
  field.get_bytes(request.data);
  request.strb = field.get(wires::noc::req::kStrb);
  request.size = static_cast<uint8_t>(field.get(wires::noc::req::kSize));
  request.addr = field.get(wires::noc::req::kAddr);
  request.tag = static_cast<uint8_t>(field.get(wires::noc::req::kTag));
  request.source = static_cast<uint8_t>(field.get(wires::noc::req::kSource));
  request.op = static_cast<common::MbusOp>(field.get(wires::noc::req::kOp));
}

inline void store(Field& field, const NocResponse& response) {
  field.set_bytes(response.data);
  field.set(wires::noc::rsp::kStatus, response.status);
  field.set(wires::noc::rsp::kTag, response.tag);
  field.set(wires::noc::rsp::kDest, response.dest);
}

inline void load(const Field& field, NocResponse& response) {
  field.get_bytes(response.data);
  response.status = static_cast<uint8_t>(field.get(wires::noc::rsp::kStatus));
  response.tag = static_cast<uint8_t>(field.get(wires::noc::rsp::kTag));
  response.dest = static_cast<uint8_t>(field.get(wires::noc::rsp::kDest));
}

// The nodes that a request is for, one bit each; 0: nobody. From the address map, not from the design.
uint8_t ring_route(const NocRequest& request, unsigned groups);

// Hops between two nodes; a node reaches itself all around.
unsigned ring_hops(unsigned from, unsigned to, unsigned nodes);

// Follows every request from its initiator to its targets and back.
class RingModel {
 public:
  explicit RingModel(unsigned groups) : groups_(groups), nodes_(groups + 2) {}

  unsigned nodes() const { return nodes_; }
  uint64_t answered() const { return answered_; }
  uint64_t denied() const { return denied_; }

  bool tag_is_free(unsigned node, uint8_t tag) const { return !flights_[node].contains(tag); }
  size_t waiting(unsigned node) const { return flights_[node].size(); }
  size_t unanswered(unsigned node) const { return unanswered_[node].size(); }
  bool quiet() const;

  void fence(unsigned node, uint64_t cycle) { last_fence_[node] = cycle; }  // called while the fence is up

  void taken(unsigned source, NocRequest request, uint64_t cycle);
  void arrived(unsigned node, const NocRequest& request);
  // One of the requests that the target has and has not answered.
  std::optional<NocResponse> answer(unsigned node, Random& random);
  void responded(unsigned source, const NocResponse& response);

 private:
  struct Flight {
    NocRequest request;
    uint64_t cycle = 0;
    uint8_t dests = 0;
    uint8_t skipped = 0;  // targets that never saw it: their fence denied it
    std::array<std::optional<NocResponse>, kMaxNodes> answers{};
  };

  void check_fence(const Flight& flight, unsigned node) const;

  unsigned groups_;
  unsigned nodes_;
  std::array<std::map<uint8_t, Flight>, kMaxNodes> flights_;                         // by initiator and tag
  std::array<std::array<std::deque<NocRequest>, kMaxNodes>, kMaxNodes> on_the_way_;  // by source and target
  std::array<std::vector<NocRequest>, kMaxNodes> unanswered_;
  std::array<uint64_t, kMaxNodes> last_fence_{};
  uint64_t answered_ = 0;
  uint64_t denied_ = 0;
};

// A random request; half of them to a few lines per target so that several meet.
NocRequest random_noc_request(Random& random, unsigned groups);

}  // namespace swai::verif
