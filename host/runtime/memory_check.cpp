// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/memory_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "host/runtime/memory_report.hpp"
#include "host/runtime/service_copies.hpp"

namespace swai::sdaa::memory_check {
namespace {

using protocol::Usage;

void fill(Device& device, Device::Lock& lock, uint64_t to, uint64_t bytes, uint8_t value, Usage usage) {
  if (usage == Usage::kMpe) {
    // The cores cannot.
    const std::vector<uint8_t> pattern(std::min(bytes, HostMemory::kBufferBytes), value);
    for (uint64_t done = 0; done < bytes; done += pattern.size())
      copy_to_card(device, lock, to + done, pattern.data(), std::min(pattern.size(), bytes - done));
    return;
  }
  command::Fill command = {};
  command.to = to;
  command.bytes = bytes;
  command.rows = 1;
  command.value = value;
  device.service_writer(lock).run(command::Type::kFill, command);
}

// How a zone was damaged, if it was.
std::string look_at(std::span<const uint8_t> zone, const char* where, bool before) {
  const auto broken = [](uint8_t byte) { return byte != kZoneByte; };
  const auto count = std::ranges::count_if(zone, broken);
  if (count == 0) return {};
  const auto first = std::ranges::find_if(zone, broken) - zone.begin();
  const auto distance = before ? static_cast<int64_t>(zone.size()) - first : first;
  return fmt::format("; {} bytes {} were written, the first {} bytes away", count, where, distance);
}

}  // namespace

void prepare(Device& device, Device::Lock& lock, uint64_t pointer, const Allocation& allocation) {
  fill(device, lock, pointer - kZone, room(allocation.bytes), kZoneByte, allocation.usage);
  fill(device, lock, pointer, allocation.bytes, kFreshByte, allocation.usage);
}

std::string damage(Device& device, Device::Lock& lock, uint64_t pointer, const Allocation& allocation) {
  std::vector<uint8_t> front(kZone);
  std::vector<uint8_t> back(room(allocation.bytes) - kZone - allocation.bytes);
  copy_to_host(device, lock, front.data(), pointer - kZone, front.size());
  copy_to_host(device, lock, back.data(), pointer + allocation.bytes, back.size());
  const std::string found = look_at(front, "before it", true) + look_at(back, "behind it", false);
  return found.empty() ? found : name_of(device.owned(), pointer, allocation) + found;
}

void poison(Device& device, Device::Lock& lock, uint64_t pointer, const Allocation& allocation) {
  fill(device, lock, pointer - kZone, room(allocation.bytes), kFreedByte, allocation.usage);
}

}  // namespace swai::sdaa::memory_check
