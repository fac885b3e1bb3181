#include "host/generate/llama_program.hpp"

#include <fmt/format.h>

#include "host/graph/lower.hpp"
#include "host/models/file_bytes.hpp"

namespace swai::generate {

LlamaProgram llama_program(const CardLlama& model, const Step& step) {
  const auto refuse = [&](const std::exception& error) {
    models::refuse(model.path, fmt::format("is a model that the card cannot compute: {}", error.what()));
  };
  try {
    const graph::Graph graph = graph::lowered(graph::check(graph::parse(llama_graph(model, step))));
    const graph::Plan plan = graph::plan(graph);
    return {graph::template_of(graph, plan), static_cast<size_t>(plan.bytes)};
  } catch (const graph::GraphError& error) {
    refuse(error);
  } catch (const graph::SizeError& error) {
    refuse(error);
  }
  return {};
}

}  // namespace swai::generate
