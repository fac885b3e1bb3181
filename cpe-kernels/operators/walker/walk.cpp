// SPDX-License-Identifier: Apache-2.0
// Walks a list of nodes: each CPE of the launch calls each node's operator, with its barrier before it, or
// before what the operator does with tensors. Nodes are fetched a batch ahead of the one that runs.
#include "cpe-kernels/operators/walker/walk.hpp"

#include <algorithm>
#include <bit>

#include "operator_table.hpp"
#include "swai/switch.hpp"

using namespace swai;
using namespace swai::cpe;
using node::Barrier, node::Node, node::Refusal;

namespace {

constexpr uint32_t kBatch = 8;
constexpr uint32_t kOtherStack = 2048;

// module.ld puts it at the beginning of local memory.
[[gnu::section(".bss.ldm.first"), gnu::used]] node::WalkState state;
LDM alignas(64) Node nodes[2][kBatch];
LDM node::WalkArgs arguments = {};
LDM dma::Ticket fetched;  // the batch that was asked for last
LDM uint32_t newest;      // its first node
LDM alignas(64) uint64_t parameters[node::kMaxParameters];
LDM uint32_t unless[2];

// Of the node that runs, until it has been waited for.
LDM Barrier barrier_ahead;
// Since the last barrier: this CPE has had none, or it has. Or it has been at the barrier of the node behind.
enum class Work : uint8_t { kNone, kBegun, kEnded };
LDM Work work;
// Nodes before it this CPE has nothing to do with any more, or they are prepared.
LDM uint32_t next_node;

// While a node's operator waits for its units, this CPE may prepare the node behind on another stack. One of
// the two is at work, the other one waits: until it is asked to prepare a node, or, when it has done so,
// until the node before is done. So they take turns, and each node is done where it was prepared.
alignas(16) LDM std::byte other_stack[kOtherStack];
LDM void* other;          // where the one that waits goes on
LDM uint32_t ahead_node;  // that is prepared; none: kNoNode
LDM bool preparing;       // it is, just now

void switch_over() { swai_switch(&other, other); }

// Once they are known not to be too large.
uint32_t node_count() { return static_cast<uint32_t>(arguments.count); }
uint32_t parameter_count() { return static_cast<uint32_t>(arguments.parameter_count); }

// Of a node; most are of all.
void wait_for(Barrier barrier) {
  if (barrier == Barrier::kAll) [[likely]]
    return sync<Scope::kAll>();
  if (barrier == Barrier::kRow) sync<Scope::kRow>();
  if (barrier == Barrier::kColumn) sync<Scope::kColumn>();
}

// Barrier and reserved bits at once.
bool header_is_good(const Node& node) {
  const uint32_t word = *reinterpret_cast<const uint32_t*>(&node);
  return word >> 24 == 0 && (word >> 16 & 0xff) < node::kBarriers;
}

// One load for what most nodes do not have.
bool has_patches(const Node& node) {
  static_assert(sizeof node.patches == sizeof(uint32_t));
  return reinterpret_cast<const uint32_t*>(&node)[1] != 0;
}

// In this CPE's copy of the node. Out of line: nodes without patches should not pay for its registers.
[[gnu::noinline]] void patch(Node& node) {
  constexpr uint32_t kWords = node::kArgumentBytes / sizeof(uint32_t);
  auto* const words = reinterpret_cast<uint32_t*>(node.arguments.data());
  for (const node::Patch one : node.patches) {
    if (one.target == 0 && one.parameter == 0) continue;
    const uint32_t number = one.target & node::Patch::kNumber;
    const uint32_t kind = one.target - number;
    if (one.parameter >= parameter_count() || number >= kWords) operators::refuse(Refusal::kPatch);
    const uint64_t parameter = parameters[one.parameter];
    if (kind == node::Patch::kWord) {
      words[number] += static_cast<uint32_t>(parameter);
    } else if (kind == node::Patch::kPointer && number % 2 == 0) {
      const uint64_t sum = (uint64_t{words[number + 1]} << 32 | words[number]) + parameter;
      words[number] = static_cast<uint32_t>(sum);
      words[number + 1] = static_cast<uint32_t>(sum >> 32);
    } else {
      operators::refuse(Refusal::kPatch);
    }
  }
}

Node& node_at(uint32_t n) { return nodes[n / kBatch & 1][n % kBatch]; }

[[gnu::always_inline]] inline void fetch(uint32_t first) {
  newest = first;
  if (first >= node_count()) return;
  const dma::Background no_operand;
  fetched = dma::load(nodes[first / kBatch & 1], arguments.list + first,
                      std::min(kBatch, node_count() - first) * node::kNodeBytes);
}

// A node of the newest batch begins, so those before the batch are done: the next one takes their place.
[[gnu::noinline]] void begin_batch() {
  dma::wait(fetched);
  fetch(newest + kBatch);
}

// On either stack: returns when the node that is asked for has been prepared and done.
void run_ahead() {
  const uint32_t n = ahead_node;
  Node& node = node_at(n);
  operators::walk_state().node = n;
  if (has_patches(node)) patch(node);
  barrier_ahead = node.barrier;
  operators::call(node.operation, node.arguments.data());
  if (barrier_ahead != Barrier::kNone) operators::wait_for_others();
}

[[noreturn]] void run_all_ahead() {
  for (;;) {
    run_ahead();
    if (!preparing) switch_over();
  }
}

// What was prepared has its turn.
[[gnu::noinline]] void wait_ahead(Barrier barrier) {
  const uint32_t n = ahead_node;
  preparing = false;
  switch_over();
  ahead_node = node::kNoNode;
  operators::walk_state().node = n;
  if (n >= newest) begin_batch();
  if (work != Work::kEnded) wait_for(barrier);
  work = Work::kNone;
}

// Loads the launch's arguments, the first batch of nodes, and parameters. False: the launch is not needed any
// more.
bool begin_list(const node::WalkArgs* args) {
  dma::Ticket last;
  {
    const dma::Background no_operand;
    last = dma::load(&arguments, global(args), sizeof arguments);
    dma::wait(last);
  }
  if (arguments.count > node::kMaxNodes || arguments.parameter_count > node::kMaxParameters)
    operators::refuse(Refusal::kCount);
  fetch(0);
  const dma::Background no_operand;
  if (parameter_count() != 0)
    last = dma::load(parameters, arguments.parameters, parameter_count() * sizeof(uint64_t));
  if (arguments.unless) last = dma::load(unless, arguments.unless, sizeof unless);
  dma::wait(last);
  return !arguments.unless || unless[0] != unless[1];
}

}  // namespace

