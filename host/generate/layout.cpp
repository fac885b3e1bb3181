#include "host/generate/layout.hpp"

namespace swai::generate {

Layout::Layout(const graph::Template& pattern, graph::ValueKind kind) {
  for (const graph::Template::Base& base : pattern.bases) {
    if (base.kind != kind) continue;
    const Extent extent = {bytes, static_cast<size_t>(base.bytes.constant().value())};
    extents.emplace(base.name, extent);
    bytes = pages(extent.offset + extent.bytes);
  }
}

}  // namespace swai::generate
