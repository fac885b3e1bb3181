// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/msix.hpp"

namespace swai::fast {
namespace {

constexpr uint64_t kEntryBytes = 16;

}  // namespace

uint32_t Msix::read(uint64_t offset) const {
  if (offset == kPending) return pending_;
  if (offset >= kVectors * kEntryBytes) return 0;
  const auto vector = static_cast<unsigned>(offset / kEntryBytes);
  switch (offset % kEntryBytes) {
    case 0:
      return static_cast<uint32_t>(table_[vector].address);
    case 4:
      return static_cast<uint32_t>(table_[vector].address >> 32);
    case 8:
      return table_[vector].data;
    default:
      return masked_ >> vector & 1;
  }
}

void Msix::write(uint64_t offset, uint32_t data, uint32_t mask) {
  if (offset >= kVectors * kEntryBytes) return;
  const auto vector = static_cast<unsigned>(offset / kEntryBytes);
  Message& message = table_[vector];
  switch (offset % kEntryBytes) {
    case 0:
      mask &= ~uint32_t{3};
      message.address = (message.address & ~uint64_t{mask}) | (data & mask);
      break;
    case 4:
      message.address = (message.address & ~(uint64_t{mask} << 32)) | uint64_t{data & mask} << 32;
      break;
    case 8:
      message.data = (message.data & ~mask) | (data & mask);
      break;
    default:
      if ((mask & 1) != 0) masked_ = (masked_ & ~(uint32_t{1} << vector)) | (data & 1) << vector;
      break;
  }
}

std::optional<Msix::Message> Msix::take() {
  for (unsigned i = 1; i <= kVectors; ++i) {
    const unsigned vector = (last_ + i) % kVectors;
    if ((pending_ & ~masked_) >> vector & 1) {
      pending_ &= ~(uint32_t{1} << vector);
      last_ = vector;
      return table_[vector];
    }
  }
  return std::nullopt;
}

void Msix::reset() {
  masked_ = ~uint32_t{0};
  pending_ = 0;
}

}  // namespace swai::fast
