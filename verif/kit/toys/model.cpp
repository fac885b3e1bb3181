// SPDX-License-Identifier: Apache-2.0
#include "verif/kit/toys/model.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "host/models/graph/check.hpp"
#include "host/models/graph/lower.hpp"
#include "host/models/graph/template_file.hpp"

namespace swai::toys {
namespace {

using graph::ValueKind;
using walk::CardMemory;

}  // namespace

std::vector<uint8_t> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file, path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Model::Model(const std::vector<std::string>& graphs, uint64_t seed)
    : random_(seed), walker_("operators", contents("build/cpe-kernels/operators.elf")) {
  parts_.reserve(graphs.size());  // lists keep places of templates
  for (const std::string& name : graphs) {
    const std::vector<uint8_t> text = contents(name);
    Part& part = parts_.emplace_back();
    part.graph = graph::check(graph::parse(std::string(text.begin(), text.end())));
    const graph::Graph lowered = graph::lowered(part.graph);
    const graph::Plan plan = graph::plan(lowered);
    part.pattern = graph::template_of(lowered, plan);
    part.between.emplace("what lies between", static_cast<size_t>(plan.bytes));
    place(part.graph);
  }
  std::vector<walk::PatternMemory::Pattern> patterns;
  for (Part& part : parts_) {
    files_.push_back(file_of(part, addresses(part)));
    part.list.emplace(part.pattern, addresses(part));
    patterns.push_back({&part.pattern, addresses(part)});
  }
  patterns_.emplace("templates", patterns);
}

void Model::place(const graph::Graph& graph) {
  for (const graph::Value& value : graph.values) {
    if (graph::is_planned(value.kind) || memory_.contains(value.name)) continue;
    const auto bytes = static_cast<size_t>(value.type.bytes().range(graph.symbols).most);
    const bool is_told = value.kind == ValueKind::kInput || value.kind == ValueKind::kOutput;
    CardMemory memory(value.name, bytes, is_told ? CardMemory::kShared : CardMemory::kCores);
    if (value.kind == ValueKind::kWeight) {
      const std::vector<uint8_t> weight = random_weight(value, bytes);
      memory.put(weight);
      exact_.put(value.name, weight);
    } else {
      changing_.insert(value.name);
    }
    memory_.emplace(value.name, std::move(memory));
  }
}

// As wide as keeps rows about as long as they are; what scales rows, about 1.
std::vector<uint8_t> Model::random_weight(const graph::Value& value, size_t bytes) {
  const bool is_vector = value.type.dimensions.size() == 1, is_bias = value.name.ends_with(".bias");
  const double columns = static_cast<double>(value.type.dimensions.back().range({}).most);
  const double middle = is_vector && !is_bias ? 1 : 0, width = is_vector ? 0.25 : std::sqrt(3 / columns);
  std::vector<float> numbers(bytes / sizeof(float));
  for (float& number : numbers)
    number = static_cast<float>(middle + width * (static_cast<double>(random_() % 2001) / 1000 - 1));
  const std::span<const uint8_t> all = walk::bytes_of(numbers);
  return {all.begin(), all.end()};
}

walk::List::Address Model::addresses(const Part& part) const {
  return [this, &part](const graph::Template::Base& base) {
    return base.name.empty() ? part.between->address() : memory_.at(base.name).address();
  };
}

Model::File Model::file_of(const Part& part, const walk::List::Address& address) {
  const std::vector<uint8_t> pattern = graph::template_bytes(part.pattern);
  std::vector<uint64_t> bases;
  for (const graph::Template::Base& base : part.pattern.bases) bases.push_back(address(base).bits());
  std::vector<uint8_t> image = pattern;
  walk::add_bytes(image, bases);
  CardMemory memory("template", image.size(), CardMemory::kShared);
  memory.put(image);
  const uint64_t place = memory.address().bits();
  return {
      std::move(memory),
      {place, place + pattern.size(), static_cast<uint32_t>(pattern.size()), building::Addresses::kBases}};
}

void Model::put(const std::string& name, std::span<const uint32_t> words) {
  memory_.at(name).put(walk::bytes_of(words));
}

uint32_t Model::get(const std::string& name) const {
  std::array<uint32_t, 1> word;
  memory_.at(name).get({reinterpret_cast<uint8_t*>(word.data()), sizeof word});
  return word[0];
}

void Model::forget() {
  for (const std::string& name : changing_) {
    CardMemory& memory = memory_.at(name);
    memory.put(std::vector<uint8_t>(memory.bytes()));
  }
  for (const Part& part : parts_)
    for (const graph::Value& value : part.graph.values)
      if (value.kind == ValueKind::kState) exact_.kept.erase(value.name);
}

std::vector<uint8_t> Model::left_behind() const {
  std::vector<uint8_t> all;
  for (const std::string& name : changing_) {
    const CardMemory& memory = memory_.at(name);
    const size_t before = all.size();
    all.resize(before + memory.bytes());
    memory.get(std::span(all).subspan(before));
  }
  return all;
}

}  // namespace swai::toys
