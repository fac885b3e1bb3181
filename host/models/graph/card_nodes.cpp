// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/card_nodes.hpp"

#include "host/models/graph/signatures.hpp"

namespace swai::graph {

std::vector<CardNode> card_nodes(const Graph& graph, const Node& node) {
  const Signature& what = *find_signature(node.operation);
  Emitter out(what, graph, node);
  if (what.write == nullptr) out.use().fail("the card has no such operator yet");
  what.write(out);
  return out.take();
}

}  // namespace swai::graph
