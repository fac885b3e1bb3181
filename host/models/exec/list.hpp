// SPDX-License-Identifier: Apache-2.0
// A list of nodes in the card's memory, with its block of parameters.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "host/models/exec/walker.hpp"
#include "host/models/graph/list.hpp"

namespace swai::walk {

class List {
 public:
  // `bases`: addresses, one for each of the template's, which stays as long as this.
  List(const graph::Template& pattern, std::span<const cpe::GlobalPtr<void>> bases);
  // `address`: of the memory that the template knows by a name.
  using Address = std::function<cpe::GlobalPtr<void>(const graph::Template::Base&)>;
  List(const graph::Template& pattern, const Address& address);
  // With other addresses, in the same place.
  void move(const Address& address);

  cpe::GlobalPtr<void> address() const { return nodes_.address(); }
  size_t count() const { return pattern_.nodes.size(); }
  const graph::Template& pattern() const { return pattern_; }

  // Goes through it; returns when all is done, how many launches that took. `parameters`: those that
  // graph::parameters_of gives.
  uint64_t walk(Walker& walker, std::span<const uint64_t> parameters);
  uint64_t walk(Walker& walker, const std::map<std::string, int64_t>& sizes);

 private:
  const graph::Template& pattern_;
  CardMemory nodes_;
  CardMemory parameters_;
};

}  // namespace swai::walk
