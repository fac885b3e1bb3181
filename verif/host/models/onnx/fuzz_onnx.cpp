// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader and the passes; begins with random graphs that are whole, and one with graphs within.
#include <filesystem>
#include <fstream>

#include "host/lib/elf.hpp"
#include "host/models/onnx/passes.hpp"
#include "host/models/onnx/reader.hpp"
#include "verif/host/models/onnx/random_graph.hpp"
#include "verif/host/models/onnx/writer.hpp"

namespace {

using namespace swai;
using namespace swai::onnx;

void write_seed(const std::filesystem::path& path, const file::Model& model) {
  const auto bytes = bytes_of(model);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// If over a Relu of a value outside, or of a constant.
file::Model with_branches() {
  Builder build;
  const ValueId x = build.input("x", {2, 4});
  const ValueId condition = build.constant(wholes(Element::kBool, {}, {{1}}));
  const ValueId y = build.add("If", {condition});
  Node& node = build.graph.nodes.back();
  for (const char* const branch : {"then_branch", "else_branch"}) {
    Builder inner;
    const ValueId within = inner.graph.add(build.graph.values[x]);
    inner.graph.captured.push_back(within);
    inner.output(inner.add("Relu", {within}));
    inner.graph.values.back().name = branch;
    node.subgraphs.push_back({branch, std::make_shared<Graph>(inner.graph), {x}});
  }
  return message_of(build.output(y), 13);
}

}  // namespace

// The last argument is the corpus's folder.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const std::filesystem::path corpus = (*argv)[*argc - 1];
  if (*argc == 1 || corpus.native().starts_with('-') || std::filesystem::is_regular_file(corpus)) return 0;
  std::filesystem::create_directories(corpus);
  std::mt19937_64 random(1);
  for (int i = 0; i < 40; ++i)
    write_seed(corpus / ("random" + std::to_string(i)),
               message_of(RandomGraph(random, 8 + i % 16).graph(), i % 2 == 0 ? 17 : 11));
  write_seed(corpus / "branches", with_branches());
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    Model model = read(*models::FileBytes::hold("x.onnx", {data, data + size}), "");
    to_text(model.graph);
    clean_up(model.graph, default_passes());
    to_text(model.graph);
  } catch (const common::InputError&) {
  }
  return 0;
}
