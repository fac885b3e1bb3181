// SPDX-License-Identifier: Apache-2.0
// The configurations as the RTL is built with them.
#pragma once

#include <string_view>

#include "sim/fast/endpoint.hpp"

namespace swai::fast {

inline Endpoint::Sizes sizes_of(std::string_view configuration) {
  if (configuration == "tiny") return {.groups = 1, .rows = 2, .columns = 2};
  return {.groups = configuration == "full" ? 4U : 1U, .rows = 4, .columns = 8};
}

}  // namespace swai::fast
