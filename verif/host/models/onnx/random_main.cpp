// SPDX-License-Identifier: Apache-2.0
// Writes random graphs as ONNX files, with inputs, and with what the cleaned graphs give for them, for a
// judge: onnx-random FOLDER COUNT SEED
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "host/models/onnx/passes.hpp"
#include "verif/host/models/onnx/random_graph.hpp"
#include "verif/host/models/onnx/writer.hpp"

using namespace swai::onnx;

namespace {

nlohmann::json json_of(const Tensor& tensor) {
  return {{"type", to_text(tensor.element)}, {"shape", tensor.shape}, {"values", doubles(tensor)}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  std::mt19937_64 random(std::stoull(argv[3]));
  for (int i = 0; i < std::stoi(argv[2]); ++i) {
    const RandomGraph original(random, 5 + random() % 30);
    Graph graph = original.graph();
    // The judge wants to know the outputs' types.
    infer_shapes(graph);
    const auto bytes = bytes_of(message_of(graph, 18));
    std::ofstream(folder / (std::to_string(i) + ".onnx"), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    std::vector<const Pass*> passes = default_passes();
    std::ranges::shuffle(passes, random);
    clean_up(graph, passes);
    nlohmann::json report = {{"inputs", nlohmann::json::object()}, {"outputs", nlohmann::json::object()}};
    for (size_t k = 0; k < original.inputs().size(); ++k)
      report["inputs"][original.graph().values[original.graph().inputs[k]].name] =
          json_of(original.inputs()[k]);
    const auto outputs = evaluate(graph, original.inputs());
    for (size_t k = 0; k < outputs.size(); ++k)
      report["outputs"][graph.output_names[k]] = json_of(outputs[k]);
    std::ofstream(folder / (std::to_string(i) + ".json")) << report;
  }
  return 0;
}
