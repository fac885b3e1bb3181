// SPDX-License-Identifier: Apache-2.0
// Sign extension as a compiler knows it: included before everything else in models that are built with
// TILE_FLAGS (sim/build.mk).
//
// Verilator's own has the sign bit negated and put above the rest, for which compilers have no name; two
// shifts they turn into the one instruction that extends eight numbers at once.
#pragma once

#include <verilated.h>

#include <cstdint>

// Of a word whose lowest `width` bits are the number.
constexpr uint32_t verilated_extended(int width, uint32_t number) {
  return static_cast<uint32_t>(static_cast<int32_t>(number << (32 - width)) >> (32 - width));
}

#undef VL_EXTENDS_II
#define VL_EXTENDS_II(out_width, width, number) verilated_extended(width, number)
