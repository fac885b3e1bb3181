// SPDX-License-Identifier: Apache-2.0
// What a list of nodes needs of a card at least, however well it is computed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/models/graph/list.hpp"

namespace swai::graph {

struct Demand {
  double products = 0;  // of the systolic units; attention's, too, whichever unit computes them
  double slots = 0;     // of the vector units: a number goes through one of their steps
  double bytes = 0;     // of memory, each read or written once
};

// In a cycle.
struct Limits {
  double products;
  double slots;
  double bytes;
};
// Of a core group with so many CPEs; of memory what DMA reaches (`cpe.dma_eff`), 98.1 % of its peak.
Limits limits_of(unsigned cpes);

// What a node is for, in the classes of the papers on language models.
enum class Part : uint8_t { kLinear, kAttention, kOther };
inline constexpr size_t kParts = 3;

struct NodeDemand {
  std::string operation;
  std::string shape;  // "128 x 2048 x 5504"
  Part part = Part::kOther;
  Demand needs;

  double cycles(const Limits& limits) const;
};

// Of each node of one run. Masks, groups, the largest few and users' operators count as nothing.
std::vector<NodeDemand> demand_of(const Template& pattern, const std::map<std::string, int64_t>& symbols);

}  // namespace swai::graph
