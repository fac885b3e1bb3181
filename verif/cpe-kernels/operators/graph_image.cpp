// SPDX-License-Identifier: Apache-2.0
// A graph as the memory of a core group for cpe-run: the list of its nodes, their parameters, and tensors
// with numbers that are neither large nor none. For measurements of time, where it does not matter what is
// computed. Says of each node how many cycles the card needs at least.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <tuple>

#include "host/models/graph/demand.hpp"
#include "host/models/graph/layout.hpp"
#include "host/models/graph/program.hpp"
#include "sim/common/random.hpp"

using namespace swai;

namespace {

// Of the group that is measured.
constexpr unsigned kCpes = 32;
// Segment of the first buffer that cpe-run makes. The list is at its beginning.
constexpr uint64_t kBuffer = uint64_t{4} << 48;

template <typename T>
void store(std::vector<uint8_t>& memory, size_t at, const std::vector<T>& items) {
  std::memcpy(&memory.at(at), items.data(), items.size() * sizeof(T));
}

}  // namespace

int main(int count, char** words) {
  CLI::App app("a graph as memory for cpe-run");
  std::string path, output;
  std::vector<std::pair<std::string, int64_t>> sizes;
  std::vector<std::tuple<std::string, uint32_t, uint32_t>> counted;
  app.add_option("GRAPH", path, "graph text; -: from standard input")->required();
  app.add_option("--set", sizes, "NAME VALUE: a size that the graph leaves open");
  app.add_option("--count", counted,
                 "NAME FIRST STEP: the words of a tensor are FIRST, FIRST + STEP, and so on");
  app.add_option("-o", output, "the memory")->required();
  CLI11_PARSE(app, count, words);

  std::ifstream file(path);
  std::istream& text = path == "-" ? std::cin : file;
  const graph::Program program = graph::program_of({std::istreambuf_iterator<char>(text), {}});
  const graph::Template& pattern = program.pattern;
  // Bytes like these make fp32 of 0.01 and fp16 of 1.
  verif::Random random(1);
  const size_t parameters_at = graph::pages(pattern.nodes.size() * sizeof(node::Node));
  std::vector<uint8_t> memory(parameters_at + graph::kPage);
  std::vector<cpe::GlobalPtr<void>> bases;
  for (const graph::Template::Base& base : pattern.bases) {
    const bool between = bases.empty();
    const auto bytes =
        static_cast<size_t>(between ? program.between_bytes : base.bytes.range(pattern.symbols).most);
    bases.emplace_back(kBuffer | memory.size());
    const size_t begin = memory.size();
    memory.resize(begin + graph::pages(bytes));
    std::generate_n(memory.begin() + static_cast<std::ptrdiff_t>(begin), bytes,
                    [&] { return static_cast<uint8_t>(random.between(0x38, 0x3f)); });
    for (const auto& [name, first, step] : counted) {
      if (name != base.name) continue;
      std::vector<uint32_t> words(bytes / sizeof(uint32_t));
      for (uint32_t i = 0; i < words.size(); ++i) words[i] = first + i * step;
      store(memory, begin, words);
    }
  }
  const std::map<std::string, int64_t> symbols(sizes.begin(), sizes.end());
  const auto parameters = graph::parameters_of(pattern, symbols);
  store(memory, parameters_at, parameters);
  store(memory, 0, graph::list_of(pattern, bases));
  std::ofstream(output, std::ios::binary)
      .write(reinterpret_cast<const char*>(memory.data()), static_cast<std::streamsize>(memory.size()));
  nlohmann::json nodes = nlohmann::json::array();
  const graph::Limits limits = graph::limits_of(kCpes);
  for (const graph::NodeDemand& node : graph::demand_of(pattern, symbols))
    nodes.push_back(
        {{"operation", node.operation}, {"shape", node.shape}, {"least_cycles", node.cycles(limits)}});
  std::cout << nlohmann::json{{"nodes", std::move(nodes)},
                              {"parameters", kBuffer | parameters_at},
                              {"parameter_count", parameters.size()}}
            << "\n";
  return 0;
}
