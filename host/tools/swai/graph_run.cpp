// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/graph_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

#include "host/lib/argument_text.hpp"
#include "host/lib/new_file.hpp"
#include "host/models/exec/list.hpp"
#include "host/tools/cli/module_file.hpp"
#include "host/tools/cli/places.hpp"
#include "host/tools/cli/progress.hpp"
#include "host/tools/cli/started_card.hpp"

namespace swai::cli {
namespace {

using graph::ValueId, graph::ValueKind;
using walk::CardMemory;

// "NAME=REST"
std::map<std::string, std::string> named(const std::vector<std::string>& texts, const std::string& option) {
  std::map<std::string, std::string> all;
  for (const std::string& text : texts) {
    const size_t sign = text.find('=');
    if (sign == 0 || sign == std::string::npos)
      throw Error(kBadInput, fmt::format("{} {}: write NAME=...", option, text));
    if (!all.emplace(text.substr(0, sign), text.substr(sign + 1)).second) {
      throw Error(kBadInput, fmt::format("{} {}: {} is given twice", option, text, text.substr(0, sign)));
    }
  }
  return all;
}

std::map<std::string, int64_t> sizes_of(const graph::Graph& graph, const std::vector<std::string>& texts) {
  std::map<std::string, int64_t> sizes;
  for (const auto& [name, text] : named(texts, "--set")) {
    if (!graph.symbols.contains(name))
      throw Error(kBadInput, fmt::format("--set {}: the graph has no such size to set", name));
    sizes[name] = static_cast<int64_t>(kernel_run::parse_number(text, INT64_MAX, "--set " + name));
  }
  for (const auto& [name, bounds] : graph.symbols) {
    if (!sizes.contains(name)) {
      throw Error(kBadInput, fmt::format("size {0} is open: give --set {0}=N, from {1} to {2}", name,
                                         bounds.least, bounds.most));
    }
  }
  return sizes;
}

// What people gave, and what they did not: numbers between -1 and 1 that the seed chooses, zeros for whole
// numbers and states.
std::vector<uint8_t> contents_of(const graph::Value& value, size_t bytes, const std::string* file,
                                 const std::optional<uint64_t>& seed, ValueId id) {
  if (file != nullptr) {
    std::vector<uint8_t> contents = kernel_run::read_file(*file);
    if (contents.size() != bytes) {
      throw Error(kBadInput, fmt::format("{} has {} bytes; {} takes {} ({})", *file, contents.size(),
                                         value.name, bytes, value.type.text()));
    }
    return contents;
  }
  std::vector<uint8_t> contents(bytes);
  if (value.kind == ValueKind::kState || value.type.element == graph::Element::kI32) return contents;
  std::mt19937_64 random(*seed + id);
  if (value.type.element == graph::Element::kF32) {
    for (size_t i = 0; i + sizeof(float) <= bytes; i += sizeof(float)) {
      const float number = static_cast<float>(random() % 2001) / 1000 - 1;
      std::memcpy(&contents[i], &number, sizeof number);
    }
  } else if (value.type.element == graph::Element::kF16) {
    for (size_t i = 1; i < bytes; i += 2)
      contents[i] = static_cast<uint8_t>(random() % 2 * 0x80 + 0x30 + random() % 8);
  } else {
    for (uint8_t& byte : contents) byte = static_cast<uint8_t>(random());
  }
  return contents;
}

// Everything of the graph that has an address of its own.
class Tensors {
 public:
  Tensors(const graph::Graph& graph, const std::map<std::string, int64_t>& sizes) : graph_(graph) {
    for (const auto& [name, value] : sizes) ranges_[name] = {value, value};
  }

