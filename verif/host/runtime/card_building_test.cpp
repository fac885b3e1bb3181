// SPDX-License-Identifier: Apache-2.0
// Lists that the management processor builds from templates: those that the host makes, bit for bit.
#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "host/models/graph/program.hpp"
#include "host/models/graph/template_file.hpp"
#include "verif/host/models/graph/random_text.hpp"
#include "verif/host/runtime/on_card.hpp"
#include "verif/host/runtime/programs/building.hpp"
#include "verif/host/runtime/tested_program.hpp"
#include "verif/host/runtime/tools.hpp"
#include "verif/kit/doctest_main.hpp"

namespace {

using namespace swai;
using swai::sdaa::bits;
using swai::sdaa::OnCard;
using swai::sdaa::TestedProgram;

void* shared(size_t bytes) {
  void* pointer = nullptr;
  REQUIRE_OK(sdaaMallocWithFlags(&pointer, bytes, sdaaMallocShared, sdaaAnyGroup));
  return pointer;
}

}  // namespace

TEST_CASE("on the card: a program builds of random graphs the list that the host makes, and its parameters") {
  const OnCard card;
  TestedProgram program("build/programs/building.elf");
  std::mt19937_64 random(test_seed());
  constexpr size_t kTemplate = 64 << 10, kList = 64 << 10, kParameters = 4096;
  void* const source = shared(kTemplate);
  void* const list = shared(kList);
  void* const parameters = shared(kParameters);
  for (int round = 0; round < 3; ++round) {
    const std::string text = graph::RandomText(random).text(4 + random() % 20);
    CAPTURE(text);
    const graph::Template pattern = graph::program_of(text).pattern;
    std::vector<cpe::GlobalPtr<void>> bases;
    for (size_t i = 0; i < pattern.bases.size(); ++i) bases.emplace_back(random());
    const std::vector<uint8_t> bytes = graph::template_bytes(pattern);
    const std::vector<uint64_t> addresses = graph::addresses_in(bytes, bases);
    const size_t address_bytes = addresses.size() * sizeof(uint64_t);
    REQUIRE(bytes.size() + address_bytes <= kTemplate);
    REQUIRE_OK(sdaaMemcpy(source, bytes.data(), bytes.size(), sdaaMemcpyHostToDevice));
    char* const behind = static_cast<char*>(source) + bytes.size();
    REQUIRE_OK(sdaaMemcpy(behind, addresses.data(), address_bytes, sdaaMemcpyHostToDevice));
    REQUIRE_OK(sdaaMemset(list, 0x5a, kList));

    timed_building::Wish wish = {
        .source = {bits(source), bits(behind), static_cast<uint32_t>(bytes.size()), {}},
        .list = bits(list),
        .parameters = bits(parameters),
        .sizes = {}};
    std::map<std::string, int64_t> sizes;
    for (const auto& [name, bounds] : pattern.symbols)
      wish.sizes.at(sizes.size()) = bounds.most, sizes[name] = bounds.most;
    program.start(wish);
    const auto report = program.read<timed_building::Report>();
    CHECK(program.code() == timed_building::kAll);
    CHECK(report.nodes == pattern.nodes.size());
    const std::vector<node::Node> right = graph::list_of(pattern, bases);
    std::vector<node::Node> built(right.size() + 1);
    REQUIRE(built.size() * sizeof(node::Node) <= kList);
    REQUIRE_OK(sdaaMemcpy(built.data(), list, built.size() * sizeof(node::Node), sdaaMemcpyDeviceToHost));
    CHECK(std::memcmp(built.data(), right.data(), right.size() * sizeof(node::Node)) == 0);
    // Nothing behind it.
    const std::vector<uint8_t> untouched(sizeof(node::Node), 0x5a);
    CHECK(std::memcmp(&built.back(), untouched.data(), untouched.size()) == 0);
    const std::vector<uint64_t> words = graph::parameters_of(pattern, sizes);
    std::vector<uint64_t> patched(words.size());
    if (!patched.empty())
      REQUIRE_OK(sdaaMemcpy(patched.data(), parameters, patched.size() * 8, sdaaMemcpyDeviceToHost));
    CHECK(patched == words);
  }
  // Memory that the processor does not reach, and bytes that are no template.
  timed_building::Wish wish = {.source = {bits(list), bits(source), 4096, {}},
                               .list = bits(list),
                               .parameters = bits(parameters),
                               .sizes = {}};
  program.start(wish);
  CHECK(program.code() == timed_building::kRefused);
  for (void* const memory : {source, list, parameters}) CHECK_OK(sdaaFree(memory));
}
