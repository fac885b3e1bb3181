// What operators and the walker share: where the walker says what it does, and how a node is refused.
#pragma once

#include <bit>

#include "abi/node.hpp"
#include "swai/cpe.hpp"

namespace swai::operators {

inline volatile node::WalkState& walk_state() {
  return *reinterpret_cast<volatile node::WalkState*>(node::kWalkState);
}

// Stops the CPE; the record of its fault is a breakpoint, its reason lies beside the node's number. Every CPE
// that comes to the node looks at its arguments before it moves its data, so none does what is refused.
// Others may still be at the node before, and wait in vain at the barrier then.
[[noreturn, gnu::noinline]] void refuse(node::Refusal reason);

// Waits for the node's barrier, once, whoever calls: the walker itself does at last. Before it an operator
// that `prepares` (operators.toml) may look at arguments and divide work, but not at tensors, nor meet
// others: these may be at nodes before.
void wait_for_others();
// The same for who has work.
void begin_work();
// For who has had work, when all of it is in memory and nothing is left but the way back to the walker: goes
// to the barrier of the node behind at once, if that has one, because others wait there. `without`: so many
// nodes between, without barriers, have no work for this CPE, and it leaves them out; fewer than
// node_behind() tells of.
void end_work(uint32_t without = 0);
// Whether the node's barrier is still ahead: what others write is not there yet.
bool waits_for_others();

// The rank of this CPE at the node that runs, where few CPEs have work: nodes behind each other begin with
// other CPEs. Those have had nothing to do, and are ready; and queries, keys and values, between which no
// barrier is, are made at the same time. `behind`: at the node so far behind the one that runs.
inline uint32_t turned_rank(uint32_t behind = 0) {
  constexpr uint32_t kFurther = 8;  // CPEs, from node to node
  const uint32_t count = cpe::count();
  if (!std::has_single_bit(count)) return cpe::rank();
  return (cpe::rank() - kFurther * (walk_state().node + behind)) & (count - 1);
}

// The node behind the one that runs, if it has no barrier, and patches at most of its first pointer, the
// result; else null. Nodes since the last barrier write nothing that it reads, so before its turn an operator
// may look at the other arguments and load weights. Then the state's `ahead` is its number. `between`: not
// that node, but one farther on, behind so many that are of the same kind; 7 at most.
const node::Node* node_behind(uint32_t between = 0);

inline void require(node::Refusal reason) {
  if (reason != node::Refusal::kNone) refuse(reason);
}

}  // namespace swai::operators
