// SPDX-License-Identifier: Apache-2.0
// What is given back side by side is one row at once, whoever gave it back, in whatever order.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "firmware/memory/memory.hpp"
#include "verif/firmware/memory/fake_processor.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::memory {
namespace {

constexpr unsigned kBlocks = 256;
constexpr uint64_t kBytes = kBlocks * kBlockBytes;

struct Scene {
  Scene() {
    Plan plan;
    plan.groups = 2;
    for (unsigned group = 0; group < plan.groups; ++group)
      plan.areas[group] = {FakeProcessor::kOwn + FakeProcessor::kOwnBytes + group * kMaxGroupBytes, kBytes};
    plan.segment_table = FakeProcessor::kOwn;
    plan.records = FakeProcessor::kOwn + 0x10'0000;
    plan.pieces = FakeProcessor::kOwn + 0x80'0000;
    memory.init(plan);
  }
  uint64_t below(uint64_t end) { return random() % end; }
  Usage some_usage() { return static_cast<Usage>(below(3)); }

  struct Had {
    Range range;
    uint8_t context;
  };
  // Rows of many lengths until the group is full.
  std::vector<Had> fill(unsigned contexts) {
    std::vector<Had> all;
    for (uint64_t most = 40; most > 0;) {
      const auto context = static_cast<uint8_t>(1 + below(contexts));
      const Allocation got =
          memory.allocate((1 + below(most)) * kBlockBytes - below(kLargeBytes), some_usage(), 0, context);
      if (got.status == Status::kOk) {
        all.push_back({got.range, context});
      } else {
        most /= 2;
      }
    }
    std::ranges::shuffle(all, random);
    return all;
  }
  void give_back(const Had& had) { REQUIRE(memory.free(had.range.pointer, had.context) == Status::kOk); }
  void leave(uint8_t context) {
    while (!memory.free_some(context, 4)) {
    }
  }
  bool has_all_at_once(uint8_t context) {
    const Allocation got = memory.allocate(kBytes, Usage::kCpe, 0, context);
    return got.status == Status::kOk && memory.free(got.range.pointer, context) == Status::kOk;
  }

  std::mt19937_64 random{test_seed()};
  FakeProcessor processor;
  Memory<FakeProcessor> memory{processor};
};

TEST_CASE("a client that has given back all has all of it in one row, without anything being cleared") {
  for (unsigned round = 0; round < 20; ++round) {
    Scene scene;
    scene.random.seed(test_seed() + round);
    for (unsigned again = 0; again < 4; ++again) {
      auto all = scene.fill(1);
      REQUIRE(scene.memory.info(0).free == 0);
      // Some of it comes and goes meanwhile.
      for (unsigned i = 0; i < 200; ++i) {
        auto& had = all[scene.below(all.size())];
        scene.give_back(had);
        had = all.back();
        all.pop_back();
        const Allocation got =
            scene.memory.allocate((1 + scene.below(8)) * kBlockBytes, scene.some_usage(), 0, 1);
        if (got.status == Status::kOk) all.push_back({got.range, 1});
        if (all.empty()) break;
      }
      for (const auto& had : all) scene.give_back(had);
      CHECK(scene.memory.bytes_of(1) == 0);
      CHECK(scene.has_all_at_once(1));
    }
  }
}

TEST_CASE("what clients leave who end in whatever order is cleared in long rows, and is one in the end") {
  for (unsigned round = 0; round < 20; ++round) {
    constexpr unsigned kContexts = 6;
    Scene scene;
    scene.random.seed(test_seed() + round);
    for (const auto& had : scene.fill(kContexts)) {
      if (scene.below(2) == 0) scene.give_back(had);
    }
    std::vector<uint8_t> order = {1, 2, 3, 4, 5, 6};
    std::ranges::shuffle(order, scene.random);
    for (const uint8_t context : order) scene.leave(context);
    // One row, which is cut only by how much is cleared at a time.
    unsigned rows = 0;
    unsigned blocks = 0;
    while (blocks < kBlocks) {
      const Allocation got = scene.memory.allocate(kBytes, Usage::kCpe, 0, 7);
      REQUIRE(got.status == Status::kAgain);
      const Row row = scene.memory.take_to_clear();
      REQUIRE(row.blocks != 0);
      scene.memory.cleared(row.blocks);
      ++rows;
      blocks += row.blocks;
    }
    CHECK(rows == kBlocks / kMostToClear);
    CHECK(scene.has_all_at_once(7));
  }
}

TEST_CASE("memory is discarded when its client has gone, freed before or not, and again when it is cleared") {
  Scene scene;
  const auto all = scene.fill(2);
  uint64_t blocks_of_first = 0;
  for (const auto& had : all) {
    if (had.context == 1) blocks_of_first += (had.range.bytes + kBlockBytes - 1) / kBlockBytes;
  }
  unsigned freed = 0;
  for (const auto& had : all) {
    if (had.context == 1 && ++freed % 2 == 0) scene.give_back(had);
  }
  // The client itself may receive that memory again without clearing.
  CHECK(scene.processor.discarded() == 0);
  scene.leave(1);
  CHECK(scene.processor.discarded() == blocks_of_first * kBlockBytes);
  uint64_t cleared = 0;
  for (Row row = scene.memory.take_to_clear(); row.blocks != 0; row = scene.memory.take_to_clear()) {
    cleared += row.blocks * kBlockBytes;
    scene.memory.cleared(row.blocks);
  }
  CHECK(cleared > 0);
  CHECK(scene.processor.discarded() == blocks_of_first * kBlockBytes + cleared);
}

TEST_CASE("who uses its own again and again keeps nobody from what it gave back long ago") {
  Scene scene;
  const Allocation all = scene.memory.allocate(kBytes, Usage::kCpe, 0, 1);
  REQUIRE(all.status == Status::kOk);
  REQUIRE(scene.memory.free(all.range.pointer, 1) == Status::kOk);
  constexpr unsigned kPatience = 40;
  Status status = Status::kAgain;
  for (unsigned i = 0; i < kPatience && status == Status::kAgain; ++i) {
    status = scene.memory.allocate(kBytes / 2, Usage::kCpe, 0, 2).status;
    const Allocation own = scene.memory.allocate(kBlockBytes, Usage::kCpe, 0, 1);
    if (own.status == Status::kOk) REQUIRE(scene.memory.free(own.range.pointer, 1) == Status::kOk);
    scene.memory.end_period();
    if (const Row row = scene.memory.take_to_clear(); row.blocks != 0) scene.memory.cleared(row.blocks);
  }
  CHECK(status == Status::kOk);
}

}  // namespace
}  // namespace swai::memory
