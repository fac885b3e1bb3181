// SPDX-License-Identifier: Apache-2.0
// The walker: barriers, lists of any length, and lists that must not do harm.
#include <doctest/doctest.h>

#include "cpe-kernels/operators/common/places.hpp"
#include "operator_table.hpp"
#include "verif/cpe-kernels/operators/shapes.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::operators::test {
namespace {

using iss::cpe::Cause;
using node::Patch, node::Refusal;

constexpr auto kNothing = static_cast<uint16_t>(Operator::kNothing);

Node nothing(Barrier barrier) { return {.operation = kNothing, .barrier = barrier}; }

CopyArgs copy_args(const Tensor& to, const Tensor& from) {
  return {.to = to.at(),
          .from = from.at(),
          .rows = from.rows,
          .row_bytes = from.columns,
          .to_stride = to.stride,
          .from_stride = from.stride};
}

Node copy_node(Barrier barrier, const CopyArgs& args) {
  return node::make(static_cast<uint16_t>(Operator::kCopy), barrier, args);
}

// Every CPE of the mask stopped at `number` for this reason; the next launch is as good as any. `busy`: some
// may have work at the node before, and wait at its barrier for others that had none and have looked ahead.
void check_refused(Card& card, const Result& result, uint32_t mask, uint32_t number, Refusal reason,
                   bool busy = false) {
  CHECK(result.failed == mask);
  bool stopped = false, waits = false;
  for (unsigned i = 0; i < card.group().size(); ++i) {
    if ((mask >> i & 1) == 0) continue;
    if (busy && card.state(i).node == number - 1) {
      CHECK(card.state(i).refusal == Refusal::kNone);
      waits = true;
      continue;
    }
    CHECK(result.faults[i].cause == Cause::kBreakpoint);
    CHECK(card.state(i).node == number);
    CHECK(card.state(i).refusal == reason);
    stopped = true;
  }
  CHECK(stopped);
  CHECK(result.ending == (waits ? iss::cpe::Ending::kDeadlock : iss::cpe::Ending::kFailed));
  CHECK(card.launch({nothing(Barrier::kAll)}, 1, mask).ok());
}

// A node before one that is refused may be complete, or not.
void check_perhaps_copied(Card& card, const Tensor& to, const Tensor& from) {
  Tensor now = to;
  card.take(now);
  for (uint32_t row = 0; row < to.rows; ++row) {
    for (uint32_t column = 0; column < to.columns; ++column) {
      const auto before = to.get<uint8_t>(row, column), is = now.get<uint8_t>(row, column);
      CHECK((is == before || is == from.get<uint8_t>(row, column)));
      now.set(row, column, before);
    }
  }
  CHECK(now.image == to.image);
}

}  // namespace

TEST_CASE("lists of any length, with any barriers, on any CPEs") {
  verif::Random random(test_seed());
  for (const uint32_t length : {0u, 1u, 7u, 8u, 9u, 16u, 17u, 100u}) {
    Card card(random);
    std::vector<Node> nodes;
    for (uint32_t i = 0; i < length; ++i)
      nodes.push_back(nothing(static_cast<Barrier>(random.below(node::kBarriers))));
    const uint32_t mask = some_mask(random, card.all());
    CHECK(card.launch(nodes, length, mask).ok());
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    CHECK(card.state(first).node == (length == 0 ? node::kNoNode : length - 1));
    CHECK(card.state(first).refusal == Refusal::kNone);
  }
}

// A chain of rotations: each copy reads what other CPEs wrote for the nodes before.
TEST_CASE("a barrier of all orders what nodes read and write") {
  constexpr uint32_t kBytes = 5000;
  verif::Random random(test_seed() + 1);
  for (int round = 0; round < rounds(4); ++round) {
    Card card(random);
    std::vector<Tensor> chain;
    chain.push_back(card.tensor(1, kBytes, 1));
    std::vector<Node> nodes;
    std::vector<uint32_t> by;
    for (size_t i = 0; i < 12; ++i) {
      chain.push_back(card.tensor(1, kBytes, 1));
      by.push_back(static_cast<uint32_t>(random.between(1, kBytes - 1)));
      const auto part = [&](uint32_t to, uint32_t from, uint32_t bytes, Barrier barrier) {
        const CopyArgs args = {.to = chain[i + 1].at().plus_bytes(to),
                               .from = chain[i].at().plus_bytes(from),
                               .rows = 1,
                               .row_bytes = bytes};
        nodes.push_back(node::make(static_cast<uint16_t>(Operator::kCopy), barrier, args));
      };
      part(0, by[i], kBytes - by[i], Barrier::kAll);
      part(kBytes - by[i], 0, by[i], Barrier::kNone);
    }
    std::vector<Tensor*> all;
    for (Tensor& tensor : chain) all.push_back(&tensor);
    REQUIRE(card.walk(nodes, some_mask(random, card.all()), all).ok());
    for (size_t i = 0; i < by.size(); ++i) {
      for (uint32_t at = 0; at < kBytes; ++at)
        chain[i + 1].set(0, at, chain[i].get<uint8_t>(0, (at + by[i]) % kBytes));
      CHECK(card.difference(chain[i + 1]) == "");
    }
  }
}

