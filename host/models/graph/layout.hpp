// SPDX-License-Identifier: Apache-2.0
// Where memory that nodes name lies in one piece of memory.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "host/models/graph/list.hpp"

namespace swai::graph {

struct Extent {
  size_t offset = 0;
  size_t bytes = 0;
};

inline constexpr size_t kPage = 4096;
constexpr size_t pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

// All of a kind. Each begins where a page does, so that a file can hold them as they lie on the card.
struct Layout {
  std::map<std::string, Extent> extents;  // by name
  size_t bytes = 0;

  // `wanted`: the others are left out; without it there are none.
  using Wanted = std::function<bool(const std::string& name)>;
  Layout(const Template& pattern, ValueKind kind, const Wanted& wanted = {});
};

}  // namespace swai::graph
