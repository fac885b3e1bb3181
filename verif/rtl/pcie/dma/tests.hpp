// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace swai::dma_test {

void test_first(uint64_t seed, uint64_t cycles);
void test_random(uint64_t seed, uint64_t cycles);
void test_fair(uint64_t seed, uint64_t cycles);
void test_errors(uint64_t seed, uint64_t cycles);
void test_aborts(uint64_t seed, uint64_t cycles);
void test_registers(uint64_t seed, uint64_t cycles);
void test_bandwidth(uint64_t seed, uint64_t cycles);

}  // namespace swai::dma_test
