// SPDX-License-Identifier: Apache-2.0
// What chips say of themselves.
#include "host/tools/flash/chips.hpp"

#include <doctest/doctest.h>

#include "host/tools/flash/board_error.hpp"
#include "sim/board/flash/flash_chip.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::flash {
namespace {

constexpr JedecId kUnknown = {0x7A, 0x55, 0x18, 0, 0};

TEST_CASE("chips by table, by their own tables, or not at all") {
  const auto sfdp = card::flash_sfdp(16 << 20);
  CHECK(identify({0xEF, 0x40, 0x18, 0, 0}, {}).name == "Winbond W25Q128 (EF 40 18)");
  const ChipKind kind = identify(kUnknown, sfdp);
  CHECK(kind.geometry.bytes == 16 << 20);
  CHECK(kind.geometry.page_bytes == 256);
  REQUIRE(kind.geometry.erases.size() == 3);
  CHECK(kind.geometry.erases[0].opcode == 0x20);
  CHECK(kind.geometry.erases[2].bytes == 64 << 10);
  CHECK(kind.geometry.erases[0].typical_us == 48'000);
  CHECK(kind.page_us == 704);
  // The two kinds of one chip differ in their sectors.
  CHECK(identify({0x01, 0x02, 0x19, 0x4D, 0x01}, {}).geometry.sector_bytes() == 64 << 10);
  CHECK(identify({0x01, 0x02, 0x19, 0x4D, 0x00}, {}).geometry.sector_bytes() == 256 << 10);
  CHECK(identify({0x01, 0x02, 0x19, 0x4D, 0x00}, {}).geometry.bytes == kReachBytes);
  CHECK_THROWS_WITH_AS(identify(kUnknown, {}), doctest::Contains("7A 55 18"), BoardError);
  CHECK_THROWS_WITH_AS(identify({}, sfdp), doctest::Contains("no flash chip answers"), BoardError);
  CHECK_THROWS_WITH_AS(identify({0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, sfdp), doctest::Contains("no flash chip"),
                       BoardError);
  CHECK_THROWS_WITH_AS(identify(kUnknown, card::flash_sfdp(1 << 20)), doctest::Contains("too little"),
                       BoardError);
}

TEST_CASE("tables of chips with any bytes end in sense or in a refusal") {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 20'000; ++round) {
    auto sfdp = card::flash_sfdp(16 << 20);
    for (unsigned changes = 1 + random() % 4; changes != 0; --changes) {
      // Where something is.
      const size_t at = random() % 2 == 0 ? random() % 16 : 0x80 + random() % 64;
      sfdp[at] = static_cast<uint8_t>(random());
    }
    const auto kind = from_sfdp(std::span(sfdp).first(random() % 8 == 0 ? random() % 256 : 256));
    if (!kind) continue;
    CHECK(kind->geometry.bytes >= 64 << 10);
    CHECK(kind->geometry.bytes <= kReachBytes);
    CHECK(kind->geometry.page_bytes >= 64);
    CHECK(kind->geometry.sector_bytes() >= 4096);
    CHECK(kind->geometry.erases.back().bytes <= 1 << 20);
  }
}

}  // namespace
}  // namespace swai::flash
