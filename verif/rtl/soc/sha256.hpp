// SPDX-License-Identifier: Apache-2.0
// SHA-256 as FIPS 180-4 writes it down, for comparison with the engine.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace swai::soc {

std::array<uint8_t, 32> sha256(std::span<const uint8_t> message);

}  // namespace swai::soc
