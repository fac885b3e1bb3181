// SPDX-License-Identifier: Apache-2.0
// The tests of this folder; main.cpp names them.
#pragma once

#include <cstdint>

namespace swai::pcie {

class EndpointBench;

void test_memory(uint64_t seed, uint64_t cycles);
void test_latency(uint64_t seed, uint64_t cycles);
void test_config(uint64_t seed, uint64_t cycles);
void test_order(uint64_t seed, uint64_t cycles);
void test_blocked(uint64_t seed, uint64_t cycles);
void test_msix(uint64_t seed, uint64_t cycles);
void test_registers(uint64_t seed, uint64_t cycles);
void test_protection(uint64_t seed, uint64_t cycles);
void test_debug(uint64_t seed, uint64_t cycles);
void test_errors(uint64_t seed, uint64_t cycles);
void test_malformed(uint64_t seed, uint64_t cycles);
void test_function_reset(uint64_t seed, uint64_t cycles);
void test_link(uint64_t seed, uint64_t cycles);

// When all is quiet, all credits have come back.
void check_credits(EndpointBench& bench);

}  // namespace swai::pcie
