// SPDX-License-Identifier: Apache-2.0
// Graphs that are built node by node, and changes of instances.
#include <algorithm>
#include <fstream>
#include <functional>
#include <utility>

#include "host/runtime/call.hpp"
#include "host/runtime/copy.hpp"
#include "host/runtime/graph_build.hpp"
#include "host/runtime/graph_handles.hpp"
#include "host/runtime/launch.hpp"

using namespace swai::sdaa;

namespace {

// What a node is to do, as a call that records it. What the caller's parameters point to is read when it is
// made.
struct Recipe {
  sdaaGraphNodeType type;
  std::function<void(StreamWriter)> give;
};

Recipe recipe(const sdaaKernelNodeParams* parameters) {
  require(parameters != nullptr, "a null pointer");
  require(parameters->extra == nullptr, "arguments come in kernelParams", sdaaErrorNotSupported);
  const auto function = Runtime::get().functions.find(parameters->func);
  require(function != nullptr, "no such kernel", sdaaErrorInvalidDeviceFunction);
  LaunchWish wish;
  if (function->info().parameters.has_grid()) {
    const auto extent = [](const dim3& size) { return swai::cpe::Extent{size.x, size.y, size.z}; };
    ask_for_grid(wish, function->info(), extent(parameters->gridDim), extent(parameters->blockDim),
                 parameters->sharedMemBytes);
  } else {
    wish.local_bytes = parameters->sharedMemBytes;
  }
  const auto arguments = arguments_of(function->info(), parameters->kernelParams, wish.grid);
  return {sdaaGraphNodeTypeKernel, [=](StreamWriter stream) { launch(stream, *function, wish, arguments); }};
}

Recipe recipe(const sdaaMemcpy3DParms* parameters) {
  require(parameters != nullptr, "a null pointer");
  const std::vector<CopyPiece> pieces = pieces_of(*parameters);
  return {sdaaGraphNodeTypeMemcpy, [pieces, kind = parameters->kind](StreamWriter stream) {
            for (const CopyPiece& piece : pieces)
              copy(stream, piece.to, piece.from, piece.shape, kind, Mode::kAsync);
          }};
}

Recipe recipe(void* to, const void* from, size_t bytes, sdaaMemcpyKind kind) {
  return {sdaaGraphNodeTypeMemcpy, [=](StreamWriter stream) {
            copy(stream, to, from, {bytes, 1, 0, 0}, kind, Mode::kAsync);
          }};
}

Recipe recipe(const sdaaMemsetParams* parameters) {
  require(parameters != nullptr, "a null pointer");
  const unsigned size = parameters->elementSize;
  require(size == 1 || size == 2 || size == 4, "elements have 1, 2 or 4 bytes");
  require(parameters->width <= (uint64_t{1} << 40), "more bytes than there can be");
  const CopyShape shape = {parameters->width * size, parameters->height, parameters->pitch,
                           parameters->pitch};
  return {sdaaGraphNodeTypeMemset, [to = parameters->dst, pattern = Pattern{parameters->value, size},
                                    shape](StreamWriter stream) { fill(stream, to, pattern, shape); }};
}

Recipe nothing() {
  return {sdaaGraphNodeTypeEmpty, [](StreamWriter) {}};
}

GraphNode record(const std::shared_ptr<Device>& device, Device::Lock& lock, const Recipe& made) {
  return record_node(device, lock, made.type, made.give);
}

struct NodeInUse : InUse<Graph> {
  sdaaGraph_t handle;
  size_t index;
};
NodeInUse use_node(sdaaGraphNode_t node) {
  const NodeName name = name_of(node);
  NodeInUse use{use_graph(name.graph), name.graph, name.index};
  check_node(*use.object, name.index);
  return use;
}

// Of nodes that must be this graph's.
size_t index_in(const Graph& graph, sdaaGraph_t handle, sdaaGraphNode_t node) {
  const NodeName name = name_of(node);
  require(name.graph == handle, "the node is another graph's");
  check_node(graph, name.index);
  return name.index;
}

void add(sdaaGraphNode_t* node, sdaaGraph_t handle, const sdaaGraphNode_t* dependencies, size_t count,
         const Recipe& made) {
  require(node != nullptr && (dependencies != nullptr || count == 0), "a null pointer");
  auto use = use_graph(handle);
  Graph& graph = *use.object;
  Frontier after;
  for (size_t i = 0; i < count; ++i) {
    require(after.insert(index_in(graph, handle, dependencies[i])).second, "a dependency is named twice");
  }
  require(graph.nodes.size() < kMaxNodes, "more nodes than a graph can have", sdaaErrorNotSupported);
  GraphNode fresh = record(graph.device, use.lock, made);
  fresh.after = std::move(after);
  graph.nodes.push_back(std::move(fresh));
  *node = node_handle(handle, graph.nodes.size() - 1);
}

void set(sdaaGraphNode_t node, const Recipe& made) {
  auto use = use_node(node);
  GraphNode& old = use.object->nodes[use.index];
  require(old.type == made.type, "the node is of another type");
  GraphNode fresh = record(use.object->device, use.lock, made);
  fresh.after = old.after;
  use.object->nodes[use.index] = std::move(fresh);
}

void set_in(sdaaGraphExec_t exec, sdaaGraphNode_t node, const Recipe& made) {
  const auto found = Runtime::get().graph_execs.get(exec, "no such graph");
  auto use = use_node(node);
  require(found->alive, "the graph was destroyed", sdaaErrorInvalidHandle);
  require(found->source.lock() == use.object, "the instance is of another graph than the node");
  replace_node(*found->device, use.lock, *found, use.index, record(found->device, use.lock, made));
}

// Some of the nodes, as sdaaGraphGetNodes gives them.
template <typename Wanted>
void list(sdaaGraph_t handle, const Graph& graph, sdaaGraphNode_t* nodes, size_t* count, Wanted wanted) {
  require(count != nullptr, "a null pointer");
  size_t all = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].removed || !wanted(i)) continue;
    if (nodes != nullptr && all < *count) nodes[all] = node_handle(handle, i);
    ++all;
  }
  *count = all;
}

