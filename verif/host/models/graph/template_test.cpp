// SPDX-License-Identifier: Apache-2.0
// Templates as files: what programs of the card build from one is what the host makes, and nothing that may
// lie in one does harm to who reads it.
#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "cpe-kernels/sdk/programs/include/swai/list_pattern.hpp"
#include "host/models/graph/lower.hpp"
#include "host/models/graph/template_file.hpp"
#include "verif/host/models/graph/random_text.hpp"
#include "verif/host/models/graph/sealed.hpp"
#include "verif/host/models/graph/text.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::graph {
namespace {

struct CopiedLines {
  static void write(void* to, const program::Line& line) { std::memcpy(to, &line, sizeof line); }
  static void zero(void* to) { std::memset(to, 0, sizeof(program::Line)); }
};
using Builder = program::ListBuilder<CopiedLines>;

Template pattern_of(const std::string& text) {
  const Graph graph = lowered(graph_of(text));
  return template_of(graph, plan(graph));
}

bool equal(const std::vector<node::Node>& a, const std::vector<node::Node>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(node::Node)) == 0;
}

std::vector<cpe::GlobalPtr<void>> random_bases(const Template& pattern, std::mt19937_64& random) {
  std::vector<cpe::GlobalPtr<void>> bases;
  for (size_t i = 0; i < pattern.bases.size(); ++i) bases.emplace_back(random());
  return bases;
}

// As a program builds it, in pieces, over something else.
std::vector<node::Node> built(const program::ListPattern& pattern, const std::vector<uint64_t>& addresses,
                              std::mt19937_64& random) {
  std::vector<node::Node> list(pattern.nodes());
  std::memset(static_cast<void*>(list.data()), 0xa5, list.size() * sizeof(node::Node));
  Builder builder(pattern, addresses.data(), reinterpret_cast<std::byte*>(list.data()));
  while (builder.left() != 0) builder.build(1 + static_cast<uint32_t>(random() % 5));
  return list;
}

// What is read is what was written, what a program builds what the host makes.
void compare(const Template& pattern, std::mt19937_64& random) {
  const std::vector<uint8_t> bytes = template_bytes(pattern);
  const Template read = template_in(bytes);
  CHECK(read.name == pattern.name);
  REQUIRE(read.bases.size() == pattern.bases.size());
  for (size_t i = 0; i < read.bases.size(); ++i) {
    CHECK(read.bases[i].name == pattern.bases[i].name);
    CHECK(read.bases[i].kind == pattern.bases[i].kind);
    CHECK(read.bases[i].bytes == pattern.bases[i].bytes);
  }
  CHECK(read.parameters == pattern.parameters);
  CHECK(template_bytes(read) == bytes);
  const auto bases = random_bases(pattern, random);
  const auto list = list_of(pattern, bases);
  CHECK(equal(list_of(read, bases), list));
  program::ListPattern card;
  REQUIRE(card.open(bytes.data(), bytes.size()));
  CHECK(equal(built(card, addresses_in(bytes, bases), random), list));
  CHECK(card.name() == pattern.name);
  REQUIRE(card.parameters() == pattern.parameters.size());
  for (int run = 0; run < 4; ++run) {
    std::map<std::string, int64_t> sizes;
    std::vector<int64_t> in_order;
    for (const auto& [name, bounds] : pattern.symbols) {
      const auto width = static_cast<uint64_t>(bounds.most - bounds.least + 1);
      in_order.push_back(sizes[name] = bounds.least + static_cast<int64_t>(random() % width));
      CHECK(card.symbol(name) == in_order.size() - 1);
    }
    std::array<uint64_t, node::kMaxParameters> block;
    REQUIRE(card.parameters(in_order, block.data()));
    const auto right = parameters_of(pattern, sizes);
    CHECK(std::equal(right.begin(), right.end(), block.begin()));
    for (size_t i = 0; i < pattern.bases.size(); ++i) {
      std::map<std::string, Range> known;
      for (const auto& [name, value] : sizes) known[name] = {value, value};
      CHECK(card.bytes(card.bases()[i], in_order) == pattern.bases[i].bytes.range(known).most);
    }
  }
}

