// SPDX-License-Identifier: Apache-2.0
// Allocations that a client reports.
#include "sim/iss/cpe/allocations.hpp"

#include <doctest/doctest.h>

#include "abi/segment.hpp"

namespace swai::iss::cpe {
namespace {

constexpr uint64_t at(uint16_t number, uint64_t offset) { return segment::pointer(number, offset); }

TEST_CASE("allocations: a segment has those of its own, which do not overlap, or none and is not checked") {
  Allocations all;
  CHECK(all.of(7) == nullptr);
  CHECK(all.add(at(7, 64), 100));
  CHECK_FALSE(all.add(at(7, 64), 100));
  CHECK_FALSE(all.add(at(7, 163), 1));
  CHECK_FALSE(all.add(at(7, 0), 65));
  CHECK(all.add(at(7, 0), 64));
  CHECK(all.add(at(7, 164), 8));
  CHECK(all.add(at(8, 64), 100));
  CHECK_FALSE(all.add(at(9, 0), 0));
  CHECK_FALSE(all.add(at(9, segment::kOffsetMask), 2));
  CHECK(all.of(9) == nullptr);
  CHECK_FALSE(all.remove(at(7, 65)));
  CHECK_FALSE(all.remove(at(9, 0)));
  CHECK(all.remove(at(8, 64)));
  CHECK(all.of(8) == nullptr);
  all.clear();
  CHECK(all.of(7) == nullptr);
}

TEST_CASE("allocations: an access lies in one of them as a whole") {
  Allocations all;
  REQUIRE(all.add(at(7, 64), 100));
  REQUIRE(all.add(at(7, 164), 8));
  const Allocations::Ranges& ranges = *all.of(7);
  CHECK(Allocations::contain(ranges, 64, 100));
  CHECK(Allocations::contain(ranges, 163, 1));
  CHECK(Allocations::contain(ranges, 164, 8));
  CHECK_FALSE(Allocations::contain(ranges, 63, 1));
  CHECK_FALSE(Allocations::contain(ranges, 63, 2));
  CHECK_FALSE(Allocations::contain(ranges, 160, 8));
  CHECK_FALSE(Allocations::contain(ranges, 172, 1));
  CHECK_FALSE(Allocations::contain(ranges, 64, ~uint64_t{0}));
}

TEST_CASE("allocations: their number is limited") {
  Allocations all;
  constexpr uint64_t kMost = uint64_t{1} << 20;
  for (uint64_t i = 0; i < kMost; ++i) REQUIRE(all.add(at(1, 64 * i), 64));
  CHECK_FALSE(all.add(at(2, 0), 64));
  CHECK(all.remove(at(1, 64)));
  CHECK(all.add(at(2, 0), 64));
}

}  // namespace
}  // namespace swai::iss::cpe
