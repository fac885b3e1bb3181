// SPDX-License-Identifier: Apache-2.0
#include "host/models/exec/list.hpp"

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

void List::move(const Address& address) {
  nodes_.put(bytes_of(graph::list_of(pattern_, bases_of(pattern_, address))));
}

uint64_t List::walk(Walker& walker, const std::map<std::string, int64_t>& sizes) {
  return walk(walker, graph::parameters_of(pattern_, sizes));
}

uint64_t List::walk(Walker& walker, std::span<const uint64_t> parameters) {
  parameters_.put(bytes_of(parameters));
  const size_t each = walker.launches() == building::Launches::kList ? count() : 1;
  std::vector<node::WalkArgs> lists;
  for (size_t first = 0; first < count(); first += each) {
    const auto begin = nodes_.address().plus_bytes(static_cast<int64_t>(first * sizeof(node::Node)));
    lists.push_back(
        {begin.as<const node::Node>(), each, parameters_.address().as<const uint64_t>(), parameters.size()});
  }
  walker.walk(lists);
  return lists.size();
}

}  // namespace swai::walk
