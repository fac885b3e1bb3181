// SPDX-License-Identifier: Apache-2.0
#include "bench/figures.hpp"

#include <algorithm>

#include "bench/measuring.hpp"

namespace swai::cli::bench {
namespace {

struct Kind {
  unsigned number;
  Figure (*measure)(const Plan&, const Done&, const OnProcessor&);
  // Series at the link's full speed, at that of one thread, and such that move next to nothing.
  unsigned fast;
  unsigned slow;
  unsigned others;
  bool sizes = true;
};
constexpr unsigned kAllocators = 8;
constexpr Kind kKinds[] = {{kAllocators, allocators, 0, 0, 0},
                           {9, allocations, 0, 0, 5},
                           {10, models, 2, 2, 0},
                           {11, on_card, 4, 0, 1},
                           {12, copies, 7, 0, 0},
                           {13, launches, 0, 0, 7, false}};

}  // namespace

bool needs_card(const Plan& plan) {
  return std::ranges::any_of(
      kKinds, [&](const Kind& kind) { return kind.number != kAllocators && plan.wants(kind.number); });
}

double cost(const Plan& plan) {
  double bytes = 0;
  for (const uint64_t size : plan.sizes) bytes += static_cast<double>(size);
  double sum = 0;
  for (const Kind& kind : kKinds) {
    if (!plan.wants(kind.number)) continue;
    const auto calls = static_cast<double>(kind.sizes ? plan.sizes.size() : 1);
    sum += bytes * (kind.fast / kBytesPerCycle + kind.slow / kBytesPerCycleAlone);
    sum += kCallCycles * calls * (kind.fast + kind.slow + kind.others);
  }
  return sum;
}

std::vector<Figure> measure(const Plan& plan, const OnProcessor& on_processor, const Done& done) {
  std::vector<Figure> figures;
  for (const Kind& kind : kKinds) {
    if (plan.wants(kind.number)) figures.push_back(kind.measure(plan, done, on_processor));
  }
  return figures;
}

}  // namespace swai::cli::bench