template <typename Change>
void change_edges(sdaaGraph_t handle, const sdaaGraphNode_t* from, const sdaaGraphNode_t* to, size_t count,
                  Change change) {
  require(count == 0 || (from != nullptr && to != nullptr), "a null pointer");
  const auto use = use_graph(handle);
  for (size_t i = 0; i < count; ++i)
    change(*use.object, index_in(*use.object, handle, from[i]), index_in(*use.object, handle, to[i]));
}

}  // namespace

sdaaError_t sdaaGraphCreate(sdaaGraph_t* graph, unsigned int flags) {
  return call("sdaaGraphCreate", [&] {
    require(graph != nullptr, "a null pointer");
    require(flags == 0, "flags that do not exist");
    const auto device = Runtime::get().current();
    const Device::Lock lock = device->enter();
    *graph = add_graph(*device, {});
  });
}

sdaaError_t sdaaGraphClone(sdaaGraph_t* clone, sdaaGraph_t graph) {
  return call("sdaaGraphClone", [&] {
    require(clone != nullptr, "a null pointer");
    const auto use = use_graph(graph);
    *clone = add_graph(*use.object->device, use.object->nodes);
  });
}

sdaaError_t sdaaGraphAddKernelNode(sdaaGraphNode_t* node, sdaaGraph_t graph,
                                   const sdaaGraphNode_t* dependencies, size_t count,
                                   const sdaaKernelNodeParams* parameters) {
  return call("sdaaGraphAddKernelNode", [&] { add(node, graph, dependencies, count, recipe(parameters)); });
}

sdaaError_t sdaaGraphAddMemcpyNode(sdaaGraphNode_t* node, sdaaGraph_t graph,
                                   const sdaaGraphNode_t* dependencies, size_t count,
                                   const sdaaMemcpy3DParms* parameters) {
  return call("sdaaGraphAddMemcpyNode", [&] { add(node, graph, dependencies, count, recipe(parameters)); });
}

sdaaError_t sdaaGraphAddMemcpyNode1D(sdaaGraphNode_t* node, sdaaGraph_t graph,
                                     const sdaaGraphNode_t* dependencies, size_t count, void* to,
                                     const void* from, size_t bytes, sdaaMemcpyKind kind) {
  return call("sdaaGraphAddMemcpyNode1D",
              [&] { add(node, graph, dependencies, count, recipe(to, from, bytes, kind)); });
}

