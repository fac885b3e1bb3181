// SPDX-License-Identifier: Apache-2.0
// Cleans a model up and shows what each pass did: onnx-clean FILE [--without a,b] [--text] [--tokens 1,2,3
// --output FILE] With tokens it evaluates the graph, for models of text: the inputs are the tokens, a mask of
// ones, and zeros.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

#include "host/lib/elf.hpp"
#include "host/models/onnx/evaluate.hpp"
#include "host/models/onnx/passes.hpp"
#include "host/models/onnx/reader.hpp"

using namespace swai;
using namespace swai::onnx;

namespace {

std::vector<std::string> parts_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> parts;
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

void run(const Graph& graph, const std::string& tokens, const std::string& output) {
  std::vector<int64_t> ids;
  for (const std::string& token : parts_of(tokens)) ids.push_back(std::stoll(token));
  const std::vector<int64_t> shape = {1, static_cast<int64_t>(ids.size())};
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs) {
    const std::string& name = graph.values[id].name;
    const std::vector<int64_t> same(ids.size(), name == "attention_mask" ? 1 : 0);
    inputs.push_back(wholes(Element::kI64, shape, name == "input_ids" ? ids : same));
  }
  const Tensor result = evaluate(graph, inputs)[0];
  std::ofstream(output, std::ios::binary)
      .write(reinterpret_cast<const char*>(result.bytes.data()),
             static_cast<std::streamsize>(result.bytes.size()));
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options;
  bool shows_text = false;
  std::string path;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--text")
      shows_text = true;
    else if (argument.starts_with("--") && i + 1 < argc)
      options[argument] = argv[++i];
    else
      path = argument;
  }
  try {
    Model model = read(path);
    std::vector<const Pass*> passes = default_passes();
    const auto without = parts_of(options["--without"]);
    std::erase_if(passes, [&](const Pass* pass) { return std::ranges::count(without, pass->name) > 0; });
    fmt::print("{:8} {:>7}\n", "file", count_nodes(model.graph));
    clean_up(model.graph, passes, [](const Step& step) {
      std::string operations;
      for (const auto& [name, count] : step.operations) operations += fmt::format(" {:+} {}", count, name);
      fmt::print("{:8} {:>7} {:>7} changes{}\n", step.pass->name, step.nodes_after, step.changes, operations);
    });
    for (const auto& [name, count] : count_operations(model.graph)) fmt::print("  {:5} {}\n", count, name);
    if (shows_text) fmt::print("{}", to_text(model.graph));
    if (options.contains("--tokens")) run(model.graph, options["--tokens"], options["--output"]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
  return 0;
}
