// SPDX-License-Identifier: Apache-2.0
// The memory manager against a plain list of what everybody has.
#include "firmware/memory/memory.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <random>

#include "verif/firmware/memory/exerciser.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::memory {
namespace {

// The long test asks for more.
uint64_t steps() {
  const char* text = std::getenv("MEMORY_STEPS");
  return text == nullptr ? 25'000 : std::strtoull(text, nullptr, 0);
}

void exercise(const Exerciser::Options& options, uint64_t salt, uint64_t count) {
  std::mt19937_64 random(test_seed() * 16 + salt);
  Exerciser exerciser([&](uint64_t n) { return random() % n; }, options);
  for (uint64_t i = 0; i < count; ++i) {
    INFO("step " << i);
    exerciser.step();
  }
  exerciser.finish();
  fmt::print("peak {:.3f} of all blocks in use, {:.3f} of them asked for\n", exerciser.peak(),
             exerciser.asked_share());
}

TEST_CASE("random use by several clients") { exercise({}, 0, steps()); }
TEST_CASE("random use of four groups") { exercise({.groups = 4}, 1, steps()); }
TEST_CASE("one small group, often full") {
  exercise({.groups = 1, .group_bytes = 6 * kBlockBytes}, 2, steps());
}
TEST_CASE("kernels that overwrite whatever they reach harm nobody but themselves") {
  exercise({.vandal = true}, 3, steps());
}
TEST_CASE("fewer blocks for pieces than clients want") { exercise({.pools = 3}, 4, steps()); }

TEST_CASE("rows of bits") {
  Bitmap<256> bits;
  bits.init(200);
  CHECK(bits.free() == 200);
  CHECK(bits.take(0) == Bitmap<256>::kNone);
  CHECK(bits.take(201) == Bitmap<256>::kNone);
  CHECK(bits.take(70) == 0);
  CHECK(bits.take(130) == 70);
  CHECK(bits.take(1) == Bitmap<256>::kNone);
  bits.give_back(60, 20);
  bits.give_back(100, 3);
  CHECK(bits.longest() == 20);
  CHECK(bits.take(21) == Bitmap<256>::kNone);
  CHECK(bits.take(4) == 60);
  // Goes on where it ended, then from the beginning.
  CHECK(bits.take(16) == 64);
  CHECK(bits.take(3) == 100);
  CHECK(bits.free() == 0);
}

TEST_CASE("a large allocation takes one store to the segment table") {
  FakeProcessor processor;
  Memory<FakeProcessor> memory(processor);
  Plan plan;
  plan.areas[0] = {FakeProcessor::kOwn + FakeProcessor::kOwnBytes, 2048 * kBlockBytes};
  plan.segment_table = FakeProcessor::kOwn;
  plan.records = FakeProcessor::kOwn + 0x10'0000;
  plan.pieces = FakeProcessor::kOwn + 0x80'0000;
  memory.init(plan);
  const Allocation got = memory.allocate(uint64_t{1} << 30, Usage::kShared, 0, 1);
  CHECK(got.status == Status::kOk);
  CHECK(processor.entry_stores() == 1);
  CHECK(segment::offset(got.range.pointer) == 0);
  CHECK(memory.allocate(uint64_t{4} << 30, Usage::kCpe, 0, 1).status == Status::kNoMemory);
  CHECK(memory.allocate(0, Usage::kCpe, 0, 1).status == Status::kBadOperation);
  CHECK(memory.allocate(64, Usage::kCpe, 3, 1).status == Status::kBadOperation);
  CHECK(memory.free(got.range.pointer, 1) == Status::kOk);
  CHECK(processor.entry_stores() == 2);
}

}  // namespace
}  // namespace swai::memory
