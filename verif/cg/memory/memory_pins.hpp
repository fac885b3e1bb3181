// What travels between CPEs and the memory port of their group (rtl/cpe/cpe_pkg.sv, rtl/cg/cg_pkg.sv), at the
// pins.
#pragma once

#include <cstdint>

#include "sim/group/noc_port.hpp"

namespace swai::cg {

inline constexpr unsigned kCpes = 32;
inline constexpr unsigned kMemTags = 8;
inline constexpr unsigned kMemReqBits = 594;
inline constexpr unsigned kMemRspBits = 522;
inline constexpr unsigned kSpaceBits = 97;
inline constexpr uint64_t kGranule = 4096;

enum class Cause : uint8_t {
  kNone = 0,
  kVacant = 4,
  kNoSegment = 8,
  kLimit = 9,
  kPermission = 10,
  kOwner = 11,
  kBus = 12,
  kPoison = 13
};

enum class Kind : uint8_t { kDma, kScalar, kFetch };

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
    const uint64_t flags = valid * 8U + execute * 4U + write * 2U + read * 1U;
    return uint64_t{owner} << 56 | flags << 52 | uint64_t{size} << 28 | base;
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
  field.set(512, 7, request.bytes);
  field.set(519, 6, request.lane);
  field.set(525, 48, request.offset);
  field.set(573, 16, request.segment);
  field.set(589, 3, request.tag);
  field.set(592, 1, request.scalar);
  field.set(593, 1, request.write);
}

inline void load(const Field& field, MemResponse& response) {
  field.get_bytes(response.data);
  response.cause = static_cast<Cause>(field.get(512, 5));
  response.tag = static_cast<uint8_t>(field.get(517, 3));
  response.kind = static_cast<Kind>(field.get(520, 2));
}

inline void store(Field& field, const Space& space) {
  field.set(0, 8, space.owner);
  field.set(8, 16, space.code_segment);
  field.set(24, 16, space.daemon_segment);
  field.set(40, 17, space.table_entries);
  field.set(57, 40, space.table_base);
}

// And the other end of the ring.
inline void load(const Field& field, Request& request) {
  field.get_bytes(request.data);
  request.strb = field.get(512, 64);
  request.size = static_cast<uint8_t>(field.get(576, 3));
  request.addr = field.get(579, 40);
  request.tag = static_cast<uint8_t>(field.get(619, 8));
  request.source = static_cast<uint8_t>(field.get(627, 3));
  request.op = static_cast<MbusOp>(field.get(630, 4));
}

inline void store(Field& field, const Response& response) {
  field.set_bytes(response.data);
  field.set(512, 2, static_cast<uint64_t>(response.status));
  field.set(514, 8, response.tag);
  field.set(522, 3, response.dest);
}

}  // namespace swai::cg
