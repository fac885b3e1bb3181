// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/device_memory.hpp"

#include <fmt/format.h>

#include <string>

#include "host/runtime/memory_check.hpp"
#include "host/runtime/pool.hpp"

namespace swai::sdaa {
namespace {

using protocol::Operation;
using protocol::Status;

// Does something with memory that is nobody's: not the user's yet, or not any more. When that fails the card
// gets the memory back all the same.
template <typename Action>
void or_give_back(Device& device, Device::Lock& lock, uint64_t given, Action action) {
  const uint64_t epoch = device.epoch();
  try {
    action();
  } catch (const Failure&) {
    try {
      // After a reset the number may be somebody else's. What was begun may still use it.
      if (device.epoch() == epoch) {
        device.waiting().until_idle(lock);
        device.connection().ask(Operation::kFree, {given});
      }
    } catch (const Failure&) {
      // Nobody knows whether it is in use: it stays taken.
    }
    throw;
  }
}

Status ask_once(Device& device, uint64_t bytes, uint64_t wish, Connection::Values& values) {
  return device.connection().request_when_ready(
      Operation::kAllocate, {bytes, wish}, values,
      "the card has been clearing what others left in its memory, and has none for this program,");
}

Status ask_for(Device& device, uint64_t bytes, uint64_t wish, Connection::Values& values) {
  const Status status = ask_once(device, bytes, wish, values);
  // Pools may hold what is missing.
  if (status != Status::kNoMemory || !device.pools().give_back_all(device.connection())) return status;
  return ask_once(device, bytes, wish, values);
}

}  // namespace

uint64_t allocate_on_card(Device& device, Device::Lock& lock, uint64_t bytes, protocol::Usage usage,
                          int group, const std::shared_ptr<MemoryPool>& pool) {
  const auto wished = group == sdaaAnyGroup ? protocol::kAnyGroup : static_cast<unsigned>(group);
  const uint64_t wish = protocol::AllocateFlags{usage, static_cast<uint8_t>(wished)}.bits();
  Connection::Values values;
  const bool checked = device.checked();
  const uint64_t asked = checked ? memory_check::room(bytes) : bytes;
  const Status status = ask_for(device, asked, wish, values);
  if (status != Status::kOk) {
    fail(code_of(status),
         fmt::format("{} bytes of memory on device {}: {}", bytes, device.number(), text(status)));
  }
  const Allocation fresh = device.allocations().number(bytes, usage, static_cast<unsigned>(group), pool);
  const uint64_t named = checked ? values[0] + memory_check::kZone : values[0];
  if (checked) {
    or_give_back(device, lock, values[0], [&] { memory_check::prepare(device, lock, named, fresh); });
    device.connection().move_allocation(values[0], named, bytes);
  }
  device.allocations().add(named, fresh);
  return named;
}

uint64_t allocate_shared(Device& device, uint64_t bytes, std::string_view what) {
  constexpr protocol::AllocateFlags kFlags = {protocol::Usage::kShared, protocol::kAnyGroup};
  Connection::Values values;
  const Status status = ask_for(device, bytes, kFlags.bits(), values);
  if (status != Status::kOk) {
    fail(code_of(status), fmt::format("{} bytes of memory for {} on device {}: {}", bytes, what,
                                      device.number(), text(status)));
  }
  return values[0];
}

void free_on_card(Device& device, Device::Lock& lock, uint64_t pointer) {
  const Allocation freed = device.allocations().check_begin(pointer);
  device.allocations().remove(pointer);
  if (freed.pool != nullptr) freed.pool->forget(freed.bytes);
  if (!device.checked()) {
    device.connection().ask(Operation::kFree, {pointer});
    return;
  }
  const uint64_t given = pointer - memory_check::kZone;
  device.allocations().note_freed(pointer, freed);
  device.connection().move_allocation(pointer, given, memory_check::room(freed.bytes));
  std::string damage;
  or_give_back(device, lock, given, [&] {
    damage = memory_check::damage(device, lock, pointer, freed);
    memory_check::poison(device, lock, pointer, freed);
  });
  device.connection().ask(Operation::kFree, {given});
  if (damage.empty()) return;
  memory_check::report(damage);
  fail(sdaaErrorIllegalAddress, damage);
}

}  // namespace swai::sdaa