TEST_CASE("what is wrong with a list is refused, and the fault names the node") {
  verif::Random random(test_seed() + 2);
  Card card(random);
  Tensor from = card.tensor(3, 40, 1, 10);
  Tensor to = card.tensor(3, 40, 1, 10);
  Tensor before = card.tensor(3, 40, 1, 10);
  const CopyArgs good = copy_args(to, from);
  const auto number = static_cast<uint32_t>(random.between(1, 19));
  const uint32_t mask = some_mask(random, card.all());
  const auto refused = [&](const Node& bad, Refusal reason) {
    std::vector<Node> nodes(21, nothing(Barrier::kAll));
    nodes[number - 1] = copy_node(Barrier::kAll, copy_args(before, from));
    nodes[number] = bad;
    check_refused(card, card.walk(nodes, mask, {&from, &to, &before}), mask, number, reason, true);
    CHECK(card.difference(to) == "");
    check_perhaps_copied(card, before, from);
  };
  const auto copy_with = [&](auto change) {
    CopyArgs args = good;
    change(args);
    return copy_node(Barrier::kNone, args);
  };
  SUBCASE("operators that do not exist") {
    for (const uint16_t wrong : {0, 999, 0x8000, 0xffff}) refused({.operation = wrong}, Refusal::kOperator);
  }
  SUBCASE("headers") {
    refused({.operation = kNothing, .barrier = Barrier{4}}, Refusal::kHeader);
    Node bad = nothing(Barrier::kNone);
    bad.reserved = static_cast<uint8_t>(1 << random.below(8));
    refused(bad, Refusal::kHeader);
  }
  SUBCASE("sizes and strides") {
    refused(copy_with([](CopyArgs& args) { args.rows = 0; }), Refusal::kShape);
    refused(copy_with([](CopyArgs& args) { args.row_bytes = 0; }), Refusal::kShape);
    refused(copy_with([](CopyArgs& args) { args.rows = (1u << 24) + 1; }), Refusal::kShape);
    refused(copy_with([](CopyArgs& args) { args.row_bytes = ~0u; }), Refusal::kShape);
    refused(copy_with([](CopyArgs& args) { args.rows = args.row_bytes = 1u << 24; }), Refusal::kShape);
    refused(copy_with([](CopyArgs& args) { args.to_stride = args.row_bytes - 1; }), Refusal::kStride);
    refused(copy_with([](CopyArgs& args) { args.to_stride = 0; }), Refusal::kStride);
    refused(copy_with([](CopyArgs& args) { args.to_stride = 1u << 31; }), Refusal::kStride);
    refused(copy_with([](CopyArgs& args) { args.from_stride = 1; }), Refusal::kStride);
    refused(copy_with([&](CopyArgs& args) {
              args.positions = from.at();
              args.rows = kMaxPlacedRows + 1;
            }),
            Refusal::kShape);
    refused(copy_with([&](CopyArgs& args) {
              args.positions = from.at();
              args.rows = 1;
              args.to_stride = 0;
            }),
            Refusal::kStride);
    refused(copy_with([&](CopyArgs& args) { args.chunks = from.at(); }), Refusal::kParameter);
    refused(copy_with([](CopyArgs& args) { args.chunks_stride = 4; }), Refusal::kParameter);
  }
  SUBCASE("a count of 2^32, and others that are too large") {
    const std::vector<Node> nodes(3, nothing(Barrier::kAll));
    for (const uint64_t count : {node::kMaxNodes + 1, uint64_t{1} << 32, ~uint64_t{0}}) {
      check_refused(card, card.launch(nodes, count, mask), mask, node::kNoNode, Refusal::kCount);
    }
  }
}

