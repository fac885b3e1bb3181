// SPDX-License-Identifier: Apache-2.0
// What building a list from its template takes on the card, and what changes from step to step: runs the
// program `building` on the list of examples/graphs/decoder.graph, and prints medians as a flat JSON object.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "host/models/graph/program.hpp"
#include "host/models/graph/template_file.hpp"
#include "verif/host/runtime/bench/bench_card.hpp"
#include "verif/host/runtime/programs/building.hpp"

namespace swai::sdaa {
namespace {

using timed_building::Report, timed_building::Round, timed_building::Wish;

graph::Template decoder() {
  std::ostringstream text;
  text << std::ifstream("examples/graphs/decoder.graph").rdbuf();
  return graph::program_of(text.str()).pattern;
}

class Bench : private BenchCard {
 public:
  using BenchCard::BenchCard;

  nlohmann::json run() {
    const graph::Template pattern = decoder();
    const std::vector<uint8_t> bytes = graph::template_bytes(pattern);
    std::vector<cpe::GlobalPtr<void>> bases;
    for (size_t i = 0; i < pattern.bases.size(); ++i) bases.emplace_back(i << 20);
    const std::vector<uint64_t> addresses = graph::addresses_in(bytes, bases);
    Wish wish = {.source = {put(bytes), put(addresses), static_cast<uint32_t>(bytes.size()), {}},
                 .list = shared(pattern.nodes.size() * sizeof(node::Node)),
                 .parameters = shared(node::kMaxParameters * sizeof(uint64_t)),
                 .sizes = {}};
    size_t symbol = 0;
    for (const auto& [name, bounds] : pattern.symbols) wish.sizes.at(symbol++) = bounds.least;
    sdaaProgram_t program = nullptr;
    must(sdaaProgramLoad(&program, "build/programs/building.elf"));
    must(sdaaProgramStart(program, &wish, sizeof wish));
    Report report;
    size_t size = sizeof report;
    must(sdaaProgramRead(program, &report, &size));
    uint32_t code = 1;
    must(sdaaProgramWait(program, &code));
    if (code != 0 || size != sizeof report)
      throw std::runtime_error(fmt::format("the program ended with code {}", code));
    must(sdaaProgramDestroy(program));

    const auto nodes = static_cast<double>(report.nodes);
    const uint64_t first = report.rounds.front().build;
    const auto median = [&](uint64_t Round::*part) {
      std::ranges::sort(report.rounds, {}, part);
      return static_cast<double>(report.rounds[report.rounds.size() / 2].*part);
    };
    return {{"graph.build_cycles_per_node_warm", median(&Round::build) / nodes},
            {"graph.build_cycles_per_node_cold", static_cast<double>(first) / nodes},
            {"graph.patch_cycles_per_node", median(&Round::patch) / nodes},
            {"graph.parameters_ns", median(&Round::hand_over)}};
  }

 private:
  static uint64_t shared(size_t bytes) {
    void* pointer = nullptr;
    must(sdaaMallocWithFlags(&pointer, bytes, sdaaMallocShared, sdaaAnyGroup));
    return reinterpret_cast<uintptr_t>(pointer);
  }
  template <typename Items>
  static uint64_t put(const Items& items) {
    const size_t bytes = items.size() * sizeof(items[0]);
    const uint64_t place = shared(bytes);
    must(sdaaMemcpy(reinterpret_cast<void*>(place), items.data(), bytes, sdaaMemcpyHostToDevice));
    return place;
  }
};

}  // namespace
}  // namespace swai::sdaa

int main(int count, char** values) {
  return swai::sdaa::print_figures<swai::sdaa::Bench>("building-bench", count, values);
}
