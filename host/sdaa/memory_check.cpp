#include "host/sdaa/memory_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <span>
#include <vector>

#include "host/sdaa/copy.hpp"

namespace swai::sdaa::memory_check {
namespace {

using protocol::Usage;

void fill(Device& device, Device::Lock& lock, uint64_t to, uint64_t bytes, uint8_t value, Usage usage) {
  Queue& queue = device.service_queue();
  if (usage == Usage::kMpe) {
    // The cores cannot.
    const std::vector<uint8_t> pattern(std::min(bytes, HostMemory::kBufferBytes), value);
    for (uint64_t done = 0; done < bytes; done += pattern.size())
      copy_to_card(device, lock, queue, to + done, pattern.data(), std::min(pattern.size(), bytes - done));
    return;
  }
  command::Fill command = {};
  command.to = to;
  command.bytes = bytes;
  command.rows = 1;
  command.value = value;
  device.wait(lock, device.send(lock, queue, command::Type::kFill, command));
}

// Which of the device's allocations it is, and whose.
std::string name_of(Device& device, uint64_t pointer, const Allocation& allocation) {
  constexpr const char* kKinds[] = {"cores", "the processor", "both"};
  const auto kind = std::min(static_cast<size_t>(allocation.usage), std::size(kKinds) - 1);
  return fmt::format("allocation {} of client {} of device {}: {} bytes at {:#x} for {}", allocation.number,
                     device.connection().client(), device.number(), allocation.bytes, pointer, kKinds[kind]);
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
  Queue& queue = device.service_queue();
  std::vector<uint8_t> front(kZone);
  std::vector<uint8_t> back(room(allocation.bytes) - kZone - allocation.bytes);
  copy_to_host(device, lock, queue, front.data(), pointer - kZone, front.size());
  copy_to_host(device, lock, queue, back.data(), pointer + allocation.bytes, back.size());
  const std::string found = look_at(front, "before it", true) + look_at(back, "behind it", false);
  return found.empty() ? found : name_of(device, pointer, allocation) + found;
}

void poison(Device& device, Device::Lock& lock, uint64_t pointer, const Allocation& allocation) {
  fill(device, lock, pointer - kZone, room(allocation.bytes), kFreedByte, allocation.usage);
}

void report_leaks(Device& device) {
  constexpr size_t kMostLines = 32;
  const auto& all = device.allocations().all();
  if (all.empty()) return;
  uint64_t bytes = 0;
  for (const auto& [pointer, allocation] : all) bytes += allocation.bytes;
  std::string text =
      fmt::format("device {}: {} allocations were not freed, {} bytes", device.number(), all.size(), bytes);
  size_t lines = 0;
  for (const auto& [pointer, allocation] : all) {
    if (lines++ == kMostLines) {
      text += "\n  ...";
      break;
    }
    text += "\n  " + name_of(device, pointer, allocation);
  }
  report(text);
}

void report(const std::string& text) { fmt::print(stderr, "sdaa: memory check: {}\n", text); }

}  // namespace swai::sdaa::memory_check
