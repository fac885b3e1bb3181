// SPDX-License-Identifier: Apache-2.0
// What the driver of a core group needs of the processor that it runs on: registers, memory, time. Firmware
// has DirectMachine, tests have one that plays the group.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>

namespace swai::group {

template <typename M>
concept Machine = requires(M m, uint64_t address, uint64_t value, std::span<const uint8_t> bytes) {
  // Device registers.
  { m.read(address) } -> std::same_as<uint64_t>;
  { m.read_low(address) } -> std::same_as<uint32_t>;  // bits 31:0
  m.write(address, value);
  // Memory that others read: physical addresses. What was stored is theirs to see after publish() of that
  // range.
  m.store(address, value);
  m.copy(address, bytes);
  m.zero(address, value);
  m.publish(address, value);
  // Time in card clocks.
  { m.cycles() } -> std::same_as<uint64_t>;
};

}  // namespace swai::group
