// SPDX-License-Identifier: Apache-2.0
#include "host/models/onnx/passes.hpp"

#include <algorithm>

#include "host/models/onnx/fusions.hpp"

namespace swai::onnx {
namespace {

constexpr Pass kPasses[] = {
    {"shape", "infer types and shapes, with symbols", infer_shapes},
    {"fold", "replace what is known by constants", fold_constants},
    {"noop", "remove nodes that hand their input on", remove_noops},
    {"same", "merge nodes that do the same with the same inputs", merge_common},
    {"reshape", "make calculated shapes constant, and join moves", fuse<match_reshape>},
    {"slice", "join slices along different axes", fuse<match_slices>},
    {"layernorm", "make LayerNormalization of small operators", fuse<match_layer_norm>},
    {"rmsnorm", "make RMSNormalization of small operators", fuse<match_rms_norm>},
    {"activation", "make Gelu and Swish of small operators", fuse<match_activation>},
    {"rotary", "make RotaryEmbedding of small operators", fuse<match_rotary>},
    {"attention", "make Attention of small operators", fuse<match_attention>},
    {"quantized", "make MatMulIntegerToFloat of quantised products", fuse<match_quantized>},
    {"bias", "add biases within convolutions", fuse<match_conv_bias>},
    {"dead", "remove nodes whose results nothing uses", remove_dead},
};

}  // namespace

std::span<const Pass> all_passes() { return kPasses; }

const Pass* find_pass(std::string_view name) {
  const auto found = std::ranges::find_if(kPasses, [&](const Pass& pass) { return pass.name == name; });
  return found == std::end(kPasses) ? nullptr : found;
}

std::vector<const Pass*> default_passes() {
  std::vector<const Pass*> passes;
  for (const Pass& pass : kPasses) passes.push_back(&pass);
  return passes;
}

Step run_pass(const Pass& pass, Graph& graph) {
  Step step;
  step.pass = &pass;
  step.nodes_before = count_nodes(graph);
  for (const auto& [operation, count] : count_operations(graph))
    step.operations[operation] -= static_cast<int64_t>(count);
  step.changes = pass.run(graph);
  step.nodes_after = count_nodes(graph);
  for (const auto& [operation, count] : count_operations(graph))
    step.operations[operation] += static_cast<int64_t>(count);
  std::erase_if(step.operations, [](const auto& one) { return one.second == 0; });
  return step;
}

std::vector<Step> clean_up(Graph& graph, std::span<const Pass* const> passes,
                           const std::function<void(const Step&)>& after) {
  // Passes make graphs smaller, or constants of values: a graph that goes on changing would be an error of
  // ours.
  constexpr int kMaxRounds = 64;
  std::vector<Step> steps;
  for (int round = 0; round < kMaxRounds; ++round) {
    size_t changes = 0;
    for (const Pass* const pass : passes) {
      Step step = run_pass(*pass, graph);
      changes += step.changes;
      if (step.changes == 0) continue;
      if (after) after(step);
      steps.push_back(std::move(step));
    }
    if (changes == 0) break;
  }
  return steps;
}

}  // namespace swai::onnx
