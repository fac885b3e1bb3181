// SPDX-License-Identifier: Apache-2.0
// swai graph: graph text, checked and shown. No card is needed for that.
#include "host/models/graph/graph.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/lib/argument_text.hpp"
#include "host/models/graph/check.hpp"
#include "host/models/graph/lower.hpp"
#include "host/models/graph/plan.hpp"
#include "host/models/graph/signatures.hpp"
#include "host/models/graph/template_file.hpp"
#include "host/tools/cli/table.hpp"
#include "host/tools/swai/commands.hpp"
#include "host/tools/swai/graph_run.hpp"
#include "host/tools/swai/graph_template.hpp"
#include "host/tools/swai/words.hpp"

namespace swai::cli {
namespace {

struct Planned {
  graph::Graph graph;
  graph::Plan plan;
};

// What is wrong with the text is told with its place.
template <typename Work>
auto in_file(const std::string& path, const Work& work) {
  try {
    return work();
  } catch (const graph::GraphError& error) {
    throw Error(kBadInput,
                fmt::format("{}:{}:{}: {}", path, error.place().line, error.place().column, error.what()));
  } catch (const graph::SizeError& error) {
    throw Error(kBadInput, fmt::format("{}: {}", path, error.what()));
  }
}

Planned read_graph(const std::string& path, std::span<const uint8_t> bytes) {
  if (graph::looks_like_template(bytes))
    throw Error(kBadInput, fmt::format("{} is a template, which `swai graph show` explains; give the graph "
                                       "text that it was compiled from",
                                       path));
  return in_file(path, [&] {
    Planned planned;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    planned.graph = graph::lowered(graph::check(graph::parse(text)));
    planned.plan = graph::plan(planned.graph);
    return planned;
  });
}

Planned read_graph(const std::string& path) { return read_graph(path, kernel_run::read_file(path)); }

Json describe(const graph::Plan& plan) {
  return {{"bytes", plan.bytes}, {"bytes_alone", plan.bytes_alone}, {"bytes_at_once", plan.bytes_at_once}};
}

size_t count(const graph::Graph& graph, graph::ValueKind kind) {
  return static_cast<size_t>(
      std::ranges::count(graph.values, kind, [](const graph::Value& value) { return value.kind; }));
}

int check_graph(const Cli& cli, const std::string& path) {
  const auto [graph, plan] = read_graph(path);
  if (cli.options().json) {
    cli.print({{"name", graph.name},
               {"nodes", graph.nodes.size()},
               {"memory", describe(plan)},
               {"notes", graph.notes}});
    return kDone;
  }
  fmt::print(
      "{}: {}, {}, {}, {}, {}; {} KiB for what lies between, {} KiB if each value had a place of its own\n",
      graph.name, counted(graph.nodes.size(), "node"),
      counted(count(graph, graph::ValueKind::kInput), "input"),
      counted(count(graph, graph::ValueKind::kWeight), "weight"),
      counted(count(graph, graph::ValueKind::kState), "state"),
      counted(count(graph, graph::ValueKind::kOutput), "output"), plan.bytes / 1024, plan.bytes_alone / 1024);
  for (const std::string& note : graph.notes) fmt::print(stderr, "note: {}\n", note);
  return kDone;
}

std::map<graph::ValueId, int64_t> offsets(const graph::Plan& plan) {
  std::map<graph::ValueId, int64_t> all;
  for (const graph::Slot& slot : plan.slots) {
    for (const graph::ValueId id : slot.values) all[id] = slot.offset;
  }
  return all;
}

std::string setting_text(const graph::Setting& setting) {
  if (const auto* size = std::get_if<graph::Size>(&setting)) return size->text();
  if (const auto* real = std::get_if<double>(&setting)) return fmt::format("{}", *real);
  return std::get<std::string>(setting);
}

std::vector<std::string> names_of(const graph::Graph& graph,
                                  const std::vector<std::optional<graph::ValueId>>& ids) {
  std::vector<std::string> names;
  for (const auto& id : ids) {
    if (id) names.push_back(graph.values[*id].name);
  }
  return names;
}

std::vector<std::string> settings_of(const graph::Node& node) {
  std::vector<std::string> all;
  for (const auto& [name, setting] : node.settings)
    all.push_back(fmt::format("{}: {}", name, setting_text(setting)));
  return all;
}

Json describe(const graph::Graph& graph, const graph::Plan& plan) {
  const std::map<graph::ValueId, int64_t> where = offsets(plan);
  Json report = {{"name", graph.name},     {"symbols", Json::array()}, {"values", Json::array()},
                 {"nodes", Json::array()}, {"memory", describe(plan)}, {"notes", graph.notes}};
  for (const auto& [name, range] : graph.symbols) {
    report["symbols"].push_back({{"name", name}, {"least", range.least}, {"most", range.most}});
  }
  for (graph::ValueId id = 0; id < graph.values.size(); ++id) {
    const graph::Value& value = graph.values[id];
    Json one = {{"name", value.name},
                {"kind", to_text(value.kind)},
                {"type", value.type.text()},
                {"bytes", value.type.bytes().text()},
                {"line", value.place.line}};
    if (value.producer) one["producer"] = *value.producer;
    if (value.last_use) one["last_use"] = *value.last_use;
    if (value.storage != id) one["storage"] = graph.values[value.storage].name;
    if (where.contains(id)) one["offset"] = where.at(id);
    report["values"].push_back(std::move(one));
  }
  for (const graph::Node& node : graph.nodes) {
    Json results = Json::array(), settings = Json::object();
    for (const graph::ValueId id : node.results) results.push_back(graph.values[id].name);
    for (const auto& [name, setting] : node.settings) settings[name] = setting_text(setting);
    report["nodes"].push_back({{"operation", node.operation},
                               {"line", node.place.line},
                               {"operands", names_of(graph, node.operands)},
                               {"results", std::move(results)},
                               {"settings", std::move(settings)}});
  }
  return report;
}

int show_graph(const Cli& cli, const std::string& path) {
  const std::vector<uint8_t> bytes = kernel_run::read_file(path);
  if (graph::looks_like_template(bytes)) {
    show_template(cli, path, bytes);
    return kDone;
  }
  const auto [graph, plan] = read_graph(path, bytes);
  if (cli.options().json) {
    cli.print(describe(graph, plan));
    return kDone;
  }
  for (const auto& [name, range] : graph.symbols)
    fmt::print("{} is {} to {}\n", name, range.least, range.most);
  const std::map<graph::ValueId, int64_t> where = offsets(plan);
  Table table({">node", "operator", "takes", "settings", "makes", "type", ">offset"});
  for (size_t number = 0; number < graph.nodes.size(); ++number) {
    const graph::Node& node = graph.nodes[number];
    for (const graph::ValueId id : node.results) {
      const bool first = id == node.results.front();
      const graph::Value& value = graph.values[id];
      const std::string place = where.contains(id)    ? fmt::format("{}", where.at(id))
                                : value.storage != id ? "in " + graph.values[value.storage].name
                                                      : to_text(value.kind);
      table.add({first ? fmt::format("{}", number) : "", first ? node.operation : "",
                 first ? fmt::format("{}", fmt::join(names_of(graph, node.operands), ", ")) : "",
                 first ? fmt::format("{}", fmt::join(settings_of(node), ", ")) : "", value.name,
                 value.type.text(), place});
    }
  }
  fmt::print("{}", table.text());
  fmt::print("{} bytes for what lies between; {} are needed at the same time\n", plan.bytes,
             plan.bytes_at_once);
  return kDone;
}

int compile_graph(const Cli& cli, const std::string& path, const std::string& result) {
  if (result == path) throw Error(kBadInput, fmt::format("-o {}: that is the graph text itself", result));
  const auto [graph, plan] = read_graph(path);
  in_file(path, [&, &graph = graph, &plan = plan] {
    write_template(cli, graph::template_of(graph, plan), result);
  });
  return kDone;
}

std::string text_of(const graph::Parameter& parameter) {
  std::string text = parameter.name;
  if (parameter.kind == graph::Parameter::Kind::kSize) text += ": number";
  if (parameter.kind == graph::Parameter::Kind::kReal) text += ": real";
  if (!parameter.words.empty()) text += fmt::format(": {}", fmt::join(parameter.words, "|"));
  return parameter.needed ? text : fmt::format("[{}]", text);
}

int show_operators(const Cli& cli) {
  Json report = {{"operators", Json::array()}};
  Table table({"operator", "takes", "makes"});
  for (const graph::Signature& one : graph::signatures()) {
    std::vector<std::string> takes;
    for (const graph::Parameter& parameter : one.parameters) takes.push_back(text_of(parameter));
    table.add({one.name, fmt::format("{}", fmt::join(takes, ", ")), one.what});
    report["operators"].push_back({{"name", one.name}, {"takes", takes}, {"makes", one.what}});
  }
  if (cli.options().json) {
    cli.print(report);
  } else {
    fmt::print("{}", table.text());
  }
  return kDone;
}

}  // namespace

void add_graph(Cli& cli) {
  const auto file = std::make_shared<std::string>();
  const auto action = std::make_shared<std::function<int()>>();
  CLI::App* const command = cli.add(
      "graph", "check graph text, show what it means, run it", [action] { return (*action)(); },
      "swai graph check model.graph\nswai graph show model.graph --json\nswai graph compile model.graph -o "
      "model.template\nswai graph show model.template\nswai graph run model.graph --set "
      "past=3 --in tokens=tokens.bin --seed 1 --out logits=logits.bin\nswai graph operators");
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, std::function<int()> does) {
    CLI::App* const one = command->add_subcommand(name, what);
    one->callback([action, does = std::move(does)] { *action = does; });
    return one;
  };
  const auto add_for_file = [&](const char* name, const char* what,
                                int (*does)(const Cli&, const std::string&)) {
    add(name, what, [&cli, file, does] { return does(cli, *file); })
        ->add_option("FILE", *file, "graph text")
        ->required()
        ->type_name("");
  };
  add_for_file("check", "types, shapes and lifetimes; how much memory the values between take", check_graph);
  add_for_file("show", "every node, with types and places in memory; or what is in a template", show_graph);
  const auto result = std::make_shared<std::string>();
  CLI::App* const compile = add("compile", "a template, from which programs of the card build lists",
                                [&cli, file, result] { return compile_graph(cli, *file, *result); });
  compile->add_option("FILE", *file, "graph text")->required()->type_name("");
  compile->add_option("-o,--output", *result, "the template")->required()->type_name("FILE");
  const auto run = std::make_shared<GraphRun>();
  CLI::App* const once = add("run", "runs a graph once on a card, as one launch", [&cli, file, run] {
    const auto [graph, plan] = read_graph(*file);
    return in_file(*file, [&, &graph = graph, &plan = plan] { return run_graph(cli, graph, plan, *run); });
  });
  once->add_option("FILE", *file, "graph text")->required()->type_name("");
  once->add_option("--set", run->sizes, "a size that the graph leaves open")->type_name("NAME=VALUE");
  once->add_option("--in", run->contents, "what is in an input, weight or state, as it lies in memory")
      ->type_name("NAME=FILE");
  once->add_option("--out", run->results, "where an output or state goes")->type_name("NAME=FILE");
  once->add_option("--seed", run->seed, "random contents for all that has no file")->type_name("N");
  add("operators", "what operators there are, and what they take", [&cli] { return show_operators(cli); });
}

}  // namespace swai::cli
