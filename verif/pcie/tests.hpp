// The tests of this folder; main.cpp names them.
#pragma once

#include <cstdint>

namespace swai::pcie {

class EndpointBench;

void test_memory(uint64_t seed, uint64_t cycles);
void test_latency(uint64_t seed, uint64_t cycles);
void test_config(uint64_t seed, uint64_t cycles);

// When all is quiet, all credits have come back.
void check_credits(EndpointBench& bench);

}  // namespace swai::pcie