std::string refusal(const std::vector<uint8_t>& bytes) {
  try {
    template_in(bytes);
  } catch (const TemplateError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("templates: a program builds of random graphs, bit for bit, the list that the host makes") {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 100; ++round) {
    const std::string text = RandomText(random).text(2 + random() % 14);
    CAPTURE(text);
    compare(pattern_of(text), random);
  }
}

TEST_CASE("templates: the examples; each different node is there once") {
  std::mt19937_64 random(test_seed());
  for (const char* const name : {"encoder.graph", "decoder.graph"}) {
    CAPTURE(name);
    compare(pattern_of(example(name)), random);
  }
  std::string text = "graph g\ninput x: f32[4, 8]\noutput y: f32[4, 8]\nrepeat i in 0 .. 40 with h = x {\n";
  text += "weight layer[i].w: f32[8, 8]\nnext h = linear(h, layer[i].w)\n}\ny = relu(h)\n";
  const Template pattern = pattern_of(text);
  CHECK(pattern.nodes.size() == 41);
  const auto bytes = template_bytes(pattern);
  CHECK(reinterpret_cast<const list_template::Header*>(bytes.data())->images.count <= 3);
  compare(pattern, random);
}

TEST_CASE("templates: nodes with every number of addresses, with and without words after them") {
  std::mt19937_64 random(test_seed());
  Template pattern = pattern_of("graph g\ninput x: f32[4, 8]\noutput y: f32[4, 8]\ny = relu(x)\n");
  const node::Node plain = pattern.nodes.front();
  pattern.nodes.clear();
  pattern.relocations.clear();
  pattern.origins.clear();
  constexpr size_t kWords = node::kArgumentBytes / sizeof(uint64_t);
  static_assert(kWords == list_template::kMaxPointers);
  for (size_t pointers = 0; pointers <= kWords; ++pointers) {
    for (size_t words = pointers; words <= kWords; ++words) {
      node::Node node = plain;
      node.patches = {};
      node.arguments = {};
      for (size_t word = pointers; word < words; ++word) {
        const uint64_t value = random();
        std::memcpy(&node.arguments[word * sizeof value], &value, sizeof value);
      }
      for (size_t word = 0; word < pointers; ++word)
        pattern.relocations.push_back({pattern.nodes.size(), word * sizeof(uint64_t),
                                       random() % pattern.bases.size(),
                                       static_cast<int64_t>(random() % 4096)});
      pattern.nodes.push_back(node);
      pattern.origins.push_back(0);
    }
  }
  compare(pattern, random);
}

TEST_CASE("templates: sizes that are quotients, and quotients of quotients") {
  std::mt19937_64 random(test_seed());
  compare(
      pattern_of("graph g\nsize n in 5 .. 40\nsize half = (n + 1) / 2\nsize third = (half * half - 7) / 3\n"
                 "input x: f32[half, 8]\ninput z: f32[third + 1, 8]\noutput y: f32[half, 8]\n"
                 "output w: f32[third + 1, 8]\ny = gelu(x)\nw = relu(z)\n"),
      random);
  // The text of such a size would double from each to the next.
  std::string text = "graph g\nsize n in 5 .. 40\nsize q0 = (n * n + 1) / 3\n";
  for (int i = 0; i < 40; ++i)
    text += "size q" + std::to_string(i + 1) + " = (q" + std::to_string(i) + " * n + q" + std::to_string(i) +
            ") / 3\n";
  CHECK_THROWS_WITH_AS(graph_of(text + "input x: f32[n, 8]\noutput y: f32[n, 8]\ny = relu(x)\n"),
                       "the size is a quotient of too many others", GraphError);
}

TEST_CASE("templates: sizes out of their bounds are none for a program") {
  const auto bytes = template_bytes(
      pattern_of("graph g\nsize n in 2 .. 4\ninput x: f32[n, 8]\noutput y: f32[n, 8]\ny = gelu(x)\n"));
  program::ListPattern card;
  REQUIRE(card.open(bytes.data(), bytes.size()));
  std::array<uint64_t, node::kMaxParameters> block;
  CHECK(card.parameters(std::array<int64_t, 1>{4}, block.data()));
  CHECK_FALSE(card.parameters(std::array<int64_t, 1>{5}, block.data()));
  CHECK_FALSE(card.parameters(std::array<int64_t, 1>{1}, block.data()));
  CHECK_FALSE(card.parameters(std::array<int64_t, 2>{2, 2}, block.data()));
  CHECK(card.base("y") == 2);
  CHECK_FALSE(card.base("z").has_value());
  CHECK_FALSE(card.open(bytes.data(), bytes.size() - 1));
}

TEST_CASE("templates: what is not one, is damaged, or is of another version is told so") {
  auto bytes = template_bytes(pattern_of(example("decoder.graph")));
  CHECK(refusal({}) == "it is no template of a list");
  CHECK(refusal(std::vector<uint8_t>(200)) == "it is no template of a list");
  auto cut = bytes;
  cut.resize(cut.size() - 8);
  CHECK(refusal(cut).find("and should have") != std::string::npos);
  auto spoilt = bytes;
  spoilt[300] ^= 4;
  CHECK(refusal(spoilt) == "it is damaged: its checksum is wrong");
  CHECK_THROWS_WITH_AS(addresses_in(spoilt, {}), "it is damaged: its checksum is wrong", TemplateError);
  auto newer = bytes;
  reinterpret_cast<list_template::Header*>(newer.data())->version = 3;
  CHECK(refusal(newer) == "it is of version 3; this program reads version 2: compile the graph again");
  program::ListPattern card;
  CHECK_FALSE(card.open(newer.data(), newer.size()));
}

TEST_CASE("templates: whatever lies in one, it is refused, or read as a template that can be written again") {
  std::mt19937_64 random(test_seed());
  size_t taken = 0;
  for (int round = 0; round < 40; ++round) {
    const auto bytes = template_bytes(pattern_of(RandomText(random).text(2 + random() % 8)));
    for (int change = 0; change < 100; ++change) {
      auto changed = bytes;
      for (uint64_t i = random() % 4; i != UINT64_MAX; --i) {
        const size_t place = sizeof(uint64_t) + random() % (changed.size() - sizeof(uint64_t));
        changed[place] = static_cast<uint8_t>(random() % 3 == 0 ? random() : random() % 2 * 0xff);
      }
      if (random() % 8 == 0) changed.resize(random() % changed.size() + 1);
      taken += accepted(changed);
    }
  }
  CHECK(taken > 0);
}

}  // namespace swai::graph
