// SPDX-License-Identifier: Apache-2.0
// Events: how often each was recorded. Every client has all of them, in memory of the runtime's own.
#pragma once

#include <cstdint>

#include "abi/protocol.hpp"
#include "firmware/runtime/machine.hpp"

namespace swai::runtime {

template <Machine M>
class Events {
 public:
  static constexpr uint64_t kClientBytes = protocol::kEvents * sizeof(uint64_t);
  static constexpr uint64_t kBytes = protocol::kContexts * kClientBytes;

  explicit Events(M& machine) : machine_(machine) {}

  void init(uint64_t memory) { memory_ = memory; }
  // A new client's count from 0.
  void clear(uint8_t context) { machine_.zero(place(context, 0), kClientBytes); }
  static constexpr bool exists(uint32_t event) { return event < protocol::kEvents; }
  // How often, now.
  uint64_t record(uint8_t context, uint32_t event) {
    const uint64_t at = place(context, event);
    const uint64_t count = machine_.load(at) + 1;
    machine_.store(at, count);
    return count;
  }
  bool reached(uint8_t context, uint32_t event, uint64_t count) const {
    return machine_.load(place(context, event)) >= count;
  }

 private:
  uint64_t place(uint8_t context, uint32_t event) const {
    return memory_ + context % protocol::kContexts * kClientBytes + event * sizeof(uint64_t);
  }

  M& machine_;
  uint64_t memory_ = 0;
};

}  // namespace swai::runtime
