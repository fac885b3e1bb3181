// SPDX-License-Identifier: Apache-2.0
// What travels between CPEs and the memory port of their group (rtl/cpe/cpe_pkg.sv, rtl/group/cg_pkg.sv), at
// the pins.
#pragma once

#include <cstdint>

#include "cpe_isa.hpp"
#include "sim/group/noc_port.hpp"

namespace swai::cg {

inline constexpr unsigned kCpes = 32;
inline constexpr unsigned kMemTags = 8;
inline constexpr unsigned kMemReqBits = wires::cpe::mem_req::kBits;
inline constexpr unsigned kMemRspBits = wires::cpe::mem_rsp::kBits;
inline constexpr unsigned kSpaceBits = wires::cg::space::kBits;
inline constexpr uint64_t kGranule = 4096;

using swai::cpe::isa::Cause;

enum class Kind : uint8_t {
  kDma = wires::cpe::mem_kind::kMemDma,
  kScalar = wires::cpe::mem_kind::kMemScalar,
  kFetch = wires::cpe::mem_kind::kMemFetch
};

struct MemRequest {
  bool write = false;
  bool scalar = false;
  uint8_t tag = 0;
  uint16_t segment = 0;
  uint64_t offset = 0;
  uint8_t lane = 0;
  uint8_t bytes = 0;
  Line data{};
};

struct MemResponse {
  Kind kind = Kind::kDma;
  uint8_t tag = 0;
  Cause cause = Cause::kNone;
  Line data{};
};

struct Segment {
  uint8_t owner = 0;  // 0: shared
  bool valid = false;
  bool execute = false;
  bool write = false;
  bool read = false;
  uint32_t size = 0;  // granules
  uint32_t base = 0;

  uint64_t packed() const {
    namespace e = swai::cpe::isa::segment_entry;
    return e::kOwner.put(owner) | e::kValid.put(valid) | e::kExecute.put(execute) | e::kWrite.put(write) |
           e::kRead.put(read) | e::kSize.put(size) | e::kBase.put(base);
  }
};

struct Space {
  uint64_t table_base = 0;
  uint32_t table_entries = 0;
  uint16_t daemon_segment = 0;
  uint16_t code_segment = 0;
  uint8_t owner = 0;
};

// Data of a read is left as it is: the port must not look at it.
inline void store(Field& field, const MemRequest& request) {
  if (request.write) field.set_bytes(request.data);
  field.set(wires::cpe::mem_req::kBytes, request.bytes);
  field.set(wires::cpe::mem_req::kLane, request.lane);
  field.set(wires::cpe::mem_req::kOffset, request.offset);
  field.set(wires::cpe::mem_req::kSegment, request.segment);
  field.set(wires::cpe::mem_req::kTag, request.tag);
  field.set(wires::cpe::mem_req::kScalar, request.scalar);
  field.set(wires::cpe::mem_req::kWrite, request.write);
}

inline void load(const Field& field, MemResponse& response) {
  field.get_bytes(response.data);
  response.cause = static_cast<Cause>(field.get(wires::cpe::mem_rsp::kCause));
  response.tag = static_cast<uint8_t>(field.get(wires::cpe::mem_rsp::kTag));
  response.kind = static_cast<Kind>(field.get(wires::cpe::mem_rsp::kKind));
}

inline void store(Field& field, const Space& space) {
  field.set(wires::cg::space::kOwner, space.owner);
  field.set(wires::cg::space::kCodeSegment, space.code_segment);
  field.set(wires::cg::space::kDaemonSegment, space.daemon_segment);
  field.set(wires::cg::space::kTableEntries, space.table_entries);
  field.set(wires::cg::space::kTableBase, space.table_base);
}

// And the other end of the ring.
inline void load(const Field& field, Request& request) {
  field.get_bytes(request.data);
  request.strb = field.get(wires::noc::req::kStrb);
  request.size = static_cast<uint8_t>(field.get(wires::noc::req::kSize));
  request.addr = field.get(wires::noc::req::kAddr);
  request.tag = static_cast<uint8_t>(field.get(wires::noc::req::kTag));
  request.source = static_cast<uint8_t>(field.get(wires::noc::req::kSource));
  request.op = static_cast<MbusOp>(field.get(wires::noc::req::kOp));
}

inline void store(Field& field, const Response& response) {
  field.set_bytes(response.data);
  field.set(wires::noc::rsp::kStatus, static_cast<uint64_t>(response.status));
  field.set(wires::noc::rsp::kTag, response.tag);
  field.set(wires::noc::rsp::kDest, response.dest);
}

}  // namespace swai::cg
