// SPDX-License-Identifier: Apache-2.0
// How operators of a graph become nodes of the card's list, before anybody knows where values lie.
#pragma once

#include <cstring>
#include <vector>

#include "abi/node.hpp"
#include "host/models/graph/use.hpp"
#include "operators.hpp"

namespace swai::graph {

// What is known of it: all but addresses, and sizes that depend on symbols.
struct CardNode {
  struct Pointer {
    size_t offset = 0;  // of the node's arguments
    ValueId storage = 0;
    Size byte;  // of that memory
    bool written = false;
  };
  struct Word {
    size_t offset = 0;
    Size size;
  };

  node::Node node;
  std::vector<Pointer> pointers;
  std::vector<Word> open;  // words that depend on symbols
};

// A node of the graph for its writer.
class Emitter {
 public:
  Emitter(const Signature& what, const Graph& graph, const Node& node)
      : use_(what, graph, node), graph_(graph) {}

  const Use& use() const { return use_; }
  ValueId operand(const std::string& name) const { return *use_.operand(name); }
  ValueId result(size_t index = 0) const { return use_.node().results.at(index); }
  // Behind its results; none when it needs none.
  std::optional<ValueId> workspace(size_t results = 1) const {
    const std::vector<ValueId>& all = use_.node().results;
    return all.size() > results ? std::optional(all[results]) : std::nullopt;
  }

  const Type& type(ValueId id) const { return graph_.values[id].type; }
  Size rows(ValueId id) const { return type(id).rows(); }
  Size columns(ValueId id) const { return type(id).dimensions.back(); }
  // From row to row, in bytes. What the plan places has rows as far apart as the longest ones are.
  Size stride(ValueId id) const;
  operators::Number number(ValueId id) const;

  // What it has written is complete when sizes are within what the card's operator takes.
  void add(CardNode node) { nodes_.push_back(std::move(node)); }
  std::vector<CardNode> take() { return std::move(nodes_); }
  const Graph& graph() const { return graph_; }

 private:
  Use use_;
  const Graph& graph_;
  std::vector<CardNode> nodes_;
};

// Words of a node that change from run to run.
size_t count_patches(const CardNode& node);

// The arguments of one node: `Args` says which operator takes them.
template <typename Args>
class Arguments {
 public:
  // What is between and behind the members goes to the card, too, and shall not be what the host had there.
  explicit Arguments(Emitter& out) : out_(out) { std::memset(static_cast<void*>(&args_), 0, sizeof args_); }

  Args* operator->() { return &args_; }

  void set(uint32_t Args::*member, const Size& size) {
    if (const std::optional<int64_t> known = size.constant()) {
      args_.*member = word(*known);
    } else {
      const Range bounds = size.range(out_.graph().symbols);
      word(bounds.least);
      word(bounds.most);
      node_.open.push_back({offset(member), size});
    }
  }
  // A value, from one of its rows on. What lies behind a source is read, all else is written.
  void at(cpe::GlobalPtr<const void> Args::*member, ValueId id, const Size& row = 0) {
    point(offset(member), id, row, false);
  }
  // A vector of words, from one of them on.
  void at_word(cpe::GlobalPtr<const void> Args::*member, ValueId id, const Size& word) {
    point_at_word(offset(member), id, word, false);
  }
  void at_word(cpe::GlobalPtr<void> Args::*member, ValueId id, const Size& word) {
    point_at_word(offset(member), id, word, true);
  }
  void at(cpe::GlobalPtr<void> Args::*member, ValueId id, const Size& row = 0) {
    point(offset(member), id, row, true);
  }

  void finish(operators::Operator what) {
    for (const bool most : {false, true}) require_good(what, most);
    node_.node = node::make(static_cast<uint16_t>(what), node::Barrier::kNone, args_);
    out_.add(std::move(node_));
  }

 private:
  template <typename Member>
  size_t offset(Member Args::*member) const {
    return static_cast<size_t>(reinterpret_cast<const char*>(&(args_.*member)) -
                               reinterpret_cast<const char*>(&args_));
  }

  uint32_t word(int64_t value) const {
    if (value < 0 || value > UINT32_MAX)
      out_.use().fail("a size of " + std::to_string(value) + " does not fit into a node");
    return static_cast<uint32_t>(value);
  }

  void point(size_t offset, ValueId id, const Size& row, bool written) {
    const Value& value = out_.graph().values[id];
    const Size first = value.first + row;
    const Size byte = first == Size(0) ? Size(0) : first * out_.stride(id);
    node_.pointers.push_back({offset, value.storage, byte, written});
  }

  void point_at_word(size_t offset, ValueId id, const Size& word, bool written) {
    constexpr int64_t kBytes = sizeof(uint32_t);
    node_.pointers.push_back({offset, out_.graph().values[id].storage, word * Size(kBytes), written});
  }

  // The card would refuse the node; here there is somebody to tell.
  void require_good(operators::Operator what, bool most) const {
    Args args = args_;
    auto* const bytes = reinterpret_cast<std::byte*>(&args);
    for (const CardNode::Word& one : node_.open) {
      const Range bounds = one.size.range(out_.graph().symbols);
      const uint32_t value = word(most ? bounds.most : bounds.least);
      std::memcpy(bytes + one.offset, &value, sizeof value);
    }
    constexpr cpe::GlobalPtr<void> kSomewhere(1, 0);
    for (const CardNode::Pointer& one : node_.pointers)
      std::memcpy(bytes + one.offset, &kSomewhere, sizeof kSomewhere);
    const char* why = nullptr;
    switch (check(args)) {
      case node::Refusal::kNone:
        return;
      case node::Refusal::kShape:
        why = "sizes";
        break;
      case node::Refusal::kStride:
        why = "distances between rows";
        break;
      case node::Refusal::kType:
        why = "elements";
        break;
      default:
        why = "settings";
    }
    out_.use().fail(std::string("the card's operator ") + operators::name(static_cast<uint16_t>(what)) +
                    " does not take these " + why + "; docs/reference/operators.md tells what it takes");
  }

  Emitter& out_;
  Args args_;
  CardNode node_;
};

}  // namespace swai::graph
