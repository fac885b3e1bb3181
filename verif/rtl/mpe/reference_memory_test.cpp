// SPDX-License-Identifier: Apache-2.0
// Lines that are invalidated while they are dirty, as the reference model in lockstep sees them.
#include "sim/run/mpe/reference_memory.hpp"

#include <doctest/doctest.h>

namespace swai::mpe {
namespace {

using iss::CacheUse;

constexpr uint64_t kBase = 0x8000'0000;
constexpr uint64_t kLine = kBase + 0x1040;

struct Bench {
  ReferenceMemory memory{kBase, 0x1'0000};

  void store(uint64_t addr, uint64_t value, CacheUse use = CacheUse::kStore) {
    memory.use_cache(addr, sizeof value, use);
    REQUIRE(memory.write(addr, sizeof value, value));
  }
  uint64_t load(uint64_t addr, CacheUse use = CacheUse::kLoad) {
    memory.use_cache(addr, sizeof(uint64_t), use);
    uint64_t value = 0;
    REQUIRE(memory.read(addr, sizeof value, value));
    return value;
  }
  void invalidate(uint64_t addr) { memory.use_cache(addr, 1, CacheUse::kInvalidate); }
  // The core writes a line whose first words are these, or a part of it.
  bool reached(uint64_t first, uint64_t second = 0, uint64_t strobes = ~uint64_t{0}) {
    MemoryWrite write{.line = kLine, .strobes = strobes};
    std::memcpy(write.bytes.data(), &first, sizeof first);
    std::memcpy(&write.bytes[sizeof first], &second, sizeof second);
    return memory.reached(write);
  }
};

TEST_CASE("reference memory: an invalidated line is what memory holds") {
  Bench bench;
  bench.store(kLine, 1);
  bench.invalidate(kLine + 63);
  CHECK(bench.load(kLine) == 0);
  bench.store(kLine, 2);
  CHECK(bench.load(kLine) == 2);
  CHECK(bench.reached(2));
  bench.store(kLine + 8, 3);
  bench.invalidate(kLine);
  CHECK(bench.load(kLine) == 2);
  CHECK(bench.load(kLine + 8) == 0);
}

TEST_CASE("reference memory: an invalidation loses nothing that is in memory, and nothing of other lines") {
  Bench bench;
  bench.store(kLine, 1);
  bench.store(kLine + 64, 2);
  CHECK(bench.reached(1));
  bench.invalidate(kLine);
  bench.invalidate(kLine - 64);
  CHECK(bench.load(kLine) == 1);
  CHECK(bench.load(kLine + 64) == 2);
}

TEST_CASE("reference memory: stores across lines") {
  Bench bench;
  bench.store(kLine - 4, ~uint64_t{0});
  bench.invalidate(kLine);
  CHECK(bench.load(kLine - 4) == 0xffff'ffff);
  bench.invalidate(kLine - 64);
  CHECK(bench.load(kLine - 4) == 0);
}

TEST_CASE("reference memory: a line that is still on its way when it is invalidated") {
  Bench bench;
  bench.store(kLine, 1);
  bench.store(kLine, 2);  // cleaned before this
  bench.invalidate(kLine);
  CHECK(bench.reached(1));
  CHECK(bench.load(kLine) == 1);
  bench.store(kLine, 4);  // it was loaded into the cache: what reaches memory no longer matters
  CHECK(bench.reached(4));
  CHECK(bench.load(kLine) == 4);
}

TEST_CASE("reference memory: uncached stores after an invalidation") {
  Bench bench;
  bench.store(kLine, 1);
  bench.invalidate(kLine);
  bench.store(kLine + 8, 5, CacheUse::kUncached);
  CHECK(bench.reached(0, 5, 0xff00));
  CHECK(bench.load(kLine) == 0);
  CHECK(bench.load(kLine + 8) == 5);
}

TEST_CASE("reference memory: a write that the line has never held is refused") {
  Bench bench;
  bench.store(kLine, 1);
  bench.store(kLine, 2);
  CHECK_FALSE(bench.reached(3));
  CHECK_FALSE(bench.reached(2, 1));
  CHECK_FALSE(bench.reached(0, 1, 0xff00));
  CHECK(bench.reached(0xff, 0, 0xff00));  // only the second word is written
  bench.invalidate(kLine);
  CHECK(bench.load(kLine) == 0);
}

}  // namespace
}  // namespace swai::mpe
