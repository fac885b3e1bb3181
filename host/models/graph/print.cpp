// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/print.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/models/graph/signatures.hpp"

namespace swai::graph {
namespace {

std::string text_of(const Setting& setting) {
  if (const auto* const size = std::get_if<Size>(&setting)) return size->text();
  if (const auto* const real = std::get_if<double>(&setting)) {
    // Shortest digits that give the same number back, and never a whole number, which would be a size.
    const std::string text = fmt::format("{}", *real);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }
  return std::get<std::string>(setting);
}

class Printer {
 public:
  explicit Printer(const Graph& graph) : graph_(graph) {}

  std::string text() {
    line("graph {}", graph_.name);
    for (const auto& [name, bounds] : graph_.symbols)
      line("size {} in {} .. {}", name, bounds.least, bounds.most);
    for (const Node& node : graph_.nodes) {
      // Values keep their numbers: what is declared before the node's results stands above it.
      ValueId end = 0;
      for (const ValueId id : node.results)
        end = std::max(end, graph_.values[id].kind == ValueKind::kTemporary ? id : id + 1);
      for (const std::optional<ValueId>& id : node.operands)
        if (id) end = std::max(end, *id + 1);
      declare_until(end);
      print(node);
    }
    declare_until(graph_.values.size());
    return std::move(text_);
  }

 private:
  template <typename... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
    text_ += '\n';
  }

  void declare_until(ValueId end) {
    for (; next_ < end; ++next_) {
      const Value& value = graph_.values[next_];
      if (value.kind != ValueKind::kTemporary)
        line("{} {}: {}", to_text(value.kind), value.name, value.type.text());
    }
  }

  std::string target(ValueId id) const {
    const Value& value = graph_.values[id];
    const Value& memory = graph_.values[value.storage];
    return memory.kind == ValueKind::kBuffer ? value.name + " in " + memory.name : value.name;
  }

  void print(const Node& node) {
    std::vector<std::string> targets, arguments;
    for (const ValueId id : node.results) targets.push_back(target(id));
    const Signature& what = *find_signature(node.operation);
    bool by_position = true;
    for (size_t i = 0; i < what.parameters.size(); ++i) {
      const Parameter& parameter = what.parameters[i];
      if (parameter.kind != Parameter::Kind::kTensor) continue;
      if (node.operands[i]) {
        const std::string& name = graph_.values[*node.operands[i]].name;
        arguments.push_back(by_position ? name : parameter.name + ": " + name);
      } else {
        by_position = false;
      }
    }
    for (const Parameter& parameter : what.parameters) {
      if (parameter.kind == Parameter::Kind::kTensor) continue;
      const Setting& setting = node.settings.at(parameter.name);
      if (parameter.needed || setting != standard_of(parameter))
        arguments.push_back(parameter.name + ": " + text_of(setting));
    }
    line("{} = {}({})", fmt::join(targets, ", "), node.operation, fmt::join(arguments, ", "));
  }

  const Graph& graph_;
  std::string text_;
  ValueId next_ = 0;  // the first value that is not declared yet
};

}  // namespace

std::string print(const Graph& graph) { return Printer(graph).text(); }

}  // namespace swai::graph
