// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/graph_template.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/lib/argument_text.hpp"
#include "host/lib/new_file.hpp"
#include "host/models/graph/template_file.hpp"
#include "host/tools/cli/table.hpp"
#include "host/tools/swai/words.hpp"
#include "operators.hpp"

namespace swai::cli {
namespace {

std::string operator_name(uint16_t operation) {
  const char* const name = operators::name(operation);
  return name != nullptr ? name : fmt::format("operator {}", operation);
}

const char* text_of(node::Barrier barrier) {
  switch (barrier) {
    case node::Barrier::kRow:
      return "row";
    case node::Barrier::kColumn:
      return "column";
    case node::Barrier::kAll:
      return "all";
    default:
      return "";
  }
}

std::string name_of(const graph::Template::Base& base) { return base.name.empty() ? "between" : base.name; }

// Bytes that whoever makes it takes: enough for each run.
int64_t most_of(const graph::Template& pattern, const graph::Template::Base& base) {
  return base.bytes.range(pattern.symbols).most;
}

// "between + 4096"
std::string text_of(const graph::Template& pattern, const graph::Template::Relocation& one) {
  const std::string name = name_of(pattern.bases[one.base]);
  if (one.addend == 0) return name;
  return fmt::format("{} {} {}", name, one.addend < 0 ? '-' : '+', std::abs(one.addend));
}

// "word 6 + 4 * past"
std::vector<std::string> patches_of(const graph::Template& pattern, const node::Node& node) {
  std::vector<std::string> all;
  for (const node::Patch& patch : node.patches) {
    if (patch.target == 0) continue;
    const bool address = (patch.target & ~node::Patch::kNumber) == node::Patch::kPointer;
    all.push_back(fmt::format("{} {} + {}", address ? "address" : "word", patch.target & node::Patch::kNumber,
                              pattern.parameters[patch.parameter].text()));
  }
  return all;
}

std::vector<std::vector<std::string>> addresses_of(const graph::Template& pattern) {
  std::vector<std::vector<std::string>> all(pattern.nodes.size());
  for (const graph::Template::Relocation& one : pattern.relocations)
    all[one.node].push_back(text_of(pattern, one));
  return all;
}

Json describe(const graph::Template& pattern, size_t bytes) {
  Json report = {{"name", pattern.name},        {"bytes", bytes},
                 {"symbols", Json::array()},    {"memory", Json::array()},
                 {"parameters", Json::array()}, {"nodes", Json::array()}};
  for (const auto& [name, range] : pattern.symbols)
    report["symbols"].push_back({{"name", name}, {"least", range.least}, {"most", range.most}});
  for (const graph::Template::Base& base : pattern.bases) {
    report["memory"].push_back(
        {{"name", name_of(base)},
         {"kind", base.kind == graph::ValueKind::kTemporary ? "between" : to_text(base.kind)},
         {"bytes", base.bytes.text()},
         {"most", most_of(pattern, base)}});
  }
  for (const graph::Size& parameter : pattern.parameters) report["parameters"].push_back(parameter.text());
  const auto addresses = addresses_of(pattern);
  for (size_t i = 0; i < pattern.nodes.size(); ++i) {
    const node::Node& node = pattern.nodes[i];
    report["nodes"].push_back({{"operator", operator_name(node.operation)},
                               {"barrier", text_of(node.barrier)},
                               {"addresses", addresses[i]},
                               {"parameters", patches_of(pattern, node)}});
  }
  return report;
}

}  // namespace

void write_template(const Cli& cli, const graph::Template& pattern, const std::string& path) {
  const std::vector<uint8_t> bytes = graph::template_bytes(pattern);
  common::write_file(path, bytes);
  if (cli.options().json) {
    cli.print({{"name", pattern.name},
               {"file", path},
               {"bytes", bytes.size()},
               {"nodes", pattern.nodes.size()},
               {"memory", pattern.bases.size()},
               {"parameters", pattern.parameters.size()}});
  } else {
    fmt::print("{}: a template of {} nodes, {} bytes, in {}\n", pattern.name, pattern.nodes.size(),
               bytes.size(), path);
  }
}

void show_template(const Cli& cli, const std::string& path, std::span<const uint8_t> bytes) {
  graph::Template pattern;
  try {
    pattern = graph::template_in(bytes);
  } catch (const graph::TemplateError& error) {
    throw Error(kBadInput, fmt::format("{}: {}", path, error.what()));
  }
  if (cli.options().json) {
    cli.print(describe(pattern, bytes.size()));
    return;
  }
  for (const auto& [name, range] : pattern.symbols)
    fmt::print("{} is {} to {}\n", name, range.least, range.most);
  Table nodes({">node", "operator", "barrier", "addresses", "what parameters add"});
  const auto addresses = addresses_of(pattern);
  for (size_t i = 0; i < pattern.nodes.size(); ++i) {
    const node::Node& node = pattern.nodes[i];
    nodes.add({fmt::format("{}", i), operator_name(node.operation), text_of(node.barrier),
               fmt::format("{}", fmt::join(addresses[i], ", ")),
               fmt::format("{}", fmt::join(patches_of(pattern, node), ", "))});
  }
  Table memory({">number", "memory", "kind", "bytes", ">at most"});
  for (size_t i = 0; i < pattern.bases.size(); ++i) {
    const graph::Template::Base& base = pattern.bases[i];
    memory.add({fmt::format("{}", i), name_of(base),
                base.kind == graph::ValueKind::kTemporary ? "" : to_text(base.kind), base.bytes.text(),
                fmt::format("{}", most_of(pattern, base))});
  }
  fmt::print("{}\n{}", nodes.text(), memory.text());
  fmt::print("a template of {} in {} bytes, with {}\n", counted(pattern.nodes.size(), "node"), bytes.size(),
             counted(pattern.parameters.size(), "parameter"));
}

}  // namespace swai::cli
