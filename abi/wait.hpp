// SPDX-License-Identifier: Apache-2.0
// What a core waits for that cannot go on any more, and the words for it, which the models have, too. As one
// word it takes the place of the address of a failure whose cause is kStuck.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "abi/field.hpp"
#include "cpe_isa.hpp"

namespace swai::launch {

struct Wait {
  uint8_t unit = 0;    // that has not taken the core's command
  uint8_t op = 0;      // of the command
  uint8_t sync = 0;    // the barrier, one bit (isa::cpe_status)
  uint32_t cores = 0;  // at a barrier those that it lacks, else those that wait, too
};

namespace detail {
inline constexpr Field kWaitUnit{32, 4};
inline constexpr Field kWaitOp{36, 7};
inline constexpr Field kWaitSync{43, 3};
}  // namespace detail

constexpr uint64_t encode(const Wait& wait) {
  return detail::kWaitUnit.put(wait.unit) | detail::kWaitOp.put(wait.op) | detail::kWaitSync.put(wait.sync) |
         wait.cores;
}
constexpr Wait decode_wait(uint64_t word) {
  return {static_cast<uint8_t>(detail::kWaitUnit.get(word)), static_cast<uint8_t>(detail::kWaitOp.get(word)),
          static_cast<uint8_t>(detail::kWaitSync.get(word)), static_cast<uint32_t>(word)};
}

// Cores as "0, 3-7": `put` is called with one piece of the text after the other.
template <typename Put>
constexpr void put_cores(uint32_t mask, Put put) {
  const auto number = [&put](int value) {
    const char digits[] = {static_cast<char>('0' + value / 10), static_cast<char>('0' + value % 10)};
    put(value < 10 ? std::string_view(digits + 1, 1) : std::string_view(digits, 2));
  };
  for (bool more = false; mask != 0; more = true) {
    const int first = std::countr_zero(mask);
    const int count = std::countr_one(mask >> first);
    // Two in a row are shorter by themselves.
    const int last = count > 2 ? first + count - 1 : first;
    if (more) put(std::string_view(", "));
    number(first);
    if (last != first) put(std::string_view("-"));
    if (last != first) number(last);
    mask &= ~static_cast<uint32_t>((uint64_t{1} << (last + 1)) - 1);
  }
}

// Who is at a barrier, by its number.
inline constexpr std::array<std::string_view, 3> kScopes = {"its row", "its column", "all CPEs"};

// "waits to synchronise with all CPEs; missing: 1-31".
template <typename Put>
constexpr void put_wait(const Wait& wait, Put put) {
  namespace unit = cpe::isa::unit;
  using Text = std::string_view;
  if (wait.sync != 0) {
    put(Text("waits to synchronise with "));
    put(kScopes[std::countr_zero(wait.sync) % kScopes.size()]);
    put(Text("; missing: "));
    return put_cores(wait.cores, put);
  }
  switch (wait.unit) {
    case unit::kRow:
    case unit::kColumn: {
      namespace op = cpe::isa::channel_op;
      const bool sends = wait.op == op::kSend || wait.op == op::kWaitSend;
      put(wait.unit == unit::kRow ? Text("waits on its row channel ") : Text("waits on its column channel "));
      put(sends ? Text("to send, and nobody receives") : Text("to receive, and nobody sends"));
      break;
    }
    case unit::kControl:
      put(Text("waits to end, with a transfer on a channel that nobody answers"));
      break;
    case unit::kDma:
      put(Text("waits for a DMA transfer that has not begun"));
      break;
    case unit::kSystolic:
      put(Text("waits for a run of the systolic unit that has not begun"));
      break;
    case unit::kVector:
      put(Text("waits for a run of the vector unit that has not begun"));
      break;
    default:
      put(Text("waits"));
      break;
  }
  if (std::popcount(wait.cores) < 2) return;
  put(Text("; waiting in all: "));
  put_cores(wait.cores, put);
}

}  // namespace swai::launch
