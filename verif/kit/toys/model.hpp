// SPDX-License-Identifier: Apache-2.0
// A toy model: graph text, weights that a seed chooses, all its memory on the card; and the same in double
// precision.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "host/models/exec/list.hpp"
#include "host/models/exec/pattern_memory.hpp"
#include "verif/host/models/graph/named.hpp"

namespace swai::toys {

std::vector<uint8_t> contents(const std::string& path);

class Model {
 public:
  // Files of graph text, which share what has the same name.
  Model(const std::vector<std::string>& graphs, uint64_t seed);

  walk::Walker& walker() { return walker_; }
  size_t nodes(size_t graph) const { return parts_.at(graph).pattern.nodes.size(); }
  walk::List& list(size_t graph) { return parts_.at(graph).list.value(); }
  // With addresses of a template's pointers, or of its memory alone.
  const building::Source& source(size_t graph, building::Addresses of) const {
    return of == building::Addresses::kPointers ? patterns_.value().source(graph) : files_.at(graph).source;
  }

  // By its name: inputs, outputs, states.
  uint64_t address(const std::string& name) const { return memory_.at(name).address().bits(); }
  void put(const std::string& name, std::span<const uint32_t> words);
  uint32_t get(const std::string& name) const;
  // As nobody has run it yet.
  void forget();
  // Everything that runs leave behind.
  std::vector<uint8_t> left_behind() const;

  // In double precision, where inputs and outputs go by their names, too.
  graph::Named& exact() { return exact_; }
  std::map<std::string, std::vector<double>> exact(size_t graph,
                                                   const std::map<std::string, int64_t>& sizes) {
    return exact_.run(parts_.at(graph).graph, sizes);
  }

 private:
  struct Part {
    graph::Graph graph;  // as it is written
    graph::Template pattern;
    std::optional<walk::CardMemory> between;
    std::optional<walk::List> list;
  };

  struct File {
    walk::CardMemory memory;
    building::Source source;
  };

  void place(const graph::Graph& graph);
  static File file_of(const Part& part, const walk::List::Address& address);
  std::vector<uint8_t> random_weight(const graph::Value& value, size_t bytes);
  walk::List::Address addresses(const Part& part) const;

  std::mt19937_64 random_;
  walk::Walker walker_;
  std::vector<Part> parts_;
  std::map<std::string, walk::CardMemory> memory_;
  std::set<std::string> changing_;  // all but weights
  std::optional<walk::PatternMemory> patterns_;
  std::vector<File> files_;
  graph::Named exact_;
};

}  // namespace swai::toys
