// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/plan.hpp"

#include <algorithm>

#include "host/models/graph/signatures.hpp"

namespace swai::graph {
namespace {

constexpr int64_t kAlignment = 64;  // a line of memory
constexpr int64_t kMaxBytes = int64_t{1} << 48;

// Where symbols have their upper bounds, rows as far apart as then.
int64_t upper_bytes(const Graph& graph, const Value& value) {
  const int64_t rows = value.type.rows().range(graph.symbols).most;
  const int64_t row = value.type.row_bytes().range(graph.symbols).most;
  if (row > kMaxBytes || rows > kMaxBytes / std::max<int64_t>(row, 1))
    throw SizeError(value.name + " is larger than any memory");
  const int64_t bytes = rows * row;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

bool overlap(const Slot& a, const Slot& b) { return a.first <= b.last && b.first <= a.last; }

// The operand whose place a node's result may take: it is read for the last time, and as large.
std::optional<ValueId> predecessor(const Graph& graph, size_t number) {
  const Node& node = graph.nodes[number];
  if (!find_signature(node.operation)->elementwise) return std::nullopt;
  for (const std::optional<ValueId>& operand : node.operands) {
    if (!operand) continue;
    const Value& value = graph.values[*operand];
    const bool free =
        value.kind == ValueKind::kTemporary && value.storage == *operand && value.last_use == number;
    if (free && value.type == graph.values[node.results[0]].type) return operand;
  }
  return std::nullopt;
}

std::vector<Slot> slots_of(const Graph& graph) {
  std::vector<Slot> slots;
  std::map<ValueId, size_t> slot_of;
  const auto add = [&](ValueId id, size_t first, size_t last) {
    slot_of[id] = slots.size();
    slots.push_back({{id}, first, last, upper_bytes(graph, graph.values[id]), 0});
  };
  for (size_t number = 0; number < graph.nodes.size(); ++number) {
    for (const ValueId id : graph.nodes[number].results) {
      const Value& value = graph.values[id];
      const size_t last = std::max(number, value.last_use.value_or(number));
      const ValueKind where = graph.values[value.storage].kind;
      if (where == ValueKind::kBuffer) {
        // From its first value's beginning to its last one's end.
        if (!slot_of.contains(value.storage)) add(value.storage, number, last);
        Slot& slot = slots[slot_of.at(value.storage)];
        slot.last = std::max(slot.last, last);
        if (upper_bytes(graph, value) > slot.bytes) {
          throw SizeError(value.name + " does not fit into buffer " + graph.values[value.storage].name +
                          " when its rows are as far apart as the longest ones");
        }
      } else if (where == ValueKind::kTemporary) {
        const std::optional<ValueId> before = predecessor(graph, number);
        if (before && slot_of.contains(*before)) {
          Slot& slot = slots[slot_of.at(*before)];
          slot.values.push_back(id);
          slot.last = last;
          slot_of[id] = slot_of.at(*before);
        } else {
          add(id, number, last);
        }
      }
    }
  }
  return slots;
}

// The lowest place that none of those has, as long as `slot` is needed.
int64_t lowest_place(const Slot& slot, const std::vector<const Slot*>& placed) {
  int64_t offset = 0;
  for (const Slot* other : placed) {  // by their offsets
    if (!overlap(slot, *other)) continue;
    if (other->offset - offset >= slot.bytes) break;
    offset = std::max(offset, other->offset + other->bytes);
  }
  return offset;
}

int64_t most_at_once(const Graph& graph, const std::vector<Slot>& slots) {
  std::vector<int64_t> change(graph.nodes.size() + 1);
  for (const Slot& slot : slots) {
    change[slot.first] += slot.bytes;
    change[slot.last + 1] -= slot.bytes;
  }
  int64_t now = 0, most = 0;
  for (const int64_t one : change) most = std::max(most, now += one);
  return most;
}

}  // namespace

Plan plan(const Graph& graph) {
  Plan plan;
  plan.slots = slots_of(graph);
  // Large ones first: small ones find a place between them.
  std::vector<Slot*> order;
  for (Slot& slot : plan.slots) {
    order.push_back(&slot);
    plan.bytes_alone += slot.bytes;
    if (plan.bytes_alone > kMaxBytes) throw SizeError("the graph's values are larger than any memory");
  }
  std::ranges::stable_sort(order, [](const Slot* a, const Slot* b) { return a->bytes > b->bytes; });
  std::vector<const Slot*> placed;
  for (Slot* slot : order) {
    slot->offset = lowest_place(*slot, placed);
    placed.insert(std::ranges::upper_bound(placed, slot->offset, {}, &Slot::offset), slot);
    plan.bytes = std::max(plan.bytes, slot->offset + slot->bytes);
  }
  plan.bytes_at_once = most_at_once(graph, plan.slots);
  return plan;
}

}  // namespace swai::graph