namespace swai::operators {

LDM Turns turns;

void Turns::begin() {
  const uint32_t count = cpe::count();
  rank = cpe::rank();
  all = std::has_single_bit(count) ? count - 1 : 0;
}

void wait_for_others() {
  const Barrier barrier = barrier_ahead;
  barrier_ahead = Barrier::kNone;
  if (preparing) return wait_ahead(barrier);
  wait_for(barrier);
}

void begin_work() {
  wait_for_others();
  work = Work::kBegun;
}

void prepare_behind(uint32_t without) {
  const uint32_t here = walk_state().node, n = here + 1 + without;
  // Of a batch that nobody has begun the first node may look at the others, and they not at those behind.
  if (n >= node_count() || n > newest || ahead_node != node::kNoNode) return;
  if (n == newest) dma::wait(fetched);
  const Node& node = node_at(n);
  if (!header_is_good(node) || node.barrier == Barrier::kNone || !goes_ahead(node.operation)) return;
  next_node = n + 1;
  ahead_node = n;
  preparing = true;
  switch_over();
  walk_state().node = here;
}

Barrier look_ahead(uint32_t without) {
  const uint32_t here = walk_state().node, n = here + 1 + without;
  if (n != ahead_node) next_node = n;
  if (n >= node_count()) return Barrier::kNone;
  if (n / kBatch != here / kBatch) dma::wait(fetched);
  const Node& node = node_at(n);
  return header_is_good(node) ? node.barrier : Barrier::kNone;
}

void end_work(Barrier ahead) {
  if (ahead == Barrier::kNone) return;
  if (ahead_node != node::kNoNode) return switch_over();
  work = Work::kEnded;
  wait_for(ahead);
}

bool waits_for_others() { return barrier_ahead != Barrier::kNone; }

const Node* node_behind(uint32_t between) {
  const uint32_t here = walk_state().node, n = here + 1 + between;
  if (n >= node_count()) return nullptr;
  if (n / kBatch != here / kBatch) dma::wait(fetched);
  const Node& node = node_at(n);
  if (!header_is_good(node) || node.barrier != Barrier::kNone) return nullptr;
  for (const node::Patch one : node.patches) {
    if (one.target != node::Patch::kPointer && (one.target != 0 || one.parameter != 0)) return nullptr;
  }
  return &node;
}

void refuse(Refusal reason) {
  walk_state().refusal = reason;
  __builtin_trap();
}

}  // namespace swai::operators

__kernel__ void walk(const node::WalkArgs* args) {
  using operators::refuse, operators::wait_for_others, operators::walk_state;
  walk_state().node = node::kNoNode;
  walk_state().refusal = Refusal::kNone;
  walk_state().ahead = node::kNoNode;
  if (!begin_list(args)) return;
  barrier_ahead = Barrier::kNone;
  work = Work::kNone;
  next_node = 0;
  operators::turns.begin();
  ahead_node = node::kNoNode;
  preparing = false;
  other = begin_of_stack(other_stack + kOtherStack, &run_all_ahead);
  for (uint32_t n = 0, count = node_count(); n < count; ++n) {
    if (n < next_node) {
      if (n != ahead_node) continue;
      if (!preparing) switch_over();
      if (!preparing) continue;
      // The other one works at the node before, and this one is to prepare one.
      n = ahead_node;
      run_ahead();
      continue;
    }
    if (n >= newest) begin_batch();
    Node& node = node_at(n);
    walk_state().node = n;
    if (!header_is_good(node)) refuse(Refusal::kHeader);
    if (has_patches(node)) patch(node);
    if (node.barrier != Barrier::kNone) {
      barrier_ahead = node.barrier;
      // Who was busy is late: nobody should wait until it has prepared what it does next. The others prepare
      // meanwhile.
      if (work != Work::kNone) {
        if (work == Work::kBegun) {
          wait_for_others();
        } else {
          barrier_ahead = Barrier::kNone;
        }
        work = Work::kNone;
      }
    }
    if (!operators::call(node.operation, node.arguments.data())) refuse(Refusal::kOperator);
    const Barrier ahead = barrier_ahead;
    if (ahead == Barrier::kNone) continue;
    // Who has had no work prepares the next one, too, before it waits, if that has no barrier.
    if (n % kBatch != kBatch - 1 && n + 1 != count && (&node)[1].barrier == Barrier::kNone) continue;
    barrier_ahead = Barrier::kNone;
    wait_for(ahead);
  }
}
