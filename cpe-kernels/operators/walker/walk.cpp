// Walks a list of nodes: each CPE of the launch calls each node's operator, with its barrier before it, or
// before what the operator does with tensors. Nodes are fetched a batch ahead of the one that runs.
#include "cpe-kernels/operators/walker/walk.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "operator_table.hpp"

using namespace swai;
using namespace swai::cpe;
using node::Barrier, node::Node, node::Refusal;

namespace {

constexpr uint32_t kBatch = 8;

// module.ld puts it at the beginning of local memory.
[[gnu::section(".bss.ldm.first"), gnu::used]] node::WalkState state;
LDM alignas(64) Node nodes[2][kBatch];
LDM uint32_t node_count;
LDM dma::Ticket fetched;  // the batch that was asked for last
LDM alignas(64) uint64_t parameters[node::kMaxParameters];
LDM std::array<uint32_t, sizeof(node::WalkArgs) / sizeof(uint32_t)> argument_words;

// Of the node that runs, until it has been waited for.
LDM Barrier barrier_ahead;
// Since the last barrier: this CPE has had none, or it has. Or it has been at the barrier of the node behind.
enum class Work : uint8_t { kNone, kBegun, kEnded };
LDM Work work;
// Nodes before it this CPE has nothing to do with any more.
LDM uint32_t next_node;

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
[[gnu::noinline]] void patch(Node& node, uint32_t parameter_count) {
  constexpr uint32_t kWords = node::kArgumentBytes / sizeof(uint32_t);
  auto* const words = reinterpret_cast<uint32_t*>(node.arguments.data());
  for (const node::Patch one : node.patches) {
    if (one.target == 0 && one.parameter == 0) continue;
    const uint32_t number = one.target & node::Patch::kNumber;
    const uint32_t kind = one.target - number;
    if (one.parameter >= parameter_count || number >= kWords) operators::refuse(Refusal::kPatch);
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
  wait_for(barrier);
}

void begin_work() {
  work = Work::kBegun;
  wait_for_others();
}

Barrier look_ahead(uint32_t without) {
  const uint32_t here = walk_state().node, n = here + 1 + without;
  next_node = n;
  if (n >= node_count) return Barrier::kNone;
  if (n / kBatch != here / kBatch) dma::wait(fetched);
  const Node& node = node_at(n);
  return header_is_good(node) ? node.barrier : Barrier::kNone;
}

void end_work(Barrier ahead) {
  if (ahead == Barrier::kNone) return;
  work = Work::kEnded;
  wait_for(ahead);
}

bool waits_for_others() { return barrier_ahead != Barrier::kNone; }

const Node* node_behind(uint32_t between) {
  const uint32_t here = walk_state().node, n = here + 1 + between;
  if (n >= node_count) return nullptr;
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
  dma::wait(dma::load(argument_words.data(), global(args), sizeof argument_words));
  const auto arguments = std::bit_cast<node::WalkArgs>(argument_words);
  const GlobalPtr<const Node> list = arguments.list;
  if (arguments.count > node::kMaxNodes || arguments.parameter_count > node::kMaxParameters)
    refuse(Refusal::kCount);
  const auto count = static_cast<uint32_t>(arguments.count);
  const auto parameter_count = static_cast<uint32_t>(arguments.parameter_count);

  const auto fetch = [&](uint32_t first) {
    return dma::load(nodes[first / kBatch & 1], list + first,
                     std::min(kBatch, count - first) * node::kNodeBytes);
  };
  barrier_ahead = Barrier::kNone;
  work = Work::kNone;
  next_node = 0;
  node_count = count;
  operators::turns.begin();
  if (count != 0) fetched = fetch(0);
  if (parameter_count != 0)
    dma::wait(dma::load(parameters, arguments.parameters, parameter_count * sizeof(uint64_t)));
  for (uint32_t n = 0; n < count; ++n) {
    if (n % kBatch == 0) {
      dma::wait(fetched);
      if (count - n > kBatch) fetched = fetch(n + kBatch);
    }
    if (n < next_node) continue;
    Node& node = node_at(n);
    walk_state().node = n;
    if (!header_is_good(node)) refuse(Refusal::kHeader);
    if (has_patches(node)) patch(node, parameter_count);
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
