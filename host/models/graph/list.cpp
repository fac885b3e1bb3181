// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "host/models/graph/card_nodes.hpp"

namespace swai::graph {
namespace {

// Memory that a node touches: as a whole what is not in the block between.
struct Region {
  size_t base = 0;
  int64_t offset = 0;
  int64_t bytes = 0;
  bool written = false;
};

bool meet(const Region& a, const Region& b) {
  if ((!a.written && !b.written) || a.base != b.base) return false;
  return a.base != 0 || (a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes);
}

class Builder {
 public:
  Builder(const Graph& graph, const Plan& plan) : graph_(graph) {
    made_.name = graph.name;
    made_.symbols = graph.symbols;
    made_.bases.push_back({"", ValueKind::kTemporary, plan.bytes});
    for (const Slot& slot : plan.slots) {
      for (const ValueId id : slot.values) regions_[id] = {0, slot.offset, slot.bytes};
    }
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      const Value& value = graph.values[id];
      if (is_planned(value.kind)) continue;
      regions_[id] = {made_.bases.size(), 0, 0};
      made_.bases.push_back({value.name, value.kind, value.type.bytes()});
    }
  }

  Template whole() {
    for (number_ = 0; number_ < graph_.nodes.size(); ++number_) {
      for (const CardNode& node : card_nodes(graph_, graph_.nodes[number_])) add(node);
    }
    return std::move(made_);
  }

 private:
  void add(const CardNode& from) {
    made_.nodes.push_back(from.node);
    made_.origins.push_back(number_);
    patches_ = 0;
    std::vector<Region> here;
    for (const CardNode::Pointer& pointer : from.pointers) {
      Region region = regions_.at(pointer.storage);
      region.written = pointer.written;
      here.push_back(region);
      made_.relocations.push_back(
          {made_.nodes.size() - 1, pointer.offset, region.base, region.offset + pointer.byte.known_part()});
      patch(node::Patch::kPointer, pointer.offset, pointer.byte);
    }
    for (const CardNode::Word& word : from.open) {
      const auto known = static_cast<uint32_t>(word.size.known_part());
      std::memcpy(&made_.nodes.back().arguments[word.offset], &known, sizeof known);
      patch(node::Patch::kWord, word.offset, word.size);
    }
    made_.nodes.back().barrier = barrier_before(here);
  }

  // The part of a size that depends on symbols is a parameter; nodes share those that are equal.
  void patch(uint8_t kind, size_t offset, const Size& size) {
    const Size changing = size - size.known_part();
    if (changing == Size(0)) return;
    auto found = std::ranges::find(made_.parameters, changing);
    if (found == made_.parameters.end()) {
      if (made_.parameters.size() == node::kMaxParameters) {
        fail(
            fmt::format("the list would need more than {} parameters, sizes that depend on symbols in "
                        "different ways",
                        node::kMaxParameters));
      }
      found = made_.parameters.insert(found, changing);
    }
    if (patches_ == node::kPatches) {
      fail(fmt::format("more than {} of its sizes and places depend on symbols; {} is one more",
                       node::kPatches, size.text()));
    }
    made_.nodes.back().patches[patches_++] = {static_cast<uint8_t>(kind | offset / sizeof(uint32_t)),
                                              static_cast<uint8_t>(found - made_.parameters.begin())};
  }

  // All CPEs take part in every node. What one reads the others may have written, and what it writes they may
  // still read: unless there was a barrier since.
  node::Barrier barrier_before(const std::vector<Region>& here) {
    const bool met = std::ranges::any_of(here, [&](const Region& one) {
      return std::ranges::any_of(since_barrier_, [&](const Region& before) { return meet(one, before); });
    });
    if (met) since_barrier_.clear();
    since_barrier_.insert(since_barrier_.end(), here.begin(), here.end());
    return met ? node::Barrier::kAll : node::Barrier::kNone;
  }

  [[noreturn]] void fail(const std::string& why) const {
    const Node& node = graph_.nodes[number_];
    throw GraphError(node.place, fmt::format("{}{}: {}", node.operation, node.context, why));
  }

  const Graph& graph_;
  std::map<ValueId, Region> regions_;
  Template made_;
  size_t number_ = 0;
  size_t patches_ = 0;  // of the last node
  std::vector<Region> since_barrier_;
};

std::map<std::string, Range> known(const Template& pattern, const std::map<std::string, int64_t>& symbols) {
  std::map<std::string, Range> values;
  for (const auto& [name, bounds] : pattern.symbols) {
    const auto found = symbols.find(name);
    if (found == symbols.end()) throw SizeError(fmt::format("size {} has no value", name));
    if (found->second < bounds.least || found->second > bounds.most) {
      throw SizeError(fmt::format("size {} is {}; it goes from {} to {}", name, found->second, bounds.least,
                                  bounds.most));
    }
    values[name] = {found->second, found->second};
  }
  return values;
}

}  // namespace

Template template_of(const Graph& graph, const Plan& plan) { return Builder(graph, plan).whole(); }

std::vector<node::Node> list_of(const Template& pattern, std::span<const cpe::GlobalPtr<void>> bases) {
  if (bases.size() != pattern.bases.size())
    throw std::logic_error(fmt::format("{} addresses for {} bases", bases.size(), pattern.bases.size()));
  std::vector<node::Node> list = pattern.nodes;
  for (const Template::Relocation& one : pattern.relocations) {
    // All 64 bits: below 0 it borrows from the segment's number what the parameter gives back.
    const uint64_t address = bases[one.base].bits() + static_cast<uint64_t>(one.addend);
    std::memcpy(&list[one.node].arguments[one.offset], &address, sizeof address);
  }
  return list;
}

std::vector<uint64_t> parameters_of(const Template& pattern, const std::map<std::string, int64_t>& symbols) {
  const std::map<std::string, Range> values = known(pattern, symbols);
  std::vector<uint64_t> block;
  for (const Size& parameter : pattern.parameters)
    block.push_back(static_cast<uint64_t>(parameter.range(values).most));
  return block;
}

}  // namespace swai::graph
