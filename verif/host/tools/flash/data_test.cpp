// SPDX-License-Identifier: Apache-2.0
// What comes from outside: boards files, and what chips say of themselves.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "host/tools/flash/board_error.hpp"
#include "host/tools/flash/boards.hpp"
#include "host/tools/flash/chips.hpp"
#include "host/tools/flash/flash_file.hpp"
#include "sim/board/flash/flash_chip.hpp"
#include "verif/firmware/test_tools.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::flash {
namespace {

using Json = nlohmann::json;

constexpr const char* kShipped = "host/tools/flash/boards.json";

Json shipped() { return Json::parse(std::ifstream(kShipped)); }

std::string problem_of(const TempFolder& folder, const std::string& text) {
  const std::string file = folder / "boards.json";
  std::ofstream(file) << text;
  try {
    load_boards(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("our boards") {
  const auto boards = load_boards(kShipped);
  for (const char* name : {"ecpix5", "versa", "ecp5-evn"}) CHECK(find_board(boards, name).jtag);
  const Board& icebreaker = find_board(boards, "icebreaker");
  REQUIRE(icebreaker.spi);
  CHECK(icebreaker.spi->select == 4);
  CHECK(icebreaker.remark.find("flash only") != std::string::npos);
  for (const Board& board : boards) {
    CHECK(board.slots.offset(image::Slot::kA) == slot_offset(image::Slot::kA));
    CHECK(board.slots.offset(image::Slot::kB) == slot_offset(image::Slot::kB));
    CHECK(find_region(board, "bitstream").is_protected);
  }
  CHECK_THROWS_WITH_AS(find_board(boards, "nothing"), doctest::Contains("ecpix5, versa"), InputError);
}

TEST_CASE("boards files that cannot be right are refused, with the place") {
  const TempFolder folder;
  struct Case {
    const char* patch;  // JSON merge patch of the first board
    const char* problem;
  };
  for (
      const Case& c : {
          Case{R"({"name": null})", "'name' is missing"},
          Case{R"({"nane": "x"})", "'nane' is no field here"},
          Case{R"({"name": "\u001b[2J"})", "'name' must have"},
          Case{R"({"seen": "perhaps"})", "'seen' must be emulated or hardware"},
          Case{R"({"usb": {"vendor": "403"}})", "'vendor' must be text of 4 hexadecimal digits"},
          Case{R"({"usb": {"vendor": 1027}})", "'vendor' must be text of 4 hexadecimal digits"},
          Case{R"({"usb": {"channel": "C"}})", "'channel' must be A or B"},
          Case{R"({"usb": 5})", "is no object"},
          Case{R"({"jtag": {"clock_hz": 0}})", "'clock_hz' must be a number from 1000"},
          Case{R"({"jtag": {"clock_hz": -1}})", "'clock_hz' must be a number from 1000"},
          Case{R"({"jtag": {"idcodes": []}})", "'idcodes' is empty"},
          Case{R"({"jtag": {"idcodes": ["8111304G"]}})", "'idcodes' must be text of 8"},
          Case{R"({"jtag": null})", "needs either 'spi' or 'jtag'"},
          Case{R"({"spi": {"clock_hz": 1000000, "select": 3}})", "needs either 'spi' or 'jtag'"},
          Case{R"({"jtag": null, "spi": {"clock_hz": 1000000, "select": 2}})",
               "'select' must be a number from 3"},
          Case{R"({"jtag": null, "spi": {"clock_hz": 1000000, "select": 4, "low": [4]}})",
               "holds the pin of 'select'"},
          Case{R"({"flash_bytes": 1048576})", "'flash_bytes' must be a number from"},
          Case{R"({"flash_bytes": 1e30})", "'flash_bytes' must be a number from"},
          Case{R"({"regions": []})", "has no region 'slot-a'"},
          Case{R"({"regions": [{"name": "x", "offset": 100, "bytes": 4096}]})", "sector"},
          Case{
              R"({"regions": [{"name": "x", "offset": 0, "bytes": 8192}, {"name": "y", "offset": 4096, "bytes": 4096}]})",
              "overlaps"},
          Case{R"({"regions": [{"name": "x", "offset": 33550336, "bytes": 8192}]})", "beyond the chip"},
          Case{
              R"({"regions": [{"name": "x", "offset": 0, "bytes": 4096}, {"name": "x", "offset": 4096, "bytes": 4096}]})",
              "two regions"},
          Case{
              R"({"regions": [{"name": "slot-a", "offset": 0, "bytes": 4096}, {"name": "slot-b", "offset": 4096, "bytes": 4096}]})",
              "must have 1048576 bytes"},
          Case{R"({"regions": "all"})", "'regions' is no list"},
      }) {
    Json json = shipped();
    json["boards"][0].merge_patch(Json::parse(c.patch));
    const std::string problem = problem_of(folder, json.dump());
    CAPTURE(c.patch);
    CAPTURE(problem);
    CHECK(problem.find(c.problem) != std::string::npos);
    CHECK(problem.find("boards[0]") != std::string::npos);
  }
  CHECK(problem_of(folder, "{").find("no JSON") != std::string::npos);
  CHECK(problem_of(folder, "[]").find("no object") != std::string::npos);
  CHECK(problem_of(folder, R"({"version": 2, "boards": []})").find("'version'") != std::string::npos);
  CHECK(problem_of(folder, std::string(2 << 20, ' ')).find("too large") != std::string::npos);
  CHECK(problem_of(folder, R"({"version": 1, "boards": []})").empty());
}

TEST_CASE("any bytes in place of others end in boards or in a message") {
  const TempFolder folder;
  std::mt19937_64 random(test_seed());
  const std::string good = shipped().dump();
  for (int round = 0; round < 2000; ++round) {
    std::string bad = good;
    for (unsigned changes = 1 + random() % 4; changes != 0; --changes)
      bad[random() % bad.size()] = static_cast<char>(random());
    static_cast<void>(problem_of(folder, bad));
  }
}

TEST_CASE("the user's boards come beside ours, and before them by name") {
  const TempFolder folder;
  Json json = shipped();
  json["boards"] = Json::array({json["boards"][0], json["boards"][1]});
  json["boards"][0]["title"] = "mine";
  json["boards"][1]["name"] = "new";
  std::ofstream(folder / "my.json") << json.dump();
  std::ofstream(folder / "notes.txt") << "no boards";
  const auto boards = all_boards(kShipped, std::filesystem::path(folder / "my.json").parent_path());
  CHECK(find_board(boards, "ecpix5").title == "mine");
  CHECK(find_board(boards, "new").source.ends_with("my.json"));
  CHECK(boards.size() == load_boards(kShipped).size() + 1);
  CHECK(all_boards(kShipped, folder / "not-there").size() == load_boards(kShipped).size());
}

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
