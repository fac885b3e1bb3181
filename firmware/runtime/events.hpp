// Events: how often each was recorded, and when last.
#pragma once

#include <array>
#include <cstdint>

#include "firmware/abi/protocol.hpp"

namespace swai::runtime {

class Events {
 public:
  void init() { events_.fill({}); }
  static constexpr bool exists(uint32_t event) { return event < protocol::kEvents; }
  const protocol::EventStatus& record(uint32_t event, uint64_t cycle) {
    events_[event].cycle = cycle;
    ++events_[event].count;
    return events_[event];
  }
  bool reached(uint32_t event, uint64_t count) const { return events_[event].count >= count; }

 private:
  std::array<protocol::EventStatus, protocol::kEvents> events_ = {};
};

}  // namespace swai::runtime
