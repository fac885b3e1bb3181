// SPDX-License-Identifier: Apache-2.0
// swai onnx: ONNX files, and what each pass makes of them. No card is needed.
#include "host/tools/swai/onnx.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/lib/elf.hpp"
#include "host/lib/printable.hpp"
#include "host/models/onnx/passes.hpp"
#include "host/models/onnx/reader.hpp"
#include "host/tools/cli/table.hpp"
#include "host/tools/swai/commands.hpp"

namespace swai::cli {
namespace {

constexpr const char* kExamples =
    R"(swai onnx show all-minilm-l6-v2.onnx
swai onnx show all-minilm-l6-v2.onnx --after fold
swai onnx show all-minilm-l6-v2.onnx --without attention --nodes
swai onnx passes)";

struct Request {
  std::string path;
  std::string after;  // empty: all passes, until nothing changes
  std::vector<std::string> without;
  bool nodes = false;
};

const onnx::Pass& pass_named(const std::string& name) {
  if (const onnx::Pass* const pass = onnx::find_pass(name)) return *pass;
  throw Error(kBadInput, fmt::format("no pass '{}': `swai onnx passes` lists them", name));
}

// Cleans the graph up, and returns what each pass did.
std::vector<onnx::Step> run_passes(onnx::Graph& graph, const Request& request) {
  std::vector<const onnx::Pass*> passes = onnx::default_passes();
  for (const std::string& name : request.without) std::erase(passes, &pass_named(name));
  if (request.after.empty()) return onnx::clean_up(graph, passes);
  const onnx::Pass& last = pass_named(request.after);
  std::vector<onnx::Step> steps;
  for (const onnx::Pass* const pass : passes) {
    steps.push_back(onnx::run_pass(*pass, graph));
    if (pass == &last) break;
  }
  return steps;
}

Json counts_of(const std::map<std::string, size_t>& counts) {
  Json json = Json::object();
  for (const auto& [name, count] : counts) json[common::printable(name)] = count;
  return json;
}

Json types_of(const onnx::Graph& graph, const std::vector<onnx::ValueId>& ids) {
  Json json = Json::array();
  for (const onnx::ValueId id : ids)
    json.push_back({{"name", common::printable(graph.values[id].name)},
                    {"type", common::printable(onnx::type_text(graph.values[id]))}});
  return json;
}

Json describe(const onnx::Model& model) {
  uint64_t parameters = 0, bytes = 0;
  for (const onnx::Value& value : model.graph.values) {
    if (!value.constant) continue;
    parameters += static_cast<uint64_t>(value.constant->count());
    bytes += value.constant->bytes.size();
  }
  return {{"path", model.path},
          {"format", "ONNX"},
          {"opset", model.opset},
          {"producer", common::printable(model.producer)},
          {"nodes", onnx::count_nodes(model.graph)},
          {"operations", counts_of(onnx::count_operations(model.graph))},
          {"inputs", types_of(model.graph, model.graph.inputs)},
          {"outputs", types_of(model.graph, model.graph.outputs)},
          {"parameters", parameters},
          {"weight_bytes", bytes}};
}

Json describe(const std::vector<onnx::Step>& steps) {
  Json json = Json::array();
  for (const onnx::Step& step : steps) {
    Json operations = Json::object();
    for (const auto& [name, count] : step.operations) operations[common::printable(name)] = count;
    json.push_back({{"pass", step.pass->name},
                    {"changes", step.changes},
                    {"nodes_before", step.nodes_before},
                    {"nodes_after", step.nodes_after},
                    {"operations", operations}});
  }
  return json;
}

Json nodes_of(const onnx::Graph& graph) {
  Json json = Json::array();
  const auto names = [&](const std::vector<onnx::ValueId>& ids) {
    Json list = Json::array();
    for (const onnx::ValueId id : ids)
      list.push_back(id == onnx::kNone ? Json() : Json(common::printable(graph.values[id].name)));
    return list;
  };
  for (const onnx::Node& node : graph.nodes)
    json.push_back({{"name", common::printable(node.name)},
                    {"domain", common::printable(node.domain)},
                    {"operation", common::printable(node.operation)},
                    {"inputs", names(node.inputs)},
                    {"outputs", names(node.outputs)}});
  return json;
}

void print_operations(const Json& operations) {
  Table table({"operation", ">nodes"});
  for (const auto& [name, count] : operations.items()) table.add({name, count.dump()});
  fmt::print("\n{}", table.text());
}

int show(const Cli& cli, const Request& request) {
  onnx::Model model = onnx::read(request.path);
  const size_t nodes = onnx::count_nodes(model.graph);
  std::vector<onnx::Step> steps;
  try {
    steps = run_passes(model.graph, request);
  } catch (const common::InputError& error) {
    throw Error(kBadInput, fmt::format("{}: {}", request.path, error.what()));
  }
  if (cli.options().json) {
    Json report = {{"path", request.path}, {"nodes_in_file", nodes}, {"steps", describe(steps)}};
    report["operations"] = counts_of(onnx::count_operations(model.graph));
    if (request.nodes) report["nodes"] = nodes_of(model.graph);
    cli.print(report);
    return kDone;
  }
  Table table({"pass", ">nodes", ">changes", "operations"});
  table.add({"(file)", std::to_string(nodes), "", ""});
  for (const onnx::Step& step : steps) {
    std::string operations;
    for (const auto& [name, count] : step.operations)
      operations += fmt::format("{}{:+} {}", operations.empty() ? "" : ", ", count, name);
    table.add({step.pass->name, std::to_string(step.nodes_after), std::to_string(step.changes), operations});
  }
  fmt::print("{}", table.text());
  if (request.nodes)
    fmt::print("\n{}", common::printable_lines(onnx::to_text(model.graph)));
  else
    print_operations(counts_of(onnx::count_operations(model.graph)));
  return kDone;
}

int list_passes(const Cli& cli) {
  Json passes = Json::array();
  Table table({"pass", "what it does"});
  for (const onnx::Pass& pass : onnx::all_passes()) {
    passes.push_back({{"name", pass.name}, {"about", pass.about}});
    table.add({pass.name, pass.about});
  }
  if (cli.options().json)
    cli.print({{"passes", passes}});
  else
    fmt::print("{}", table.text());
  return kDone;
}

}  // namespace

