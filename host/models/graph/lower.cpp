// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/lower.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "host/models/graph/card_nodes.hpp"
#include "host/models/graph/signatures.hpp"

namespace swai::graph {
namespace {

class Lowering {
 public:
  Lowering(Graph graph, uint32_t stands_for) : graph_(std::move(graph)), stands_for_(stands_for) {}

  Graph whole() {
    note_places();
    take_rows_whole();
    quantise_for_products();
    note_places();
    read_where_it_is();
    note_places();
    write_into_states();
    add_workspaces();
    note_places();
    return std::move(graph_);
  }

 private:
  static size_t index_of(const Signature& what, const std::string& parameter) {
    return static_cast<size_t>(std::ranges::find(what.parameters, parameter, &Parameter::name) -
                               what.parameters.begin());
  }

  ValueId add_value(std::string name, Type type, Place place) {
    Value value;
    value.name = std::move(name);
    value.type = std::move(type);
    value.place = place;
    value.storage = graph_.values.size();
    graph_.values.push_back(std::move(value));
    return graph_.values.size() - 1;
  }

  // Producers and last uses, after nodes have moved.
  void note_places() {
    for (Value& value : graph_.values) value.producer = value.last_use = std::nullopt;
    uses_.assign(graph_.values.size(), 0);
    const auto use = [&](ValueId id, size_t number) {
      graph_.values[id].last_use = number;
      ++uses_[id];
    };
    for (size_t number = 0; number < graph_.nodes.size(); ++number) {
      const Node& node = graph_.nodes[number];
      for (const ValueId id : node.results) graph_.values[id].producer = number;
      for (const std::optional<ValueId>& id : node.operands) {
        if (!id) continue;
        use(*id, number);
        if (const auto whole = rows_of_.find(*id); whole != rows_of_.end()) use(whole->second, number);
      }
    }
    for (const auto& [extended, rows] : written_there_)
      graph_.values[extended].producer = graph_.values[rows].producer;
  }

  // ------------------------------------------------------------------------------------------------------
  // linear_row

  // Products of one short row: each CPE that has columns normalises and quantises it by itself, and two nodes
  // are gone that the others would wait for.
  void take_rows_whole() {
    std::vector<bool> gone(graph_.nodes.size());
    std::map<ValueId, std::vector<Node*>> products_of;
    std::set<ValueId> others;  // that a product of another kind takes, too
    for (Node& node : graph_.nodes) {
      if (node.operation != "linear") continue;
      const ValueId x = *use_of(node).operand("x");
      if (takes_row_whole(node)) {
        products_of[x].push_back(&node);
      } else {
        others.insert(x);
      }
    }
    for (const auto& [x, products] : products_of) {
      if (others.contains(x)) continue;
      const std::optional<size_t> norm = products.size() == uses_[x] ? norm_of(x) : std::nullopt;
      for (Node* const product : products) become_row(*product, norm ? &graph_.nodes[*norm] : nullptr);
      if (norm) gone[*norm] = true;
    }
    size_t number = 0;
    std::erase_if(graph_.nodes, [&](const Node&) { return gone[number++]; });
    note_places();
  }

  int64_t most_of(const Size& size) const { return size.range(graph_.symbols).most; }

  // Longer rows, and those of more weights, are quantised once for all.
  bool takes_row_whole(const Node& node) const {
    const Use use = use_of(node);
    const Type &x = graph_.values[*use.operand("x")].type, &w = graph_.values[*use.operand("weight")].type;
    if (w.element != Element::kI8 || w.packed->tiles != 0 || x.element != Element::kF32) return false;
    if (!(x.rows() == Size(1))) return false;
    const int64_t columns = most_of(x.dimensions[1]) * stands_for_;
    return columns <= kShortRow ||
           (columns <= kLongestRow && most_of(w.bytes()) * stands_for_ * stands_for_ <= kMostWeights);
  }

  // The node that makes x, if it is a norm of what stays as it is until the products read it.
  std::optional<size_t> norm_of(ValueId x) const {
    const Value& value = graph_.values[x];
    if (!is_temporary(x) || !value.producer) return std::nullopt;
    const Node& node = graph_.nodes[*value.producer];
    if (node.operation != "layer_norm" && node.operation != "rms_norm") return std::nullopt;
    if (node.operation == "rms_norm" && use_of(node).count("heads") != 1) return std::nullopt;
    const bool stays =
        std::ranges::all_of(node.operands, [&](std::optional<ValueId> id) { return !id || is_left(*id); });
    const bool short_enough = most_of(value.type.dimensions[1]) * stands_for_ <= kLongestNorm;
    return stays && short_enough ? value.producer : std::nullopt;
  }

