// SPDX-License-Identifier: Apache-2.0
// Parts of a buffer that several CPEs need: each loads one, and gets the others' through a channel.
#pragma once

#include <algorithm>

#include "swai/channel.hpp"

namespace swai::cpe {

struct Part {
  uint32_t first;
  uint32_t count;
};
// Equal parts of `all`, the last ones less.
inline Part part_of(uint32_t all, uint32_t parts, uint32_t number) {
  const uint32_t each = (all + parts - 1) / parts;
  const uint32_t first = std::min(all, number * each);
  return {first, std::min(each, all - first)};
}

// Whether all CPEs of the group take part in the launch: then they can send each other something.
inline bool all_cpes() { return count() == rows() * columns(); }

// What this CPE holds of a shared buffer it sends to the others, and gets theirs; parts in order of position.
// All of them call this with the same sizes, so sends and receives meet.
template <typename Channel>
struct Exchange {
  typename Channel::Sent sent = {};
  typename Channel::Received received = {};

  // `meanwhile` is called between receives, which wait for those before them.
  void begin(std::byte* buffer, uint32_t pitch, uint32_t all, uint32_t positions) {
    begin(buffer, pitch, all, positions, [] {});
  }
  template <typename Meanwhile>
  void begin(std::byte* buffer, uint32_t pitch, uint32_t all, uint32_t positions,
             const Meanwhile& meanwhile) {
    if (all == 0 || positions == 1) return;
    const uint32_t each = (all + positions - 1) / positions, self = Channel::position();
    const auto bytes_from = [&](uint32_t first) { return std::min(each, all - first) * pitch; };
    const auto others = static_cast<Positions>(((1u << positions) - 1) & ~(1u << self));
    if (const uint32_t first = self * each; first < all)
      sent = Channel::send(others, buffer + first * pitch, bytes_from(first));
    // Others wait for each receive: no division among them.
    for (uint32_t position = 0, first = 0; first < all; ++position, first += each) {
      if (position == self) continue;
      meanwhile();
      received = Channel::receive(position, buffer + first * pitch, bytes_from(first));
    }
  }
  // Tickets of what this CPE has not sent or received are 0: nothing to wait for.
  void wait() const {
    Channel::wait(received);
    Channel::wait(sent);
  }
};

}  // namespace swai::cpe
