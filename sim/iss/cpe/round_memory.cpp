// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/round_memory.hpp"

#include <algorithm>
#include <cstring>

namespace swai::iss::cpe {

const RoundMemory::Segment& RoundMemory::segment(uint16_t number) {
  Segment& segment = segments_[number % kSegments];
  if (segment.known && segment.number == number) return segment;
  segment = {.known = true, .is_memory = true, .number = number, .is = port_.look_up(number)};
  const segment::Entry& entry = segment.is.entry;
  if (segment.is.cause == Cause::kNone) {
    segment.is_memory = port_.memory().is_memory(entry.base, entry.size);
    segment.hops = static_cast<uint8_t>(port_.memory().hops(entry.base));
    if (const Allocations* const all = port_.memory().allocations()) segment.allocated = all->of(number);
  }
  return segment;
}

// The port's checks, and in a checked run that these bytes are allocated. Called for each line that is moved.
[[gnu::always_inline]] inline Cause RoundMemory::check(uint16_t number, uint64_t offset, uint64_t bytes,
                                                       Access access, uint64_t& address) {
  const Segment& in = segment(number);
  const Cause cause = Port::check(in.is, offset, bytes, access, address);
  if (cause != Cause::kNone || in.allocated == nullptr) return cause;
  return Allocations::contain(*in.allocated, offset, bytes) ? Cause::kNone : Cause::kLimit;
}

Cause RoundMemory::read(uint16_t number, uint64_t offset, std::span<uint8_t> bytes) {
  uint64_t address = 0;
  Cause cause = check(number, offset, bytes.size(), Access::kRead, address);
  if (cause != Cause::kNone) return cause;
  ++lines_read_;
  cause = port_.read_at(address, bytes);
  if (!has_stored(address, bytes.size())) return cause;
  const uint64_t end = address + bytes.size();
  for (const Store& store : stores_) {
    const uint64_t from = std::max(address, store.address);
    const uint64_t to = std::min(end, store.address + store.bytes);
    if (from < to)
      std::memcpy(&bytes[from - address], &bytes_[store.first + (from - store.address)], to - from);
  }
  return cause;
}

Cause RoundMemory::write(uint16_t number, uint64_t offset, std::span<const uint8_t> bytes) {
  uint64_t address = 0;
  Cause cause = check(number, offset, bytes.size(), Access::kWrite, address);
  if (cause == Cause::kNone) cause = port_.may_write_at(address, bytes.size());
  if (cause != Cause::kNone) return cause;
  ++lines_written_;
  keep(address, bytes);
  return Cause::kNone;
}

void RoundMemory::keep(uint64_t address, std::span<const uint8_t> bytes) {
  const bool goes_on = !stores_.empty() && address % kLineBytes == 0 &&
                       stores_.back().address + stores_.back().bytes == address;
  if (goes_on) {
    stores_.back().bytes += bytes.size();
  } else {
    stores_.push_back({.address = address, .bytes = bytes.size(), .first = bytes_.size()});
  }
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  lowest_ = std::min(lowest_, address);
  highest_ = std::max(highest_, address + bytes.size());
}

// Where these bytes of a segment are; null: they cannot be accessed so, or not at once.
uint8_t* RoundMemory::plain(uint16_t number, uint64_t offset, uint64_t bytes, Access access,
                            uint64_t& address) {
  if (check(number, offset, bytes, access, address) != Cause::kNone) return nullptr;
  return port_.memory().plain(address, bytes);
}

bool RoundMemory::read_lines(uint16_t number, uint64_t offset, std::span<uint8_t> bytes) {
  uint64_t address = 0;
  const uint8_t* const from = plain(number, offset, bytes.size(), Access::kRead, address);
  if (from == nullptr || has_stored(address, bytes.size())) return false;
  std::memcpy(bytes.data(), from, bytes.size());
  lines_read_ += lines_of(address, bytes.size());
  return true;
}

bool RoundMemory::write_lines(uint16_t number, uint64_t offset, std::span<const uint8_t> bytes) {
  uint64_t address = 0;
  if (plain(number, offset, bytes.size(), Access::kWrite, address) == nullptr) return false;
  lines_written_ += lines_of(address, bytes.size());
  keep(address, bytes);
  return true;
}

void RoundMemory::commit() {
  for (const Store& store : stores_) {
    if (uint8_t* const into = port_.memory().plain(store.address, store.bytes)) {
      std::memcpy(into, &bytes_[store.first], store.bytes);
      continue;
    }
    for (uint64_t done = 0; done < store.bytes;) {
      const uint64_t address = store.address + done;
      const uint64_t bytes = std::min(store.bytes - done, kLineBytes - address % kLineBytes);
      port_.write_at(address, std::span(bytes_).subspan(store.first + done, bytes));
      done += bytes;
    }
  }
  for (Segment& segment : segments_) segment.known = false;
  stores_.clear();
  bytes_.clear();
  lowest_ = ~uint64_t{0};
  highest_ = 0;
}

}  // namespace swai::iss::cpe
