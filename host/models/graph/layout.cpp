// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/layout.hpp"

namespace swai::graph {

Layout::Layout(const Template& pattern, ValueKind kind, const Wanted& wanted) {
  for (const Template::Base& base : pattern.bases) {
    if (base.kind != kind || (wanted && !wanted(base.name))) continue;
    const Extent extent = {bytes, static_cast<size_t>(base.bytes.constant().value())};
    extents.emplace(base.name, extent);
    bytes = pages(extent.offset + extent.bytes);
  }
}

}  // namespace swai::graph
