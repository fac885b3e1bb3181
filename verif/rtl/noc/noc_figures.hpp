// SPDX-License-Identifier: Apache-2.0
// Figures of the ring: latency, rate, saturation.
#pragma once

#include <cstdint>

namespace swai::verif {

void test_latency(uint64_t seed, uint64_t cycles);
void test_rate(uint64_t seed, uint64_t cycles);
void test_saturation(uint64_t seed, uint64_t cycles);
void test_hot_spot(uint64_t seed, uint64_t cycles);
void show_speed(uint64_t seed, uint64_t cycles);

}  // namespace swai::verif