  // Nobody writes it between a node that reads it and those that read what the node makes.
  bool is_left(ValueId id) const {
    const ValueKind kind = graph_.values[id].kind;
    return is_temporary(id) || kind == ValueKind::kInput || kind == ValueKind::kWeight;
  }

  void become_row(Node& product, const Node* norm) const {
    const Signature &before = *find_signature("linear"), &after = *find_signature("linear_row");
    std::vector<std::optional<ValueId>> operands(after.parameters.size());
    for (const char* const name : {"x", "weight", "scale", "bias", "residual"})
      operands[index_of(after, name)] = product.operands[index_of(before, name)];
    if (norm != nullptr) {
      const Use use = use_of(*norm);
      operands[index_of(after, "x")] = use.operand("x");
      operands[index_of(after, "norm")] = use.operand("weight");
      if (norm->operation == "layer_norm") operands[index_of(after, "norm_bias")] = use.operand("bias");
      product.settings["epsilon"] = norm->settings.at("epsilon");
    } else {
      product.settings["epsilon"] = 1e-5;
    }
    product.operation = after.name;
    product.operands = std::move(operands);
  }

  // Columns of a row, whatever it is multiplied with, and of one that is normalised, and bytes.
  static constexpr int64_t kShortRow = 256;
  static constexpr int64_t kLongestRow = 2048;
  static constexpr int64_t kLongestNorm = 1024;
  static constexpr int64_t kMostWeights = 1024 * 1024;

  // ------------------------------------------------------------------------------------------------------
  // quantise

  // The same x in the same groups, made by hand or for another product.
  using Key = std::pair<ValueId, std::string>;
  using Quantised = std::pair<ValueId, ValueId>;

  void quantise_for_products() {
    std::vector<Node> nodes;
    std::map<Key, Quantised> made;
    nodes.swap(graph_.nodes);
    for (Node& node : nodes) {
      if (node.operation == "quantise") {
        if (std::ranges::all_of(node.results, [&](ValueId id) { return is_temporary(id); })) {
          const Key key = {*node.operands[0], std::get<Size>(node.settings.at("group")).text()};
          made.try_emplace(key, node.results[0], node.results[1]);
        }
      } else if (node.operation == "linear") {
        const Type& weight = graph_.values[*use_of(node).operand("weight")].type;
        const bool whole_rows = weight.packed && weight.packed->tiles != 0;
        if (weight.element == Element::kI8 || weight.element == Element::kI4)
          quantise_operand(made, node, "x", "x_scale", whole_rows ? Size(0) : use_of(node).size("x_group"));
      } else if (node.operation == "attention" && use_of(node).word("products") == "i8") {
        const int64_t heads = use_of(node).count("heads");
        const Size width = graph_.values[*use_of(node).operand("q")].type.dimensions[1] / heads;
        quantise_operand(made, node, "k", "k_scale", width);
        quantise_operand(made, node, "v", "v_scale", width);
      }
      graph_.nodes.push_back(std::move(node));
    }
  }

  Use use_of(const Node& node) const { return {*find_signature(node.operation), graph_, node}; }

  // Unless it is.
  void quantise_operand(std::map<Key, Quantised>& made, Node& node, const char* operand, const char* scale,
                        const Size& group) {
    const Signature& what = *find_signature(node.operation);
    std::optional<ValueId>& x = node.operands[index_of(what, operand)];
    std::optional<ValueId>& x_scale = node.operands[index_of(what, scale)];
    if (x_scale) return;
    const Quantised quantised = this->quantised(made, *x, group, node);
    x = quantised.first;
    x_scale = quantised.second;
  }

  bool is_temporary(ValueId id) const {
    return graph_.values[id].kind == ValueKind::kTemporary && graph_.values[id].storage == id;
  }

  Quantised quantised(std::map<Key, Quantised>& made, ValueId x, const Size& group, const Node& user) {
    const Key key = {x, group.text()};
    if (const auto found = made.find(key); found != made.end()) return found->second;
    Node node;
    node.operation = "quantise";
    node.context = user.context;
    node.place = user.place;
    node.operands = {x, std::nullopt};
    node.settings["group"] = group;
    const std::vector<Type> types = [&] {
      const Use own(*find_signature(node.operation), graph_, node);
      return find_signature(node.operation)->results(own);
    }();
    const std::string name = graph_.values[x].name;
    const Quantised both = {add_value(name + ".i8", types[0], node.place),
                            add_value(name + ".i8.scale", types[1], node.place)};
    node.results = {both.first, both.second};
    graph_.nodes.push_back(std::move(node));
    made.emplace(key, both);
    return both;
  }

