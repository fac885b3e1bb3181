// SPDX-License-Identifier: Apache-2.0
// How exactly a card computes with a model, as users say it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swai::models {

// kW8A8: weights, and what is multiplied by them, in eight bits. kW4A8: weights in four bits where that costs
// little, in eight elsewhere.
enum class Precision : uint8_t { kFp32, kW8A8, kW4A8 };

const char* to_text(Precision precision);
std::optional<Precision> precision_named(std::string_view name);
std::vector<std::string> precision_names();

}  // namespace swai::models
