// SPDX-License-Identifier: Apache-2.0
// Masters and slaves of the memory bus (rtl/lib/mbus_pkg.sv) for testbenches, at the pins of req_t and rsp_t.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "sim/common/memory_model.hpp"
#include "verif/rtl/lib/stream.hpp"
#include "wires.hpp"

namespace swai::verif {

inline constexpr unsigned kMbusReqBits = wires::mbus::req::kBits;
inline constexpr unsigned kMbusRspBits = wires::mbus::rsp::kBits;
using MbusLine = std::array<uint8_t, common::kMbusLineBytes>;

struct MbusRequest {
  common::MbusOp op = common::MbusOp::kRead;
  uint8_t id = 0;
  uint8_t size = 0;  // log2 of bytes
  uint64_t addr = 0;
  uint64_t strb = 0;
  MbusLine data{};

  bool operator==(const MbusRequest&) const = default;
  common::MbusRequest view() const { return {op, id, size, addr, strb, data.data()}; }
};

struct MbusResponse {
  uint8_t id = 0;
  bool err = false;
  MbusLine data{};

  bool operator==(const MbusResponse&) const = default;
};

inline void store(Field& field, const MbusRequest& request) {
  field.set_bytes(request.data);
  field.set(wires::mbus::req::kStrb, request.strb);
  field.set(wires::mbus::req::kSize, request.size);
  field.set(wires::mbus::req::kAddr, request.addr);
  field.set(wires::mbus::req::kId, request.id);
  field.set(wires::mbus::req::kOp, static_cast<uint64_t>(request.op));
}

inline void load(const Field& field, MbusRequest& request) {
  field.get_bytes(request.data);
  request.strb = field.get(wires::mbus::req::kStrb);
  request.size = static_cast<uint8_t>(field.get(wires::mbus::req::kSize));
  request.addr = field.get(wires::mbus::req::kAddr);
  request.id = static_cast<uint8_t>(field.get(wires::mbus::req::kId));
  request.op = static_cast<common::MbusOp>(field.get(wires::mbus::req::kOp));
}

inline void store(Field& field, const MbusResponse& response) {
  field.set_bytes(response.data);
  field.set(wires::mbus::rsp::kErr, response.err ? 1 : 0);
  field.set(wires::mbus::rsp::kId, response.id);
}

inline void load(const Field& field, MbusResponse& response) {
  field.get_bytes(response.data);
  response.err = field.get(wires::mbus::rsp::kErr) != 0;
  response.id = static_cast<uint8_t>(field.get(wires::mbus::rsp::kId));
}

// The pins of one bus; `request.data` has kMbusReqBits, `response` kMbusRspBits.
struct MbusPins {
  StreamPins request;
  Field rsp_valid;
  Field response;
};

// Sends requests and matches every response with the request that it answers: by id, in request order, at the
// earliest one cycle after the request was taken.
class MbusMaster : public Agent {
 public:
  using OnResponse = std::function<void(const MbusRequest&, const MbusResponse&)>;

  MbusMaster(std::string name, MbusPins pins, Random& random,
             std::function<std::optional<MbusRequest>()> next, OnResponse on_response)
      : name_(std::move(name)),
        pins_(std::move(pins)),
        source_(pins_.request, random, std::move(next)),
        on_response_(std::move(on_response)) {
    source_.on_taken = [this](const MbusRequest& request) { just_taken_ = request; };
  }

  std::function<void(const MbusRequest&)> on_taken = [](const MbusRequest&) {};

  Stalls& stalls() { return source_.stalls(); }
  uint64_t requests() const { return source_.count(); }
  uint64_t responses() const { return responses_; }
  bool idle() const { return !source_.pending() && requests() == responses(); }

  void drive() override { source_.drive(); }

  void sample() override {
    just_taken_.reset();
    source_.sample();
    if (just_taken_) on_taken(*just_taken_);
    if (pins_.rsp_valid.get()) {
      MbusResponse response;
      load(pins_.response, response);
      check(response.id < common::kMbusIds, name_ + ": a response with an unknown id");
      auto& waiting = waiting_[response.id];
      check(!waiting.empty(), name_ + ": a response that nobody waits for");
      const MbusRequest request = waiting.front();
      waiting.pop_front();
      ++responses_;
      on_response_(request, response);
    }
    // Only now: a response in the same cycle would be too early.
    if (just_taken_) waiting_[just_taken_->id].push_back(*just_taken_);
  }

 private:
  std::string name_;
  MbusPins pins_;
  StreamSource<MbusRequest> source_;
  OnResponse on_response_;
  std::optional<MbusRequest> just_taken_;
  std::array<std::deque<MbusRequest>, common::kMbusIds> waiting_;
  uint64_t responses_ = 0;
};

// Takes requests and answers them after random times: in order within an id, in any order across ids. A
// patient slave holds its answer until `ready` is high.
class MbusSlave : public Agent {
 public:
  MbusSlave(std::string name, MbusPins pins, Random& random,
            std::function<MbusResponse(const MbusRequest&)> answer, std::optional<Field> ready = std::nullopt)
      : pins_(std::move(pins)),
        ready_(std::move(ready)),
        random_(random),
        sink_(std::move(name), pins_.request, random,
              [this](const MbusRequest& request) { taken_.push_back(request); }),
        answer_(std::move(answer)),
        answering_(random) {}

  Stalls& stalls() { return sink_.stalls(); }
  Stalls& answering() { return answering_; }
  uint64_t requests() const { return sink_.count(); }
  size_t outstanding() const { return queues_[0].size() + queues_[1].size() + queues_[2].size(); }
  bool mute = false;  // answers nothing

  void drive() override {
    sink_.drive();
    if (responded_ && held_) return;
    responded_ = false;
    if (!mute && outstanding() != 0 && answering_.go()) {
      unsigned id = random_.below(common::kMbusIds);
      while (queues_[id].empty()) id = (id + 1) % common::kMbusIds;
      store(pins_.response, queues_[id].front());
      queues_[id].pop_front();
      responded_ = true;
    } else {
      pins_.response.scramble(random_);
    }
    pins_.rsp_valid.set(responded_ ? 1 : 0);
  }

  void sample() override {
    sink_.sample();
    for (const auto& request : taken_) queues_.at(request.id).push_back(answer_(request));
    taken_.clear();
    held_ = ready_ && !ready_->get();
  }

 private:
  MbusPins pins_;
  std::optional<Field> ready_;
  Random& random_;
  std::vector<MbusRequest> taken_;
  StreamSink<MbusRequest> sink_;
  std::function<MbusResponse(const MbusRequest&)> answer_;
  Stalls answering_;
  std::array<std::deque<MbusResponse>, common::kMbusIds> queues_;
  bool responded_ = false;
  bool held_ = false;
};

}  // namespace swai::verif
