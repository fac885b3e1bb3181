// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/precision.hpp"

#include <array>
#include <utility>

#include "host/models/files/names.hpp"

namespace swai::models {
namespace {

constexpr std::array kPrecisions = {std::pair(Precision::kFp32, "fp32"), std::pair(Precision::kW8A8, "w8a8"),
                                    std::pair(Precision::kW4A8, "w4a8")};

}  // namespace

const char* to_text(Precision precision) { return name_of(kPrecisions, precision); }
std::optional<Precision> precision_named(std::string_view name) { return named(kPrecisions, name); }
std::vector<std::string> precision_names() {
  std::vector<std::string> names;
  for (const auto& [precision, name] : kPrecisions) names.emplace_back(name);
  return names;
}

}  // namespace swai::models
