// SPDX-License-Identifier: Apache-2.0
// Requests and responses of the ring (rtl/noc/noc_pkg.sv) at the pins of a target.
#pragma once

#include <array>
#include <cstdint>

#include "sim/common/field.hpp"
#include "sim/common/memory_model.hpp"
#include "wires.hpp"

namespace swai::cg {

using common::MbusOp;
using verif::Field;

inline constexpr unsigned kReqBits = wires::noc::req::kBits;
inline constexpr unsigned kRspBits = wires::noc::rsp::kBits;
inline constexpr unsigned kCmdBits = 45;
using Line = std::array<uint8_t, 64>;

enum class Status : uint8_t {
  kOk = wires::noc::status::kOk,
  kPoison = wires::noc::status::kPoison,
  kDenied = wires::noc::status::kDenied,
  kNobody = wires::noc::status::kNobody
};

struct Request {
  MbusOp op = MbusOp::kRead;
  uint8_t source = 0;
  uint8_t tag = 0;
  uint8_t size = 0;  // log2 of bytes
  uint64_t addr = 0;
  uint64_t strb = 0;
  Line data{};

  bool operator==(const Request&) const = default;
};

struct Response {
  uint8_t dest = 0;
  uint8_t tag = 0;
  Status status = Status::kOk;
  Line data{};

  bool operator==(const Response&) const = default;
};

inline void store(Field& field, const Request& request) {
  field.set_bytes(request.data);
  field.set(wires::noc::req::kStrb, request.strb);
  field.set(wires::noc::req::kSize, request.size);
  field.set(wires::noc::req::kAddr, request.addr);
  field.set(wires::noc::req::kTag, request.tag);
  field.set(wires::noc::req::kSource, request.source);
  field.set(wires::noc::req::kOp, static_cast<uint64_t>(request.op));
}

inline void load(const Field& field, Response& response) {
  field.get_bytes(response.data);
  response.status = static_cast<Status>(field.get(wires::noc::rsp::kStatus));
  response.tag = static_cast<uint8_t>(field.get(wires::noc::rsp::kTag));
  response.dest = static_cast<uint8_t>(field.get(wires::noc::rsp::kDest));
}

}  // namespace swai::cg
