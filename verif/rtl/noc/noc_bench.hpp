// SPDX-License-Identifier: Apache-2.0
// The ring at its pins: initiators, targets and fences of all nodes, on the model of ring.hpp.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "Vtb_noc.h"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/stream.hpp"
#include "verif/rtl/noc/ring.hpp"

namespace swai::verif {

// How many groups the rings of this program have.
#ifdef ALL_RINGS
inline constexpr std::array kRings{1U, 2U, 3U, 4U};
#else
inline constexpr std::array kRings{1U, 4U};
#endif

class NocBench : public Bench<Vtb_noc> {
 public:
  NocBench(unsigned groups, uint64_t seed);

  unsigned nodes() const { return groups_ + 2; }
  unsigned groups() const { return groups_; }

  StreamPins request_in(unsigned node) {
    return {Field(top().ini_req_valid_i, node, 1), Field(top().ini_req_ready_o, node, 1),
            Field(top().ini_req_i, kNocReqBits * node, kNocReqBits)};
  }
  StreamPins request_out(unsigned node) {
    return {Field(top().tgt_req_valid_o, node, 1), Field(top().tgt_req_ready_i, node, 1),
            Field(top().tgt_req_o, kNocReqBits * node, kNocReqBits)};
  }
  StreamPins response_in(unsigned node) {
    return {Field(top().tgt_rsp_valid_i, node, 1), Field(top().tgt_rsp_ready_o, node, 1),
            Field(top().tgt_rsp_i, kNocRspBits * node, kNocRspBits)};
  }
  Field response_valid(unsigned node) { return Field(top().ini_rsp_valid_o, node, 1); }
  Field response(unsigned node) { return Field(top().ini_rsp_o, kNocRspBits * node, kNocRspBits); }

 private:
  unsigned groups_;
};

// Takes the answers at an initiator.
class ResponseMonitor : public Agent {
 public:
  ResponseMonitor(NocBench& bench, unsigned node, std::function<void(const NocResponse&)> on_response)
      : valid_(bench.response_valid(node)),
        data_(bench.response(node)),
        on_response_(std::move(on_response)) {}

  void drive() override {}
  void sample() override {
    if (!valid_.get()) return;
    NocResponse response;
    load(data_, response);
    on_response_(response);
  }

 private:
  Field valid_;
  Field data_;
  std::function<void(const NocResponse&)> on_response_;
};

// All that hangs on one node: a random initiator, a target that answers in any order, the fence.
class NodeAgents {
 public:
  NodeAgents(NocBench& bench, RingModel& model, unsigned node,
             std::function<std::optional<NocRequest>()> next);

  bool fixed_tags = false;  // requests come with their tags; otherwise those are chosen here
  std::function<void(const NocRequest&)> on_arrival = [](const NocRequest&) {};

  StreamSource<NocRequest>& requests() { return *requests_; }
  StreamSink<NocRequest>& arrivals() { return *arrivals_; }
  StreamSource<NocResponse>& answers() { return *answers_; }

  // From now on everything moves as fast as it can.
  void never_stall() {
    requests_->stalls().never();
    arrivals_->stalls().never();
    answers_->stalls().never();
  }

 private:
  std::unique_ptr<StreamSource<NocRequest>> requests_;
  std::unique_ptr<StreamSink<NocRequest>> arrivals_;
  std::unique_ptr<StreamSource<NocResponse>> answers_;
  std::unique_ptr<ResponseMonitor> responses_;
};

// Raises the fence of a node now and then, waits until it has drained, looks whether that is true, and goes
// on.
class Fence : public Agent {
 public:
  Fence(NocBench& bench, RingModel& model, unsigned node) : bench_(bench), model_(model), node_(node) {}

  bool enabled = false;
  uint64_t count() const { return count_; }

  void drive() override;
  void sample() override;

 private:
  NocBench& bench_;
  RingModel& model_;
  unsigned node_;
  bool up_ = false;
  bool drained_ = false;
  uint64_t left_ = 0;
  uint64_t count_ = 0;
};

}  // namespace swai::verif
