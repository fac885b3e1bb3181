// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/allocations.hpp"

#include <fmt/core.h>

#include <iterator>

#include "host/runtime/error.hpp"

namespace swai::sdaa {

void Allocations::add(uint64_t pointer, const Allocation& allocation) {
  auto old = freed_.lower_bound(pointer);
  if (old != freed_.begin() && std::prev(old)->first + std::prev(old)->second.bytes > pointer) --old;
  while (old != freed_.end() && old->first < pointer + allocation.bytes) old = freed_.erase(old);
  all_.emplace(pointer, allocation);
}

const Allocation& Allocations::check_begin(uint64_t pointer) const {
  const auto found = all_.find(pointer);
  if (found == all_.end()) {
    fail(sdaaErrorInvalidDevicePointer,
         fmt::format("{:#x} is not the beginning of memory of device {}, or was freed before", pointer,
                     device_));
  }
  return found->second;
}

Allocations::Map::const_iterator Allocations::find(uint64_t pointer) const {
  auto found = all_.upper_bound(pointer);
  if (found == all_.begin()) return all_.end();
  --found;
  return pointer - found->first < found->second.bytes ? found : all_.end();
}

const Allocation& Allocations::check(uint64_t pointer, uint64_t bytes) const {
  const auto found = find(pointer);
  if (found == all_.end())
    fail(sdaaErrorInvalidDevicePointer, fmt::format("{:#x} is no memory of device {}", pointer, device_));
  const uint64_t left = found->second.bytes - (pointer - found->first);
  if (bytes > left) {
    fail(sdaaErrorInvalidValue, fmt::format("{} bytes at {:#x} go {} bytes beyond the end of the allocation",
                                            bytes, pointer, bytes - left));
  }
  return found->second;
}

void Allocations::clear() {
  all_.clear();
  freed_.clear();
  count_ = 0;
}

}  // namespace swai::sdaa
