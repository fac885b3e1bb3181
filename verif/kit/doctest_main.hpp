// SPDX-License-Identifier: Apache-2.0
// Main program of unit tests on doctest: takes --seed N beside doctest's own options and prints the seed.
// Link doctest_main.cpp; tests draw their random numbers from test_seed().
#pragma once

#include <cstdint>

namespace swai {

uint64_t test_seed();

}  // namespace swai