// Of three rows three CPEs at most have work: they come to the barrier from within their node, where those do
// not come that refused.
TEST_CASE("a node is refused by who has nothing to do in the one before, while others are in that") {
  verif::Random random(test_seed() + 8);
  Card card(random);
  Tensor from = card.tensor(3, 40, 1, 10);
  Tensor before = card.tensor(3, 40, 1, 10);
  Tensor to = card.tensor(3, 40, 1, 10);
  CopyArgs bad = copy_args(to, from);
  bad.rows = 0;
  const std::vector<Node> nodes = {copy_node(Barrier::kAll, copy_args(before, from)),
                                   copy_node(Barrier::kAll, bad)};
  const Result result = card.walk(nodes, card.all(), {&from, &before, &to});
  CHECK(result.failed == card.all());
  unsigned waiting = 0;
  for (unsigned i = 0; i < card.group().size(); ++i) {
    if (result.faults[i].cause == Cause::kWatchdog) {
      ++waiting;
      CHECK(card.state(i).node == 0);
      CHECK(card.state(i).refusal == Refusal::kNone);
    } else {
      CHECK(result.faults[i].cause == Cause::kBreakpoint);
      CHECK(card.state(i).node == 1);
      CHECK(card.state(i).refusal == Refusal::kShape);
    }
  }
  CHECK(waiting != 0);
  CHECK(waiting <= 3);
  CHECK(card.difference(to) == "");
  check_perhaps_copied(card, before, from);
  CHECK(card.launch({nothing(Barrier::kAll)}, 1, card.all()).ok());
}

// One list, walked with other parameters each time: what moves, from where, to where.
TEST_CASE("parameters are added to words of arguments, in the CPEs' own copies") {
  constexpr uint32_t kBytes = 4000;
  verif::Random random(test_seed() + 5);
  Card card(random);
  Tensor from = card.tensor(1, kBytes, 1);
  std::vector<Tensor> targets;
  for (int i = 0; i < 11; ++i)
    targets.push_back(card.tensor(1, kBytes, 1));  // more than the walker fetches at once
  const auto word = [](size_t offset) { return static_cast<uint8_t>(Patch::kWord | offset / 4); };
  const auto pointer = [](size_t offset) { return static_cast<uint8_t>(Patch::kPointer | offset / 4); };
  constexpr uint8_t kBack = 30, kCount = 31;  // of the parameters; others move a node's source
  constexpr uint32_t kBase = 2000;
  // Carries go through all 64 bits of a pointer.
  constexpr int64_t kFar = int64_t{1} << 40;
  std::vector<Node> nodes;
  for (size_t i = 0; i < targets.size(); ++i) {
    // The second place alone, the first alone, both.
    const std::array<Patch, 3> choice = {{{pointer(offsetof(CopyArgs, from)), static_cast<uint8_t>(i)},
                                          {pointer(offsetof(CopyArgs, to)), kBack},
                                          {word(offsetof(CopyArgs, row_bytes)), kCount}}};
    std::array<Patch, 2> patches = {};
    if (i % 4 != 0) patches[0] = choice[i % 3];
    if (i % 4 != 1) patches[1] = choice[(i + 1) % 3];
    const bool moves = std::ranges::any_of(patches, [](Patch patch) {
      return (patch.target & Patch::kNumber) == offsetof(CopyArgs, from) / 4 && patch.target != 0;
    });
    const CopyArgs args = {.to = targets[i].at().plus_bytes(kBase),
                           .from = from.at().plus_bytes(moves ? kFar : 0),
                           .rows = 1,
                           .row_bytes = 10};
    nodes.push_back(node::make(static_cast<uint16_t>(Operator::kCopy), Barrier::kNone, args));
    nodes.back().patches = patches;
  }
  std::vector<Tensor*> all = {&from};
  for (Tensor& target : targets) all.push_back(&target);
  for (int round = 0; round < rounds(4); ++round) {
    std::vector<uint64_t> parameters(node::kMaxParameters);
    for (uint64_t& parameter : parameters) parameter = random.below(1000) - kFar;
    parameters[kBack] = -random.below(kBase + 1);
    // Only the lower half counts where a word has 32 bits.
    parameters[kCount] = random.below(1000) | random.next() << 32;
    REQUIRE(card.walk(nodes, some_mask(random, card.all()), all, parameters).ok());
    for (size_t i = 0; i < targets.size(); ++i) {
      const auto added = [&](size_t offset) -> uint64_t {
        for (const Patch& patch : nodes[i].patches) {
          if (patch.target != 0 && (patch.target & Patch::kNumber) == offset / 4)
            return parameters[patch.parameter] + (offset == offsetof(CopyArgs, from) ? kFar : 0);
        }
        return 0;
      };
      const auto source = static_cast<uint32_t>(added(offsetof(CopyArgs, from)));
      const auto target = static_cast<uint32_t>(kBase + added(offsetof(CopyArgs, to)));
      const auto count = static_cast<uint32_t>(10 + added(offsetof(CopyArgs, row_bytes)));
      for (uint32_t at = 0; at < count; ++at)
        targets[i].set(0, target + at, from.get<uint8_t>(0, source + at));
      CHECK(card.difference(targets[i]) == "");
    }
  }
}

