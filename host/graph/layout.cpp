#include "host/graph/layout.hpp"

namespace swai::graph {

Layout::Layout(const Template& pattern, ValueKind kind) {
  for (const Template::Base& base : pattern.bases) {
    if (base.kind != kind) continue;
    const Extent extent = {bytes, static_cast<size_t>(base.bytes.constant().value())};
    extents.emplace(base.name, extent);
    bytes = pages(extent.offset + extent.bytes);
  }
}

}  // namespace swai::graph