sdaaError_t sdaaGraphAddMemsetNode(sdaaGraphNode_t* node, sdaaGraph_t graph,
                                   const sdaaGraphNode_t* dependencies, size_t count,
                                   const sdaaMemsetParams* parameters) {
  return call("sdaaGraphAddMemsetNode", [&] { add(node, graph, dependencies, count, recipe(parameters)); });
}

sdaaError_t sdaaGraphAddEmptyNode(sdaaGraphNode_t* node, sdaaGraph_t graph,
                                  const sdaaGraphNode_t* dependencies, size_t count) {
  return call("sdaaGraphAddEmptyNode", [&] { add(node, graph, dependencies, count, nothing()); });
}

sdaaError_t sdaaGraphDestroyNode(sdaaGraphNode_t node) {
  return call("sdaaGraphDestroyNode", [&] {
    const auto use = use_node(node);
    remove_node(*use.object, use.index);
  });
}

sdaaError_t sdaaGraphAddDependencies(sdaaGraph_t graph, const sdaaGraphNode_t* from,
                                     const sdaaGraphNode_t* to, size_t count) {
  return call("sdaaGraphAddDependencies", [&] { change_edges(graph, from, to, count, add_edge); });
}

sdaaError_t sdaaGraphRemoveDependencies(sdaaGraph_t graph, const sdaaGraphNode_t* from,
                                        const sdaaGraphNode_t* to, size_t count) {
  return call("sdaaGraphRemoveDependencies", [&] { change_edges(graph, from, to, count, remove_edge); });
}

sdaaError_t sdaaGraphGetNodes(sdaaGraph_t graph, sdaaGraphNode_t* nodes, size_t* count) {
  return call("sdaaGraphGetNodes", [&] {
    require(count != nullptr, "a null pointer");
    const auto use = use_graph(graph);
    list(graph, *use.object, nodes, count, [](size_t) { return true; });
  });
}

sdaaError_t sdaaGraphGetRootNodes(sdaaGraph_t graph, sdaaGraphNode_t* nodes, size_t* count) {
  return call("sdaaGraphGetRootNodes", [&] {
    const auto use = use_graph(graph);
    list(graph, *use.object, nodes, count, [&](size_t i) { return use.object->nodes[i].after.empty(); });
  });
}

sdaaError_t sdaaGraphGetEdges(sdaaGraph_t graph, sdaaGraphNode_t* from, sdaaGraphNode_t* to, size_t* count) {
  return call("sdaaGraphGetEdges", [&] {
    require(count != nullptr && (from == nullptr) == (to == nullptr), "a null pointer");
    const auto use = use_graph(graph);
    size_t all = 0;
    for (size_t i = 0; i < use.object->nodes.size(); ++i) {
      for (const size_t earlier : use.object->nodes[i].after) {
        if (from != nullptr && all < *count) {
          from[all] = node_handle(graph, earlier);
          to[all] = node_handle(graph, i);
        }
        ++all;
      }
    }
    *count = all;
  });
}

sdaaError_t sdaaGraphNodeGetType(sdaaGraphNode_t node, sdaaGraphNodeType* type) {
  return call("sdaaGraphNodeGetType", [&] {
    require(type != nullptr, "a null pointer");
    const auto use = use_node(node);
    *type = use.object->nodes[use.index].type;
  });
}

sdaaError_t sdaaGraphNodeGetDependencies(sdaaGraphNode_t node, sdaaGraphNode_t* nodes, size_t* count) {
  return call("sdaaGraphNodeGetDependencies", [&] {
    const auto use = use_node(node);
    list(use.handle, *use.object, nodes, count,
         [&](size_t i) { return use.object->nodes[use.index].after.contains(i); });
  });
}

sdaaError_t sdaaGraphNodeGetDependentNodes(sdaaGraphNode_t node, sdaaGraphNode_t* nodes, size_t* count) {
  return call("sdaaGraphNodeGetDependentNodes", [&] {
    const auto use = use_node(node);
    list(use.handle, *use.object, nodes, count,
         [&](size_t i) { return use.object->nodes[i].after.contains(use.index); });
  });
}