TEST_CASE("patches beyond their bounds are refused") {
  verif::Random random(test_seed() + 6);
  Card card(random);
  const auto number = static_cast<uint32_t>(random.below(20));
  const size_t place = random.below(node::kPatches);
  const auto refused = [&](Patch patch, const std::vector<uint64_t>& parameters) {
    std::vector<Node> nodes(21, nothing(Barrier::kAll));
    nodes[number].patches[place] = patch;
    check_refused(card, card.launch(nodes, nodes.size(), card.all(), parameters), card.all(), number,
                  Refusal::kPatch);
  };
  const std::vector<uint64_t> three(3);
  SUBCASE("words that no arguments have") {
    for (const uint8_t target : {0x9e, 0x9f, 0xdd, 0xde, 0xdf}) refused({target, 0}, three);
  }
  SUBCASE("64 bits that are not aligned") { refused({Patch::kPointer | 1, 0}, three); }
  SUBCASE("no kind of word") {
    for (const uint8_t target : {0x01, 0x20, 0x40, 0x7f, 0xa0, 0xe0}) refused({target, 0}, three);
    refused({0, 1}, three);
  }
  SUBCASE("parameters that the launch does not have") {
    refused({Patch::kWord, 3}, three);
    refused({Patch::kWord, 255}, three);
    refused({Patch::kPointer, 0}, {});
    refused({Patch::kPointer, 32}, std::vector<uint64_t>(32));
  }
  SUBCASE("the last word, the last pointer, the last parameter are taken") {
    std::vector<Node> nodes(9, nothing(Barrier::kAll));
    nodes[number % 9].patches = {{{Patch::kWord | 29, 2}, {Patch::kPointer | 28, 2}}};
    CHECK(card.launch(nodes, nodes.size(), card.all(), three).ok());
  }
}

TEST_CASE("parameters that are too many are refused, and those that lie nowhere") {
  verif::Random random(test_seed() + 7);
  Card card(random);
  const std::vector<Node> nodes(3, nothing(Barrier::kAll));
  for (const uint64_t count : {node::kMaxParameters + 1, uint64_t{1} << 32, ~uint64_t{0}}) {
    check_refused(card, card.launch(nodes, nodes.size(), card.all(), std::vector<uint64_t>(32), count),
                  card.all(), node::kNoNode, Refusal::kCount);
  }
  // Behind the end of their segment.
  const Result result = card.launch(nodes, nodes.size(), card.all(), {1, 2}, 3);
  CHECK(result.failed == card.all());
  for (const auto& fault : result.faults) CHECK(fault.cause == Cause::kLimit);
}

