// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/group/memory/memory_model.hpp"

namespace swai::cg {

namespace {

constexpr uint64_t kCard = uint64_t{1} << 40;

}  // namespace

Line CardMemory::read(uint64_t addr) const {
  const auto found = lines_.find(addr / 64);
  return found == lines_.end() ? Line{} : found->second;
}

void CardMemory::write(uint64_t addr, const Line& data, uint64_t strobe) {
  Line& line = lines_[addr / 64];
  for (unsigned byte = 0; byte < 64; ++byte) {
    if ((strobe >> byte) & 1) line[byte] = data[byte];
  }
  if (strobe == ~uint64_t{0}) poisoned_.erase(addr / 64);
}

Status status_at(uint64_t addr) {
  switch (addr >> 28) {
    case 0x900:
      return Status::kNobody;
    case 0x901:
      return Status::kDenied;
    default:
      return Status::kOk;
  }
}

uint64_t MemoryModel::translate(uint16_t segment, uint64_t offset, Access access, Cause& cause) const {
  cause = Cause::kNoSegment;
  if (segment >= space.table_entries) return 0;
  if (lost.contains(segment)) {
    cause = Cause::kPoison;
    return 0;
  }
  const Segment entry = segment < table.size() ? table[segment] : Segment{};
  if (!entry.valid) return 0;
  const bool allowed = access == Access::kFetch   ? entry.execute
                       : access == Access::kWrite ? entry.write
                                                  : entry.read;
  const uint64_t addr = entry.base * kGranule + offset;
  if (entry.owner != 0 && entry.owner != space.owner) {
    cause = Cause::kOwner;
  } else if (!allowed) {
    cause = Cause::kPermission;
  } else if (offset >= entry.size * kGranule) {
    cause = Cause::kLimit;
  } else if (addr >= kCard) {
    cause = Cause::kBus;
  } else {
    cause = Cause::kNone;
  }
  return addr;
}

Answer MemoryModel::read(uint64_t addr) const {
  if (status_at(addr) != Status::kOk) return {Cause::kBus};
  if (memory.poisoned(addr)) return {Cause::kPoison};
  return {Cause::kNone, true, memory.read(addr)};
}

Answer MemoryModel::access(const MemRequest& request) {
  Cause cause{};
  const uint64_t addr =
      translate(request.segment, request.offset, request.write ? Access::kWrite : Access::kRead, cause);
  if (cause != Cause::kNone) return {cause};
  if (!request.write) return read(addr);
  if (status_at(addr) != Status::kOk) return {Cause::kBus};
  Line data{};
  uint64_t strobe = 0;
  for (unsigned i = 0; i < request.bytes; ++i) {
    data[addr % 64 + i] = request.data[(request.lane + i) % 64];
    strobe |= uint64_t{1} << (addr % 64 + i);
  }
  memory.write(addr, data, strobe);
  return {};
}

Answer MemoryModel::fetch(uint32_t line) const {
  const uint32_t name = line >> 22 & 7;
  if (name != 4 && name != 5) return {Cause::kVacant};
  Cause cause{};
  const uint64_t addr = translate(name == 4 ? space.daemon_segment : space.code_segment,
                                  uint64_t{line & 0x3f'ffff} * 64, Access::kFetch, cause);
  if (cause != Cause::kNone) return {cause};
  return read(addr);
}

}  // namespace swai::cg
