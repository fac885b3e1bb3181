// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/memory_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "abi/launch.hpp"
#include "abi/segment.hpp"

namespace swai::sdaa::memory_check {
namespace {

// The nearest allocation of the same segment, and its position relative to the pointer; empty if there is
// none.
std::string nearest(const Owned& owned, uint64_t pointer) {
  const Allocations::Map& all = owned.allocations.all();
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
                       name_of(owned, std::prev(after)->first, std::prev(after)->second));
  return fmt::format("{} bytes before {}", in_front, name_of(owned, after->first, after->second));
}

// Empty: nothing is known beyond the cause.
std::string describe(const Owned& owned, uint64_t pointer) {
  const Allocations::Map& freed = owned.allocations.freed();
  const auto found = freed.upper_bound(pointer);
  const bool is_freed =
      found != freed.begin() && pointer - std::prev(found)->first < std::prev(found)->second.bytes;
  if (is_freed)
    return "memory that was freed, " + name_of(owned, std::prev(found)->first, std::prev(found)->second);
  const std::string near = nearest(owned, pointer);
  return near.empty() ? near : "memory that is not allocated, " + near;
}

}  // namespace

std::string name_of(const Owned& owned, uint64_t pointer, const Allocation& allocation) {
  constexpr const char* kKinds[] = {"cores", "the processor", "both"};
  const auto kind = std::min(static_cast<size_t>(allocation.usage), std::size(kKinds) - 1);
  return fmt::format("allocation {} of client {} of device {}: {} bytes at {:#x} for {}", allocation.number,
                     owned.client, owned.allocations.device(), allocation.bytes, pointer, kKinds[kind]);
}

void report_no_access_check(int device) {
  report(
      fmt::format("device {}: accesses of kernels are not checked, only the zones around allocations: a card "
                  "of --tier fast that no daemon shares checks them",
                  device));
}

void explain_fault(const Owned& owned, Queue& queue) {
  const auto cause = static_cast<launch::Cause>(queue.line.detail);
  if (queue.line.status != protocol::Status::kKernelFault ||
      (cause != launch::Cause::kLimit && cause != launch::Cause::kNoSegment))
    return;
  queue.explanation = describe(owned, queue.line.detail_address);
  report(failure_of(queue).what());
}

void report_leaks(const Owned& owned) {
  constexpr size_t kMostLines = 32;
  const auto& all = owned.allocations.all();
  if (all.empty()) return;
  uint64_t bytes = 0;
  for (const auto& [pointer, allocation] : all) bytes += allocation.bytes;
  std::string text = fmt::format("device {}: {} allocations were not freed, {} bytes",
                                 owned.allocations.device(), all.size(), bytes);
  size_t lines = 0;
  for (const auto& [pointer, allocation] : all) {
    if (lines++ == kMostLines) {
      text += "\n  ...";
      break;
    }
    text += "\n  " + name_of(owned, pointer, allocation);
  }
  report(text);
}

void report(const std::string& text) { fmt::print(stderr, "sdaa: memory check: {}\n", text); }

}  // namespace swai::sdaa::memory_check