TEST_CASE("an address outside of its segment is a fault that names segment and node") {
  verif::Random random(test_seed() + 3);
  Card card(random);
  Tensor from = card.tensor(64, 64, 1);
  Tensor to = card.tensor(64, 64, 1);
  CopyArgs args = copy_args(to, from);
  Cause cause = Cause::kLimit;
  uint16_t segment = to.segment;
  SUBCASE("writes") { args.to = GlobalPtr<void>(to.segment, to.image.size() - 64); }
  SUBCASE("reads") {
    args.from = GlobalPtr<void>(from.segment, from.image.size() - 64);
    segment = from.segment;
  }
  SUBCASE("no segment") {
    args.from = GlobalPtr<void>();
    segment = 0;
    cause = Cause::kNoSegment;
  }
  SUBCASE("memory that may only be read") {
    args.to = GlobalPtr<void>(2, 0);  // code
    segment = 2;
    cause = Cause::kPermission;
  }
  std::vector<Node> nodes(5, nothing(Barrier::kAll));
  nodes[3] = node::make(static_cast<uint16_t>(Operator::kCopy), Barrier::kNone, args);
  const Result result = card.walk(nodes, card.all(), {&from, &to});
  CHECK_FALSE(result.ok());
  bool seen = false;
  for (unsigned i = 0; i < card.group().size(); ++i) {
    if (result.faults[i].cause != cause) continue;
    seen = true;
    CHECK(result.faults[i].segment == segment);
    CHECK(card.state(i).node == 3);
    CHECK(card.state(i).refusal == Refusal::kNone);
  }
  CHECK(seen);
  CHECK(card.launch({nothing(Barrier::kAll)}, 1, card.all()).ok());
}

TEST_CASE("a list that is longer than its segment is a fault of the list's segment") {
  verif::Random random(test_seed() + 4);
  Card card(random);
  const Result result = card.launch(std::vector<Node>(20, nothing(Barrier::kNone)), 30, card.all());
  CHECK(result.failed == card.all());
  for (const auto& fault : result.faults) CHECK(fault.cause == Cause::kLimit);
}

TEST_CASE("a launch that is not needed any more walks nothing") {
  verif::Random random(test_seed() + 9);
  for (const bool wanted : {false, true}) {
    Card card(random);
    Tensor words = card.tensor(1, 2, sizeof(uint32_t));
    const auto word = static_cast<uint32_t>(random.next());
    words.set<uint32_t>(0, 0, word);
    words.set<uint32_t>(0, 1, wanted ? word ^ 1U << random.below(32) : word);
    Tensor from = card.tensor(64, 64, 1);
    Tensor to = card.tensor(64, 64, 1);
    card.walk_unless_same(words.at().as<const uint32_t>());
    const std::vector<Node> nodes(random.between(1, 20), copy_node(Barrier::kAll, copy_args(to, from)));
    CHECK(card.walk(nodes, card.all(), {&words, &from, &to}, {1, 2, 3}).ok());
    for (uint32_t row = 0; wanted && row < to.rows; ++row) {
      for (uint32_t column = 0; column < to.columns; ++column)
        to.set(row, column, from.get<uint8_t>(row, column));
    }
    for (const Tensor* const tensor : {&words, &from, &to}) CHECK(card.difference(*tensor) == "");
  }
}

// Which transfers count as work (docs/measurements/whisper.md).
TEST_CASE("lists, arguments and parameters move in the background, operands in the foreground") {
  verif::Random random(test_seed() + 10);
  Card card(random);
  const auto of_launch = [&](const auto& launch) {
    const Card::Moved before = card.moved();
    CHECK(launch().ok());
    const Card::Moved after = card.moved();
    return Card::Moved{after.foreground - before.foreground, after.background - before.background};
  };
  const uint64_t cpes = card.group().size(), nodes = random.between(9, 40);
  const std::vector<Node> list(nodes, nothing(Barrier::kAll));
  const auto lists = of_launch([&] { return card.launch(list, nodes, card.all(), {1, 2, 3}); });
  CHECK(lists.foreground == 0);
  CHECK(lists.background ==
        cpes * (sizeof(node::WalkArgs) + nodes * node::kNodeBytes + 3 * sizeof(uint64_t)));
  Tensor from = card.tensor(64, 64, 1);
  Tensor to = card.tensor(64, 64, 1);
  const auto copied = of_launch([&] {
    return card.walk({copy_node(Barrier::kNone, copy_args(to, from))}, card.all(), {&from, &to});
  });
  CHECK(copied.foreground == 2 * 64 * 64);
  CHECK(copied.background == cpes * (sizeof(node::WalkArgs) + node::kNodeBytes));
}

// The last of all cases: doctest runs them by file and line.
TEST_CASE(
    "lists: every operator that may look at a node before its barrier has been behind nodes with work") {
  for (const Operator operation : kPreparing) {
    INFO("no case before this one called Card::run with it: ", name(static_cast<uint16_t>(operation)));
    CHECK(Card::behind_copies().contains(operation));
  }
}

}  // namespace swai::operators::test
