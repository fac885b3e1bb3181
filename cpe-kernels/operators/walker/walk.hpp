// SPDX-License-Identifier: Apache-2.0
// What operators and the walker share: where the walker says what it does, and how a node is refused.
#pragma once

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
// to the barrier of the node behind at once, if that has one, because others wait there; and on with that
// node, if it is prepared.
void end_work(node::Barrier ahead);
// Which barrier that is, for who has time to look before its work ends. `without`: so many nodes between,
// without barriers, have no work for this CPE, and it leaves them out; fewer than node_behind() tells of.
node::Barrier look_ahead(uint32_t without = 0);
// For who has asked for all that it needs, and waits: prepares the node behind meanwhile, if that has a
// barrier and its operator goes ahead (operators.toml). Where some CPEs have no work these have prepared it,
// and the others had better come to the barrier. Until begin_work() such an operator touches no unit, and no
// local memory but its stack: both are at work for the node that runs. `without`: as look_ahead() has it.
void prepare_behind(uint32_t without = 0);
// Whether the node's barrier is still ahead: what others write is not there yet.
bool waits_for_others();

// Where few CPEs have work they take turns: a node gives it to those behind the ones that have had the last.
// These have had nothing to do, and are ready; and queries, keys and values, between which no barrier is, are
// made at the same time. All CPEs call the same for each node, also who has nothing to do.
struct Turns {
  uint32_t rank;  // of this CPE, from the first on whose turn it is
  uint32_t all;   // ranks, less one; 0 where turns are not taken, because their number is no power of two

  void begin();
  void pass(uint32_t cpes) { rank = rank_behind(cpes); }
  // Once so many more have had theirs.
  uint32_t rank_behind(uint32_t cpes) const { return all == 0 ? rank : (rank - cpes) & all; }
  // Goes on with the first CPE of a row, where all take part.
  void begin_row() { pass((rank - cpe::row::position()) & (cpe::columns() - 1)); }
};
extern Turns turns;

// The node behind the one that runs, if it has no barrier, and patches at most of its first pointer, the
// result; else null. Nodes since the last barrier write nothing that it reads, so before its turn an operator
// may look at the other arguments and load weights. Then the state's `ahead` is its number. `between`: not
// that node, but one farther on, behind so many that are of the same kind; 7 at most.
const node::Node* node_behind(uint32_t between = 0);

inline void require(node::Refusal reason) {
  if (reason != node::Refusal::kNone) refuse(reason);
}

}  // namespace swai::operators
