#include "host/walk/list.hpp"

namespace swai::walk {
namespace {

std::vector<cpe::GlobalPtr<void>> bases_of(const graph::Template& pattern, const List::Address& address) {
  std::vector<cpe::GlobalPtr<void>> bases;
  for (const graph::Template::Base& base : pattern.bases) bases.push_back(address(base));
  return bases;
}

}  // namespace

List::List(const graph::Template& pattern, const Address& address)
    : List(pattern, bases_of(pattern, address)) {}

List::List(const graph::Template& pattern, std::span<const cpe::GlobalPtr<void>> bases)
    : pattern_(pattern),
      nodes_("list of nodes", bytes_of(graph::list_of(pattern, bases))),
      parameters_("parameters", pattern_.parameters.size() * sizeof(uint64_t)) {}

void List::walk(Walker& walker, const std::map<std::string, int64_t>& sizes) {
  walk(walker, graph::parameters_of(pattern_, sizes));
}

void List::walk(Walker& walker, std::span<const uint64_t> parameters) {
  parameters_.put(bytes_of(parameters));
  walker.walk({nodes_.address().as<const node::Node>(), pattern_.nodes.size(),
               parameters_.address().as<const uint64_t>(), parameters.size()});
}

}  // namespace swai::walk
