// SPDX-License-Identifier: Apache-2.0
#include "host/sdaa/memory_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <span>
#include <vector>

#include "abi/launch.hpp"
#include "abi/segment.hpp"
#include "host/sdaa/copy.hpp"
#include "host/sdaa/queue_failure.hpp"

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

// The nearest allocation of the same segment, and its position relative to the pointer; empty if there is
// none.
std::string nearest(Device& device, uint64_t pointer) {
  const Allocations::Map& all = device.allocations().all();
  const auto after = all.upper_bound(pointer);
  const uint64_t segment = segment::number(pointer);
  constexpr uint64_t kNone = ~uint64_t{0};
  const bool is_before = after != all.begin() && segment::number(std::prev(after)->first) == segment;
  const bool is_after = after != all.end() && segment::number(after->first) == segment;
  // An access that begins within an allocation extends beyond its end.
  const uint64_t end = is_before ? std::prev(after)->first + std::prev(after)->second.bytes : 0;
  const uint64_t behind = !is_before ? kNone : pointer < end ? 0 : pointer - end;
  const uint64_t in_front = is_after ? after->first - pointer : kNone;
  if (behind == kNone && in_front == kNone) return {};
  if (behind <= in_front)
    return fmt::format("{} bytes after the end of {}", behind,
                       name_of(device, std::prev(after)->first, std::prev(after)->second));
  return fmt::format("{} bytes before {}", in_front, name_of(device, after->first, after->second));
}

// Empty: nothing is known beyond the cause.
std::string describe(Device& device, uint64_t pointer) {
  const Allocations::Map& freed = device.allocations().freed();
  const auto found = freed.upper_bound(pointer);
  const bool is_freed =
      found != freed.begin() && pointer - std::prev(found)->first < std::prev(found)->second.bytes;
  if (is_freed)
    return "memory that was freed, " + name_of(device, std::prev(found)->first, std::prev(found)->second);
  const std::string near = nearest(device, pointer);
  return near.empty() ? near : "memory that is not allocated, " + near;
}

}  // namespace

void report_no_access_check(int device) {
  report(
      fmt::format("device {}: accesses of kernels are not checked, only the zones around allocations: a card "
                  "of --tier fast that no daemon shares checks them",
                  device));
}

void explain_fault(Device& device, Queue& queue) {
  const auto cause = static_cast<launch::Cause>(queue.line.detail);
  if (queue.line.status != protocol::Status::kKernelFault ||
      (cause != launch::Cause::kLimit && cause != launch::Cause::kNoSegment))
    return;
  queue.explanation = describe(device, queue.line.detail_address);
  report(failure_of(queue).what());
}

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
