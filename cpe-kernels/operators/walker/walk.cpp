// Walks a list of nodes: each CPE of the launch calls each node's operator, with its barrier before it. Nodes
// are fetched a batch ahead of the one that runs.
#include "cpe-kernels/operators/walker/walk.hpp"

#include <algorithm>

#include "operator_table.hpp"

using namespace swai;
using namespace swai::cpe;
using node::Barrier, node::Node, node::Refusal;

namespace {

constexpr uint32_t kBatch = 8;

// module.ld puts it at the beginning of local memory.
[[gnu::section(".bss.ldm.first"), gnu::used]] node::WalkState state;
LDM alignas(64) Node nodes[2][kBatch];

void wait_for(Barrier barrier) {
  switch (barrier) {
    case Barrier::kNone:
      return;
    case Barrier::kRow:
      return sync<Scope::kRow>();
    case Barrier::kColumn:
      return sync<Scope::kColumn>();
    case Barrier::kAll:
      return sync<Scope::kAll>();
  }
}

// Everything before the arguments at once: two loads for what is never set.
bool header_is_good(const Node& node) {
  const auto* words = reinterpret_cast<const uint32_t*>(&node);
  return words[0] >> 24 == 0 && words[1] == 0 && (words[0] >> 16 & 0xff) < node::kBarriers;
}

}  // namespace

namespace swai::operators {

void refuse(Refusal reason) {
  walk_state().refusal = reason;
  __builtin_trap();
}

}  // namespace swai::operators

__kernel__ void walk(const node::WalkArgs* args) {
  using operators::refuse, operators::walk_state;
  walk_state().node = node::kNoNode;
  walk_state().refusal = Refusal::kNone;
  const GlobalPtr<const Node> list = args->list;
  const uint64_t nodes_in_list = args->count;
  if (nodes_in_list > node::kMaxNodes) refuse(Refusal::kCount);
  const auto count = static_cast<uint32_t>(nodes_in_list);

  const auto fetch = [&](uint32_t first) {
    return dma::load(nodes[first / kBatch & 1], list + first,
                     std::min(kBatch, count - first) * node::kNodeBytes);
  };
  dma::Ticket fetched = {};
  if (count != 0) fetched = fetch(0);
  for (uint32_t n = 0; n < count; ++n) {
    if (n % kBatch == 0) {
      dma::wait(fetched);
      if (count - n > kBatch) fetched = fetch(n + kBatch);
    }
    const Node& node = nodes[n / kBatch & 1][n % kBatch];
    walk_state().node = n;
    if (!header_is_good(node)) refuse(Refusal::kHeader);
    wait_for(node.barrier);
    if (!operators::call(node.operation, node.arguments.data())) refuse(Refusal::kOperator);
  }
}
