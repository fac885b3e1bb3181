// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/port.hpp"

#include <cstring>

namespace swai::iss::cpe {

namespace {

Cause cause_of(MemoryStatus status) {
  switch (status) {
    case MemoryStatus::kOk:
      return Cause::kNone;
    case MemoryStatus::kPoison:
      return Cause::kPoison;
    case MemoryStatus::kNobody:
      break;
  }
  return Cause::kBus;
}

uint8_t permission(Access access) {
  switch (access) {
    case Access::kFetch:
      return segment::kExecute;
    case Access::kWrite:
      return segment::kWrite;
    case Access::kRead:
    case Access::kNone:
      break;
  }
  return segment::kRead;
}

}  // namespace

Port::Segment Port::look_up(uint16_t number) {
  if (number >= table_entries_) return {.cause = Cause::kNoSegment};
  uint64_t word = 0;
  uint8_t raw[sizeof word];
  const Cause cause = cause_of(memory_.read(table_base_ + sizeof word * number, raw));
  if (cause != Cause::kNone) return {.cause = cause};
  std::memcpy(&word, raw, sizeof word);
  if (!segment::is_valid(word)) return {.cause = Cause::kNoSegment};
  const segment::Entry entry = segment::decode(word);
  const bool foreign = entry.owner != segment::kShared && entry.owner != owner_;
  return {.cause = foreign ? Cause::kOwner : Cause::kNone, .entry = entry};
}

Cause Port::check(const Segment& segment, uint64_t offset, uint64_t bytes, Access access, uint64_t& address) {
  if (segment.cause != Cause::kNone) return segment.cause;
  const segment::Entry& entry = segment.entry;
  if ((entry.permissions & permission(access)) == 0) return Cause::kPermission;
  if (offset > entry.size || bytes > entry.size - offset) return Cause::kLimit;
  address = entry.base + offset;
  return Cause::kNone;
}

Cause Port::translate(uint16_t number, uint64_t offset, uint64_t bytes, Access access, uint64_t& address) {
  return check(look_up(number), offset, bytes, access, address);
}

Cause Port::read(uint16_t number, uint64_t offset, std::span<uint8_t> bytes, Access access) {
  uint64_t address = 0;
  const Cause cause = translate(number, offset, bytes.size(), access, address);
  return cause == Cause::kNone ? cause_of(memory_.read(address, bytes)) : cause;
}

Cause Port::write(uint16_t number, uint64_t offset, std::span<const uint8_t> bytes) {
  uint64_t address = 0;
  const Cause cause = translate(number, offset, bytes.size(), Access::kWrite, address);
  return cause == Cause::kNone ? cause_of(memory_.write(address, bytes)) : cause;
}

Cause Port::may_write_at(uint64_t address, uint64_t bytes) {
  return cause_of(memory_.may_write(address, bytes));
}

Cause Port::read_at(uint64_t address, std::span<uint8_t> bytes) {
  return cause_of(memory_.read(address, bytes));
}

Cause Port::fetch(uint32_t address, uint8_t* line) {
  uint16_t segment = 0;
  switch (address >> 28) {
    case space::kDaemon:
      segment = daemon_segment_;
      break;
    case space::kKernel:
      segment = code_segment_;
      break;
    default:
      return Cause::kVacant;
  }
  return read(segment, address & 0xfff'ffff, {line, kLineBytes}, Access::kFetch);
}

}  // namespace swai::iss::cpe
