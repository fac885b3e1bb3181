// SPDX-License-Identifier: Apache-2.0
// Who computes while others attack: y += a * x through the runtime library, on a device of its own.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "abi/protocol.hpp"
#include "host/runtime/include/sdaa_runtime.h"
#include "host/transport/card.hpp"

namespace swai::attack {

class Worker {
 public:
  static constexpr uint32_t kCount = 1024;

  // Belongs to the calling thread; `capacity`: numbers, a multiple of 16. Throws sdaa::Failure, as round()
  // does.
  Worker(int device, std::span<const uint8_t> module, uint32_t capacity = kCount);

  // Computes `count` numbers, a multiple of 16. False: the card has computed something else.
  bool round(std::mt19937_64& random, uint32_t count = kCount);

 private:
  sdaaFunction_t kernel_ = nullptr;
  void* x_ = nullptr;
  void* y_ = nullptr;
};

// What the launches of a client took, as the card counts it.
struct Launches {
  uint64_t count = 0;
  uint64_t cycles = 0;

  double cycles_of_one() const {
    return count == 0 ? 0 : static_cast<double>(cycles) / static_cast<double>(count);
  }
  friend Launches operator-(const Launches& one, const Launches& other) {
    return {one.count - other.count, one.cycles - other.cycles};
  }
};
// Of all clients, each at the place of its context.
std::vector<Launches> launches(link::Card& card, const protocol::Info& info);
// The one with the most of them.
size_t busiest(const std::vector<Launches>& all);

}  // namespace swai::attack