  // ------------------------------------------------------------------------------------------------------
  // slice

  void read_where_it_is() {
    std::vector<bool> gone(graph_.nodes.size());
    for (size_t number = 0; number < graph_.nodes.size(); ++number) {
      if (graph_.nodes[number].operation == "slice") gone[number] = is_read_there(graph_.nodes[number]);
    }
    size_t number = 0;
    std::erase_if(graph_.nodes, [&](const Node&) { return gone[number++]; });
  }

  // True: who reads the rows reads them where x has them.
  bool is_read_there(const Node& slice) {
    const ValueId x = *slice.operands[0], id = slice.results[0];
    if (!is_temporary(id) || !is_left(x) || graph_.values[x].storage != x) return false;
    Value& rows = graph_.values[id];
    rows.storage = x;
    rows.first = std::get<Size>(slice.settings.at("first"));
    const bool all_fit = std::ranges::all_of(graph_.nodes, [&](const Node& node) {
      return std::ranges::find(node.operands, std::optional(id)) == node.operands.end() || fits(node);
    });
    if (all_fit) {
      rows_of_.emplace(id, x);
      return true;
    }
    rows.storage = id;
    rows.first = 0;
    return false;
  }

  // ------------------------------------------------------------------------------------------------------
  // extend

  void write_into_states() {
    std::vector<bool> gone(graph_.nodes.size());
    for (size_t number = 0; number < graph_.nodes.size(); ++number) {
      const Node& node = graph_.nodes[number];
      if (node.operation == "extend") gone[number] = write_there(node, number);
      if (node.operation == "place") made_for(node);
    }
    size_t number = 0;
    std::erase_if(graph_.nodes, [&](const Node&) { return gone[number++]; });
  }

  // True: the rows are made for the state alone, and stored as its rows are.
  bool made_for(const Node& in_place) {
    const ValueId rows = *in_place.operands[1];
    Value& value = graph_.values[rows];
    if (!is_temporary(rows) || uses_[rows] != 1) return false;
    if (!find_signature(graph_.nodes[*value.producer].operation)->by_rows) return false;
    const Element wanted = graph_.values[graph_.values[in_place.results[0]].storage].type.element;
    if (value.type.element != wanted) {
      if (wanted != Element::kF16) return false;
      value.type.element = wanted;
    }
    return true;
  }

  // True: the node that makes the rows writes them into the state.
  bool write_there(const Node& extend, size_t number) {
    if (use_of(extend).word("copied") == "yes" || !made_for(extend)) return false;
    const ValueId rows = *extend.operands[1];
    const ValueId state = graph_.values[extend.results[0]].storage;
    Value& value = graph_.values[rows];
    const Node& maker = graph_.nodes[*value.producer];
    // Nobody between them may still want what was there.
    for (size_t between = *value.producer; between < number; ++between) {
      for (const std::optional<ValueId>& id : graph_.nodes[between].operands)
        if (id && graph_.values[*id].storage == state) return false;
    }
    value.storage = state;
    value.first = std::get<Size>(extend.settings.at("at"));
    if (fits(maker)) {
      written_there_.emplace_back(extend.results[0], rows);
      return true;
    }
    value.storage = rows;
    value.first = 0;
    return false;
  }

  // What the card cannot do at all is told when its nodes are written.
  bool fits(const Node& node) const {
    try {
      return std::ranges::all_of(card_nodes(graph_, node),
                                 [](const CardNode& one) { return count_patches(one) <= node::kPatches; });
    } catch (const GraphError&) {
      return false;
    }
  }

  // ------------------------------------------------------------------------------------------------------

  void add_workspaces() {
    for (Node& node : graph_.nodes) {
      const Signature& what = *find_signature(node.operation);
      if (what.workspace == nullptr) continue;
      const int64_t bytes = what.workspace(Use(what, graph_, node)).range(graph_.symbols).most;
      if (bytes == 0) continue;
      Type type;
      type.element = Element::kI8;
      type.dimensions = {bytes};
      const std::string name = graph_.values[node.results[0]].name + ".workspace";
      node.results.push_back(add_value(name, type, node.place));
    }
  }

  Graph graph_;
  int64_t stands_for_;
  std::vector<size_t> uses_;            // of each value
  std::map<ValueId, ValueId> rows_of_;  // of another value, which are read where that is
  // What extend gave, and the rows that are written there without it.
  std::vector<std::pair<ValueId, ValueId>> written_there_;
};

}  // namespace

Graph lowered(Graph graph, uint32_t stands_for) { return Lowering(std::move(graph), stands_for).whole(); }

}  // namespace swai::graph
