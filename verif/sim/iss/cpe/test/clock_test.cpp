// SPDX-License-Identifier: Apache-2.0
// Parts of the coarse clock by themselves, and the threads that share a round.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <vector>

#include "sim/common/random.hpp"
#include "sim/common/workers.hpp"
#include "sim/iss/cpe/costs.hpp"
#include "sim/iss/cpe/earliest.hpp"
#include "sim/iss/cpe/hbm_time.hpp"
#include "sim/iss/cpe/rate.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::iss::cpe {
namespace {

TEST_CASE("clock: the earliest of many, and of those with the same time the one with the lowest number") {
  verif::Random random(test_seed());
  std::array<uint64_t, Earliest::kMany> times{};
  for (uint64_t& time : times) time = random.below(50);
  Earliest earliest(times);
  for (unsigned n = 0; n < 2000; ++n) {
    const auto first = std::ranges::min_element(times);
    REQUIRE(earliest.first() == static_cast<unsigned>(first - times.begin()));
    REQUIRE(earliest.time() == *first);
    const auto number = static_cast<unsigned>(random.below(Earliest::kMany));
    times[number] = random.below(50);
    earliest.set(number, times[number]);
  }
  for (unsigned number = 0; number < Earliest::kMany; ++number) {
    earliest.set(number, number == 7 ? uint64_t{1} << 58 : ~uint64_t{0});
  }
  CHECK(earliest.first() == 7);
}

TEST_CASE(
    "clock: who asks first has the part's time, and who asks later for an earlier time finds what is left") {
  Rate rate(64);
  CHECK(rate.take({.start = 10, .count = 5}) == 14);
  CHECK(rate.take({.start = 1000, .count = 64}) == 1063);
  CHECK(rate.take({.start = 130, .count = 1}) == 130);
  // Two that want all of the same pieces: the second is served behind the first.
  CHECK(rate.take({.start = 640, .count = 128}) == 767);
  CHECK(rate.take({.start = 640, .count = 128}) == 895);
  // Each takes four cycles.
  CHECK(rate.take<costs::kLine>({.start = 1920, .count = 3}) == 1928);
  // What is older than all pieces is taken for free.
  CHECK(rate.take({.start = 100'000, .count = 1}) == 100'000);
  CHECK(rate.take({.start = 2000, .count = 9}) == 2008);
}

TEST_CASE("clock: no piece of time is given away twice") {
  verif::Random random(test_seed());
  Rate rate(1024);
  uint64_t total = 0;
  uint64_t last = 0;
  for (unsigned n = 0; n < 500; ++n) {
    const Rate::Request request{.start = random.below(2000), .count = 1 + random.below(40)};
    const uint64_t end = rate.take(request);
    CHECK(end >= request.start + request.count - 1);
    total += request.count;
    last = std::max(last, end);
  }
  CHECK(last + 1 >= total);
  // All pieces up to there are full now, but for what came too late for them.
  CHECK(rate.take({.start = 0}) <= last + 1);
}

TEST_CASE("clock: where reads and writes meet, there is less room") {
  Rate rate(64);
  rate.take({.start = 0, .count = 1, .write = true});
  const uint64_t mixed = rate.take({.start = 0, .count = 64});
  CHECK(mixed > 63);
  CHECK(mixed == Rate::kPiece + (64 - (costs::kMixedPiece - 1)) - 1);
}

TEST_CASE("clock: memory that had no work for long takes time to wake up") {
  HbmTime memory;
  CHECK(memory.take_lines(100, 8, false) == 107);
  CHECK(memory.take_lines(107 + costs::kSleepsAfter - 1, 1, false) == 107 + costs::kSleepsAfter - 1);
  const uint64_t late = 317 * Rate::kPiece - costs::kWakes;
  CHECK(memory.take_lines(late, 1, false) == late + costs::kWakes);
  CHECK(memory.take_lines(late + 5, 1, false) == late + costs::kWakes + 1);
  // That was served before it fell asleep.
  CHECK(memory.take_lines(5000, 1, false) == 5000);
}

TEST_CASE(
    "clock: lines that cores wait for keep their channels busy, and wait for no more than others have") {
  HbmTime memory;
  CHECK(memory.take_line(128, 0, false) == 128);
  CHECK(memory.take_line(128, 1, false) == 129);
  const uint64_t same = memory.take_line(128, costs::kChannels, false);
  CHECK(same == 128 + costs::kLine);
  uint64_t last = 0;
  for (unsigned n = 0; n < 100; ++n) last = memory.take_line(128, 0, false);
  CHECK(last == 128 + costs::kMostBefore);
}

TEST_CASE(
    "clock: lines of another group's memory go one after the other, and take nothing of the group's own") {
  HbmTime memory;
  constexpr uint64_t kLines = 640;
  const uint64_t own = memory.take_lines(0, kLines, false);
  CHECK(memory.take_far_lines(0, kLines, false) == kLines - 1);
  CHECK(memory.take_far_lines(0, kLines, false) == 2 * kLines - 1);
  HbmTime alone;
  CHECK(alone.take_lines(0, kLines, false) == own);
}

TEST_CASE("workers: each piece is done once, with any number of threads") {
  for (const unsigned threads : {1u, 2u, 7u}) {
    common::Workers workers(threads);
    CHECK(workers.count() == threads);
    for (unsigned run = 0; run < 300; ++run) {
      const unsigned pieces = run % 33;
      std::vector<std::atomic<unsigned>> done(pieces);
      workers.run(pieces, [&](unsigned piece) { ++done.at(piece); });
      for (const auto& times : done) REQUIRE(times == 1);
    }
  }
}

}  // namespace
}  // namespace swai::iss::cpe