  // Before there is a card.
  void read(const GraphRun& wish) {
    std::map<std::string, std::string> files = named(wish.contents, "--in");
    std::vector<std::string> missing;
    for (ValueId id = 0; id < graph_.values.size(); ++id) {
      const graph::Value& value = graph_.values[id];
      const bool given = value.kind == ValueKind::kInput || value.kind == ValueKind::kWeight ||
                         value.kind == ValueKind::kState;
      if (!given) continue;
      const auto file = files.find(value.name);
      if (file == files.end() && !wish.seed && value.kind != ValueKind::kState) {
        missing.push_back(value.name);
        continue;
      }
      contents_[id] =
          contents_of(value, bytes_of(id), file == files.end() ? nullptr : &file->second, wish.seed, id);
      if (file != files.end()) files.erase(file);
    }
    if (!missing.empty()) {
      throw Error(kBadInput,
                  fmt::format("nothing is in {}: give files with --in {}=FILE, or --seed N for a try",
                              fmt::join(missing, ", "), missing.front()));
    }
    if (!files.empty())
      throw Error(kBadInput,
                  fmt::format("--in {}: no input, weight or state has that name", files.begin()->first));
  }

  void place() {
    for (ValueId id = 0; id < graph_.values.size(); ++id) {
      const graph::Value& value = graph_.values[id];
      if (graph::is_planned(value.kind)) continue;
      CardMemory& memory = memory_.emplace(id, CardMemory(value.name, bytes_of(id))).first->second;
      if (const auto contents = contents_.find(id); contents != contents_.end()) memory.put(contents->second);
    }
  }

  size_t bytes_of(ValueId id) const {
    return static_cast<size_t>(graph_.values[id].type.bytes().range(ranges_).most);
  }
  const CardMemory& at(ValueId id) const { return memory_.at(id); }

 private:
  const graph::Graph& graph_;
  std::map<std::string, graph::Range> ranges_;
  std::map<ValueId, std::vector<uint8_t>> contents_;
  std::map<ValueId, CardMemory> memory_;
};

// Where results go: outputs and states by name.
std::map<ValueId, std::string> result_files(const graph::Graph& graph,
                                            const std::vector<std::string>& texts) {
  std::map<ValueId, std::string> files;
  for (const auto& result : named(texts, "--out")) {
    const std::string &name = result.first, &file = result.second;
    const auto found = std::ranges::find_if(graph.values, [&](const graph::Value& value) {
      return value.name == name && (value.kind == ValueKind::kOutput || value.kind == ValueKind::kState);
    });
    if (found == graph.values.end())
      throw Error(kBadInput, fmt::format("--out {}: no output or state has that name", name));
    kernel_run::check_writable(file);
    files[static_cast<ValueId>(found - graph.values.begin())] = file;
  }
  return files;
}

}  // namespace

int run_graph(const Cli& cli, const graph::Graph& graph, const graph::Plan& plan, const GraphRun& wish) {
  // Everything that may be wrong with what was given is found before there is a card.
  const std::map<std::string, int64_t> sizes = sizes_of(graph, wish.sizes);
  const graph::Template pattern = graph::template_of(graph, plan);
  const std::vector<uint64_t> words = graph::parameters_of(pattern, sizes);
  Tensors tensors(graph, sizes);
  tensors.read(wish);
  const std::map<ValueId, std::string> files = result_files(graph, wish.results);
  const std::string module = places().operators;
  const ModuleFile operators(module);

  const UsedCard card(cli.options());
  const Progress progress(!cli.options().quiet, graph.name);
  tensors.place();
  const CardMemory block("what lies between", static_cast<size_t>(plan.bytes));
  std::vector<cpe::GlobalPtr<void>> bases = {block.address()};
  for (ValueId id = 0; id < graph.values.size(); ++id)
    if (!graph::is_planned(graph.values[id].kind)) bases.push_back(tensors.at(id).address());
  walk::Walker walker(module, operators.bytes());
  walk::List(pattern, bases).walk(walker, words);
  const uint64_t ns = walker.nanoseconds();
  for (const auto& [id, file] : files) {
    std::vector<uint8_t> contents(tensors.at(id).bytes());
    tensors.at(id).get(contents);
    common::write_file(file, contents);
  }
  if (cli.options().json) {
    cli.print({{"name", graph.name}, {"nodes", pattern.nodes.size()}, {"launches", 1}, {"ns", ns}});
  } else {
    fmt::print("{}: {} nodes in one launch, {} ns\n", graph.name, pattern.nodes.size(), ns);
  }
  return kDone;
}

}  // namespace swai::cli
