// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4).
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace swai {

std::array<uint8_t, 32> sha256(std::span<const uint8_t> message);

}  // namespace swai
