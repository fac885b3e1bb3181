#include "sim/iss/cpe/round_memory.hpp"

#include <algorithm>
#include <cstring>

namespace swai::iss::cpe {

Cause RoundMemory::read(uint16_t number, uint64_t offset, std::span<uint8_t> bytes) {
  uint64_t address = 0;
  Cause cause = port_.translate(number, offset, bytes.size(), Access::kRead, address);
  if (cause != Cause::kNone) return cause;
  ++lines_read_;
  cause = port_.read_at(address, bytes);
  const uint64_t end = address + bytes.size();
  if (address >= highest_ || end <= lowest_) return cause;
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
  const Cause cause = port_.may_write(number, offset, bytes.size(), address);
  if (cause != Cause::kNone) return cause;
  ++lines_written_;
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
  return Cause::kNone;
}

void RoundMemory::commit() {
  for (const Store& store : stores_) {
    for (uint64_t done = 0; done < store.bytes;) {
      const uint64_t address = store.address + done;
      const uint64_t bytes = std::min(store.bytes - done, kLineBytes - address % kLineBytes);
      port_.write_at(address, std::span(bytes_).subspan(store.first + done, bytes));
      done += bytes;
    }
  }
  stores_.clear();
  bytes_.clear();
  lowest_ = ~uint64_t{0};
  highest_ = 0;
}

}  // namespace swai::iss::cpe
