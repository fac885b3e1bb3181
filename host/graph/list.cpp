#include "host/graph/list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "operators.hpp"

namespace swai::graph {
namespace {

using operators::Number;
using operators::Operator;

// Where a value lies: as a whole what is not in the block between.
struct Region {
  std::optional<ValueId> storage;
  int64_t offset = 0;
  int64_t bytes = 0;
};

bool overlap(const Region& a, const Region& b) {
  if (a.storage || b.storage) return a.storage == b.storage;
  return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

template <typename Word>
void put(node::Node& node, size_t offset, Word word) {
  std::memcpy(&node.arguments[offset], &word, sizeof word);
}

uint32_t word(int64_t value) {
  if (value < 0 || value > UINT32_MAX) throw SizeError(fmt::format("{} does not fit into a node", value));
  return static_cast<uint32_t>(value);
}

// Some rows of a value.
struct Rows {
  ValueId value;
  Size first = 0;
};

class Writer {
 public:
  Writer(const Graph& graph, const Plan& plan) : graph_(graph) {
    for (const Slot& slot : plan.slots) {
      for (const ValueId id : slot.values) places_[id] = {std::nullopt, slot.offset, slot.bytes};
    }
  }

  Template whole() {
    for (number_ = 0; number_ < graph_.nodes.size(); ++number_) write(graph_.nodes[number_]);
    return std::move(made_);
  }

 private:
  const Type& type(ValueId id) const { return graph_.values[id].type; }
  Size rows(ValueId id) const { return type(id).dimensions[0]; }
  Size columns(ValueId id) const { return type(id).dimensions[1]; }
  Size row_bytes(ValueId id) const { return Type{type(id).element, {1, columns(id)}, {}}.bytes(); }
  static ValueId operand(const Node& node, size_t index) { return *node.operands[index]; }

  [[noreturn]] void fail(const std::string& why) const {
    const Node& node = graph_.nodes[number_];
    throw GraphError(node.place, fmt::format("{}{}: {}", node.operation, node.context, why));
  }

  Number number(ValueId id) const {
    switch (type(id).element) {
      case Element::kF32:
        return Number::kFp32;
      case Element::kF16:
        return Number::kFp16;
      case Element::kI32:
        return Number::kInt32;
      case Element::kI8:
        return Number::kInt8;
      case Element::kI4:
        break;
    }
    fail(fmt::format("{} is i4, which it does not take", graph_.values[id].name));
  }

  // -----------------------------------------------------------------------------------------------------
  // nodes

  template <typename Args>
  void begin(Operator what, const Args& args) {
    made_.nodes.push_back(node::make(static_cast<uint16_t>(what), node::Barrier::kNone, args));
    made_.origins.push_back(number_);
    now_.clear();
  }

  void set(size_t offset, const Size& size) {
    if (const std::optional<int64_t> known = size.constant()) {
      put(made_.nodes.back(), offset, word(*known));
      return;
    }
    Patch patch;
    patch.node = made_.nodes.size() - 1;
    patch.offset = offset;
    patch.formula = size;
    made_.patches.push_back(std::move(patch));
  }

  void address(size_t offset, Rows rows, bool written) {
    Patch patch;
    patch.node = made_.nodes.size() - 1;
    patch.offset = offset;
    patch.formula = rows.first == Size(0) ? Size(0) : rows.first * row_bytes(rows.value);
    const ValueId storage = graph_.values[rows.value].storage;
    const auto place = places_.find(places_.contains(rows.value) ? rows.value : storage);
    if (place == places_.end()) {
      patch.base = storage;
    } else {
      patch.in_block = true;
      patch.formula = patch.formula + place->second.offset;
    }
    now_.push_back({place == places_.end() ? Region{storage, 0, 0} : place->second, written});
    made_.patches.push_back(std::move(patch));
  }
  void from(size_t offset, Rows rows) { address(offset, rows, false); }
  void to(size_t offset, Rows rows) { address(offset, rows, true); }

  // All CPEs take part in every node. What one reads the others may have written, and what it writes they may
  // still read: unless there was a barrier since.
  void end() {
    const bool meets = std::ranges::any_of(now_, [&](const Access& here) {
      return std::ranges::any_of(since_barrier_, [&](const Access& before) {
        return (here.written || before.written) && overlap(here.region, before.region);
      });
    });
    if (meets) {
      made_.nodes.back().barrier = node::Barrier::kAll;
      since_barrier_.clear();
    }
    since_barrier_.insert(since_barrier_.end(), now_.begin(), now_.end());
  }

  void copy(Rows target, Rows source, const Size& count) {
    using operators::CopyArgs;
    if (type(target.value).element != type(source.value).element) {
      fail(fmt::format("{} would have to be converted to {}, which the card's operator does not do yet",
                       graph_.values[source.value].name, to_text(type(target.value).element)));
    }
    begin(Operator::kCopy, CopyArgs{});
    to(offsetof(CopyArgs, to), target);
    from(offsetof(CopyArgs, from), source);
    set(offsetof(CopyArgs, rows), count);
    set(offsetof(CopyArgs, row_bytes), row_bytes(source.value));
    set(offsetof(CopyArgs, to_stride), row_bytes(target.value));
    set(offsetof(CopyArgs, from_stride), row_bytes(source.value));
    end();
  }

  void binary(Operator what, const Node& node) {
    using operators::BinaryArgs;
    const ValueId a = operand(node, 0), b = operand(node, 1), y = node.results[0];
    BinaryArgs args = {};
    args.to_type = number(y);
    args.a_type = number(a);
    args.b_type = number(b);
    begin(what, args);
    to(offsetof(BinaryArgs, to), {y});
    from(offsetof(BinaryArgs, a), {a});
    from(offsetof(BinaryArgs, b), {b});
    set(offsetof(BinaryArgs, rows), rows(y));
    set(offsetof(BinaryArgs, columns), columns(y));
    set(offsetof(BinaryArgs, to_stride), row_bytes(y));
    set(offsetof(BinaryArgs, a_stride), row_bytes(a));
    set(offsetof(BinaryArgs, b_stride), row_bytes(b));
    end();
  }

  // What has one matrix on each side: all such arguments have these names.
  template <typename Args>
  void matrix(Operator what, const Node& node, Args args) {
    const ValueId x = operand(node, 0), y = node.results[0];
    args.to_type = number(y);
    args.from_type = number(x);
    begin(what, args);
    to(offsetof(Args, to), {y});
    from(offsetof(Args, from), {x});
    set(offsetof(Args, rows), rows(y));
    set(offsetof(Args, columns), columns(y));
    set(offsetof(Args, to_stride), row_bytes(y));
    set(offsetof(Args, from_stride), row_bytes(x));
  }

  void unary(Operator what, const Node& node) {
    matrix(what, node, operators::UnaryArgs{});
    end();
  }

  void norm(Operator what, const Node& node) {
    using operators::NormArgs;
    NormArgs args = {};
    args.epsilon = static_cast<float>(std::get<double>(node.settings.at("epsilon")));
    matrix(what, node, args);
    from(offsetof(NormArgs, gamma), {operand(node, 1)});
    if (what == Operator::kLayerNorm) from(offsetof(NormArgs, beta), {operand(node, 2)});
    end();
  }

  void softmax(Operator what, const Node& node) {
    operators::SoftmaxArgs args = {};
    args.scale = 1;
    matrix(what, node, args);
    end();
  }

  void write(const Node& node) {
    const std::string& what = node.operation;
    const auto text = [&](const char* name) { return std::get<std::string>(node.settings.at(name)); };
    const auto size = [&](const char* name) { return std::get<Size>(node.settings.at(name)); };
    const ValueId y = node.results[0];
    if (what == "add") return binary(Operator::kAdd, node);
    if (what == "multiply") return binary(Operator::kMul, node);
    if (what == "relu") return unary(Operator::kRelu, node);
    if (what == "silu") return unary(Operator::kSilu, node);
    if (what == "gelu") return unary(text("form") == "erf" ? Operator::kGeluErf : Operator::kGeluTanh, node);
    if (what == "layer_norm") return norm(Operator::kLayerNorm, node);
    if (what == "rms_norm") return norm(Operator::kRmsNorm, node);
    if (what == "softmax") return softmax(Operator::kSoftmax, node);
    if (what == "log_softmax") return softmax(Operator::kLogSoftmax, node);
    if (what == "copy") return copy({y}, {operand(node, 0)}, rows(y));
    if (what == "slice") return copy({y}, {operand(node, 0), size("first")}, rows(y));
    if (what == "extend") return copy({y, size("at")}, {operand(node, 1)}, rows(operand(node, 1)));
    if (what == "concat") {
      const ValueId a = operand(node, 0), b = operand(node, 1);
      copy({y}, {a}, rows(a));
      return copy({y, rows(a)}, {b}, rows(b));
    }
    fail("the card has no such operator yet");
  }

  struct Access {
    Region region;
    bool written = false;
  };

  const Graph& graph_;
  std::map<ValueId, Region> places_;
  Template made_;
  size_t number_ = 0;
  std::vector<Access> now_, since_barrier_;
};

std::map<std::string, Range> known(const Graph& graph, const std::map<std::string, int64_t>& symbols) {
  std::map<std::string, Range> values;
  for (const auto& [name, bounds] : graph.symbols) {
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

Template template_of(const Graph& graph, const Plan& plan) { return Writer(graph, plan).whole(); }

std::vector<node::Node> list_of(const Template& pattern, const Graph& graph, const Addresses& addresses,
                                const std::map<std::string, int64_t>& symbols) {
  const std::map<std::string, Range> values = known(graph, symbols);
  std::vector<node::Node> list = pattern.nodes;
  for (const Patch& patch : pattern.patches) {
    const int64_t value = patch.formula.range(values).most;
    if (patch.base || patch.in_block) {
      const cpe::GlobalPtr<void> base = patch.in_block ? addresses.block : addresses.of(*patch.base);
      put(list[patch.node], patch.offset, base.plus_bytes(value).bits());
    } else {
      put(list[patch.node], patch.offset, word(value));
    }
  }
  return list;
}

}  // namespace swai::graph
