// SPDX-License-Identifier: Apache-2.0
// What a module tells hosts beside its code, in sections that no segment holds: lines and words for people.
#pragma once

#include <cstdint>
#include <span>

#include "host/lib/prints.hpp"
#include "host/lib/source_lines.hpp"
#include "host/lib/stops.hpp"

namespace swai::module {

struct ModuleText {
  ModuleText() = default;
  explicit ModuleText(std::span<const uint8_t> file) : lines(file), stops(file), prints(file) {}

  SourceLines lines;
  Stops stops;
  Prints prints;
};

}  // namespace swai::module
