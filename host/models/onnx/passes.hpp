// SPDX-License-Identifier: Apache-2.0
// Passes over a graph. Each keeps what the graph computes, changes nothing when it runs a second time, and
// can be left out.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/models/onnx/graph.hpp"

namespace swai::onnx {

struct Pass {
  const char* name;
  const char* about;
  // Returns the number of changes.
  size_t (*run)(Graph& graph);
};

// In the order in which they run by default.
std::span<const Pass> all_passes();
// Null if there is none of this name.
const Pass* find_pass(std::string_view name);

// What one run of a pass did.
struct Step {
  const Pass* pass = nullptr;
  size_t changes = 0;
  size_t nodes_before = 0, nodes_after = 0;
  std::map<std::string, int64_t> operations;  // nodes more or fewer of each
};

Step run_pass(const Pass& pass, Graph& graph);

// Runs the passes in this order until none of them changes anything. `after` sees the graph after each step
// that changed something.
std::vector<Step> clean_up(Graph& graph, std::span<const Pass* const> passes,
                           const std::function<void(const Step&)>& after = {});
std::vector<const Pass*> default_passes();

// shape: element types, shapes with symbols, and the contents of shape arithmetic. Throws InputError when
// inputs of a node do not fit, or when a declared type is not the one that follows.
size_t infer_shapes(Graph& graph);
// fold: nodes whose inputs or results are known become constants.
size_t fold_constants(Graph& graph);
// same: nodes that do the same with the same inputs become one, and equal constants too.
size_t merge_common(Graph& graph);
// noop: nodes that hand their input on go.
size_t remove_noops(Graph& graph);
// dead: nodes whose results nothing uses go.
size_t remove_dead(Graph& graph);

}  // namespace swai::onnx
