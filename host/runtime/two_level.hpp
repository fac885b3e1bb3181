// SPDX-License-Identifier: Apache-2.0
// Commands for a queue the GPU's way: a ring and command buffers in host memory, which the card fetches. The
// baseline of measurements; who wants a queue to be fed so asks for it (Streams::feed_two_level).
#pragma once

#include <optional>
#include <span>

#include "abi/protocol.hpp"
#include "abi/two_level.hpp"
#include "host/runtime/connection.hpp"

namespace swai::sdaa {

class TwoLevel {
 public:
  explicit TwoLevel(Connection& connection);
  ~TwoLevel();
  TwoLevel(const TwoLevel&) = delete;
  TwoLevel& operator=(const TwoLevel&) = delete;

  uint64_t ring() const { return iova_; }
  // A command. Slots are only used again when the card is through with them, and so are buffers,
  // which lie as slots do, and entries, of which there are as many.
  void put(uint32_t sequence, std::span<const uint8_t> bytes);

 private:
  static constexpr uint64_t kBuffers = two_level::kEntries * sizeof(two_level::Entry);
  static constexpr uint64_t kPage = 4096;
  static constexpr uint64_t kBytes = (kBuffers + protocol::kQueueBytes + kPage - 1) / kPage * kPage;
  static_assert(two_level::kEntries >= protocol::kSlots);

  Connection& connection_;
  uint64_t iova_;
  std::optional<link::PinnedMemory> memory_;
  uint32_t put_ = 0;
};

}  // namespace swai::sdaa