bool is_onnx(const std::string& path) { return path.ends_with(".onnx"); }

int show_onnx_model(const Cli& cli, const std::string& path) {
  const Json report = describe(onnx::read(path));
  if (cli.options().json) {
    cli.print(report);
    return kDone;
  }
  fmt::print("{}\n", path);
  for (const auto& [name, value] : report.items()) {
    if (name == "path" || value.is_object()) continue;
    if (!value.is_array()) {
      fmt::print("  {:<16}{}\n", name, value.is_string() ? value.get<std::string>() : value.dump());
      continue;
    }
    for (const Json& one : value)
      fmt::print("  {:<16}{}: {}\n", name, one["name"].get<std::string>(), one["type"].get<std::string>());
  }
  print_operations(report["operations"]);
  return kDone;
}

void add_onnx(Cli& cli) {
  const auto request = std::make_shared<Request>();
  const auto action = std::make_shared<std::function<int()>>();
  CLI::App* const command = cli.add(
      "onnx", "show ONNX files and what passes make of them", [action] { return (*action)(); }, kExamples);
  command->require_subcommand(1);
  CLI::App* const one =
      command->add_subcommand("show", "the graph after its clean-up, and what each pass did");
  one->callback([&cli, action, request] { *action = [&cli, request] { return show(cli, *request); }; });
  one->add_option("FILE", request->path, "ONNX file")->required()->type_name("");
  one->add_option("--after", request->after, "stop after this pass of the first round")->type_name("PASS");
  one->add_option("--without", request->without, "leave these passes out")
      ->delimiter(',')
      ->type_name("PASS,...");
  one->add_flag("--nodes", request->nodes, "print every node, with types");
  CLI::App* const passes = command->add_subcommand("passes", "list the passes, in their order");
  passes->callback([&cli, action] { *action = [&cli] { return list_passes(cli); }; });
}

}  // namespace swai::cli
