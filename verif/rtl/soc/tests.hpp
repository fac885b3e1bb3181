// SPDX-License-Identifier: Apache-2.0
// The tests of the program tb-soc-devices.
#pragma once

#include "verif/rtl/soc/devices.hpp"

namespace swai::soc {

// `cycles` is about how long the random part runs.
void test_registers(uint64_t seed, uint64_t cycles);
void test_timer(uint64_t seed, uint64_t cycles);
void test_uart(uint64_t seed, uint64_t cycles);
void test_flash_pins(uint64_t seed, uint64_t cycles);
void test_flash_chip(uint64_t seed, uint64_t cycles);
void test_sha256(uint64_t seed, uint64_t cycles);
void test_system(uint64_t seed, uint64_t cycles);
void test_inbox(uint64_t seed, uint64_t cycles);

}  // namespace swai::soc
