// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers, as easy as 1, 2, 3): four random words
// for each counter and key, without a state.
#pragma once

#include <array>
#include <cstdint>

namespace swai::operators {

constexpr std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, uint32_t key0, uint32_t key1) {
  for (unsigned round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t{0xd2511f53} * counter[0];
    const uint64_t second = uint64_t{0xcd9e8d57} * counter[2];
    counter = {static_cast<uint32_t>(second >> 32) ^ counter[1] ^ key0, static_cast<uint32_t>(second),
               static_cast<uint32_t>(first >> 32) ^ counter[3] ^ key1, static_cast<uint32_t>(first)};
    key0 += 0x9e3779b9;
    key1 += 0xbb67ae85;
  }
  return counter;
}

}  // namespace swai::operators