sdaaError_t sdaaGraphKernelNodeSetParams(sdaaGraphNode_t node, const sdaaKernelNodeParams* parameters) {
  return call("sdaaGraphKernelNodeSetParams", [&] { set(node, recipe(parameters)); });
}
sdaaError_t sdaaGraphMemcpyNodeSetParams(sdaaGraphNode_t node, const sdaaMemcpy3DParms* parameters) {
  return call("sdaaGraphMemcpyNodeSetParams", [&] { set(node, recipe(parameters)); });
}
sdaaError_t sdaaGraphMemcpyNodeSetParams1D(sdaaGraphNode_t node, void* to, const void* from, size_t bytes,
                                           sdaaMemcpyKind kind) {
  return call("sdaaGraphMemcpyNodeSetParams1D", [&] { set(node, recipe(to, from, bytes, kind)); });
}
sdaaError_t sdaaGraphMemsetNodeSetParams(sdaaGraphNode_t node, const sdaaMemsetParams* parameters) {
  return call("sdaaGraphMemsetNodeSetParams", [&] { set(node, recipe(parameters)); });
}

sdaaError_t sdaaGraphExecKernelNodeSetParams(sdaaGraphExec_t exec, sdaaGraphNode_t node,
                                             const sdaaKernelNodeParams* parameters) {
  return call("sdaaGraphExecKernelNodeSetParams", [&] { set_in(exec, node, recipe(parameters)); });
}
sdaaError_t sdaaGraphExecMemcpyNodeSetParams(sdaaGraphExec_t exec, sdaaGraphNode_t node,
                                             const sdaaMemcpy3DParms* parameters) {
  return call("sdaaGraphExecMemcpyNodeSetParams", [&] { set_in(exec, node, recipe(parameters)); });
}
sdaaError_t sdaaGraphExecMemcpyNodeSetParams1D(sdaaGraphExec_t exec, sdaaGraphNode_t node, void* to,
                                               const void* from, size_t bytes, sdaaMemcpyKind kind) {
  return call("sdaaGraphExecMemcpyNodeSetParams1D",
              [&] { set_in(exec, node, recipe(to, from, bytes, kind)); });
}
sdaaError_t sdaaGraphExecMemsetNodeSetParams(sdaaGraphExec_t exec, sdaaGraphNode_t node,
                                             const sdaaMemsetParams* parameters) {
  return call("sdaaGraphExecMemsetNodeSetParams", [&] { set_in(exec, node, recipe(parameters)); });
}

sdaaError_t sdaaGraphExecUpdate(sdaaGraphExec_t exec, sdaaGraph_t graph, sdaaGraphNode_t* node,
                                sdaaGraphExecUpdateResult* result) {
  return call("sdaaGraphExecUpdate", [&] {
    if (node != nullptr) *node = nullptr;
    if (result != nullptr) *result = sdaaGraphExecUpdateError;
    const auto found = Runtime::get().graph_execs.get(exec, "no such graph");
    auto use = use_graph(graph);
    require(found->alive, "the graph was destroyed", sdaaErrorInvalidHandle);
    require(found->device == use.object->device, "the graphs are of different devices",
            sdaaErrorInvalidHandle);
    size_t differs = use.object->nodes.size();
    const sdaaGraphExecUpdateResult answer = update(*found->device, use.lock, *found, *use.object, differs);
    if (result != nullptr) *result = answer;
    if (answer == sdaaGraphExecUpdateSuccess) return;
    if (node != nullptr && differs < use.object->nodes.size()) *node = node_handle(graph, differs);
    fail(sdaaErrorGraphExecUpdateFailure,
         answer == sdaaGraphExecUpdateErrorNodeTypeChanged
             ? "a node is of another type than in the instance"
             : "there are other nodes than in the instance, or they wait for "
               "other ones");
  });
}

sdaaError_t sdaaGraphUpload(sdaaGraphExec_t exec, sdaaStream_t stream) {
  return call("sdaaGraphUpload", [&] {
    const auto found = Runtime::get().graph_execs.get(exec, "no such graph");
    const auto use = Runtime::get().use_stream(stream);
    require(found->alive, "the graph was destroyed", sdaaErrorInvalidHandle);
    require(found->device == use.device, "graph and stream are of different devices", sdaaErrorInvalidHandle);
  });
}

sdaaError_t sdaaGraphDebugDotPrint(sdaaGraph_t graph, const char* path, unsigned int) {
  return call("sdaaGraphDebugDotPrint", [&] {
    require(path != nullptr, "a null pointer");
    std::string text;
    {
      const auto use = use_graph(graph);
      text = dot(*use.object);
    }
    std::ofstream file(path);
    file << text << std::flush;
    require(file.good(), "the file cannot be written", sdaaErrorOperatingSystem);
  });
}
