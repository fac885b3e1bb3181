// Requests and responses of the ring (rtl/noc/noc_pkg.sv) at the pins of a target.
#pragma once

#include <array>
#include <cstdint>

#include "sim/common/memory_model.hpp"
#include "sim/common/field.hpp"

namespace swai::cg {

using common::MbusOp;
using verif::Field;

inline constexpr unsigned kReqBits = 634;
inline constexpr unsigned kRspBits = 525;
inline constexpr unsigned kCmdBits = 45;
using Line = std::array<uint8_t, 64>;

enum class Status : uint8_t { kOk, kPoison, kDenied, kNobody };

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
  field.set(512, 64, request.strb);
  field.set(576, 3, request.size);
  field.set(579, 40, request.addr);
  field.set(619, 8, request.tag);
  field.set(627, 3, request.source);
  field.set(630, 4, static_cast<uint64_t>(request.op));
}

inline void load(const Field& field, Response& response) {
  field.get_bytes(response.data);
  response.status = static_cast<Status>(field.get(512, 2));
  response.tag = static_cast<uint8_t>(field.get(514, 8));
  response.dest = static_cast<uint8_t>(field.get(522, 3));
}

}  // namespace swai::cg
