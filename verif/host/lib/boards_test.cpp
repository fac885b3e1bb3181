// SPDX-License-Identifier: Apache-2.0
// Boards are read as they are written; whatever is wrong with one is refused, with file and field.
#include "host/lib/boards.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "host/lib/elf.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/kit/folder.hpp"

namespace swai::boards {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using common::InputError;

const fs::path kShipped = "boards";

Json shipped(const std::string& name) { return Json::parse(std::ifstream(kShipped / name / "board.json")); }

fs::path write_board(const fs::path& all, const std::string& name, const std::string& text) {
  const fs::path folder = all / name;
  fs::create_directories(folder);
  std::ofstream(folder / "board.json") << text;
  return folder;
}

std::string problem_of(const fs::path& folder) {
  try {
    load_board(folder);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string problem_of_all(const fs::path& shipped, const fs::path& own) {
  try {
    all_boards(shipped, own);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("every field of a board arrives") {
  const auto boards = all_boards(kShipped, "nothing/there");
  for (const char* name : {"ecpix5", "versa", "ecp5-evn"}) CHECK(find_board(boards, name).jtag);
  const Board& versa = find_board(boards, "versa");
  CHECK(versa.title == "Lattice ECP5 Versa");
  CHECK(versa.usb.vendor == 0x0403);
  CHECK(versa.usb.product == 0x6010);
  CHECK(versa.usb.channel == 0);
  CHECK(versa.usb.manufacturer == "Lattice");
  CHECK(versa.usb.text == "Lattice ECP5_5G VERSA Board");
  CHECK(versa.usb.prefix == "Lattice ECP5_5G VERSA");
  CHECK(versa.clock_hz == 15'000'000);
  CHECK(versa.jtag->idcodes == std::vector<uint32_t>{0x01112043, 0x81112043});
  CHECK(versa.jtag->fitted == 0x81112043);
  CHECK(versa.source == "boards/versa/board.json");
  const Board& icebreaker = find_board(boards, "icebreaker");
  REQUIRE(icebreaker.spi);
  CHECK(icebreaker.spi->select == 4);
  CHECK(icebreaker.spi->reset == std::vector<unsigned>{7});
  CHECK(icebreaker.spi->done == 6);
  CHECK(icebreaker.remark.find("flash only") != std::string::npos);
  for (const Board& board : boards) {
    CHECK(board.seen == "emulated");
    CHECK(board.slots.offset(image::Slot::kA) == slot_offset(image::Slot::kA));
    CHECK(board.slots.offset(image::Slot::kB) == slot_offset(image::Slot::kB));
    CHECK(find_region(board, "bitstream").is_protected);
  }
  CHECK_THROWS_WITH_AS(find_board(boards, "nothing"), doctest::Contains("ecp5-evn, ecpix5"), InputError);
  CHECK_THROWS_WITH_AS(find_region(versa, "nothing"), doctest::Contains("slot-a, slot-b"), InputError);

  const common::Folder folder;
  Json other = shipped("versa");
  other.merge_patch(
      Json::parse(R"({"usb": {"vendor": "1209", "product": "ab0f", "channel": "B", "prefix": null},
                      "seen": "hardware"})"));
  const Board read = load_board(write_board(folder.path, "other", other.dump()));
  CHECK(read.usb.vendor == 0x1209);
  CHECK(read.usb.product == 0xAB0F);
  CHECK(read.usb.channel == 1);
  CHECK(read.usb.prefix.empty());
  CHECK(read.seen == "hardware");
}

TEST_CASE("a board that cannot be right is refused, with file and field") {
  const common::Folder folder;
  struct Case {
    const char* board;
    const char* patch;  // JSON merge patch of it
    const char* problem;
  };
  const char* const versa = "versa";
  const char* const icebreaker = "icebreaker";
  for (
      const Case& c : {
          Case{versa, R"({"title": null})", "board.json: 'title' is missing"},
          Case{versa, R"({"titel": "x"})", "'titel' is no field here"},
          Case{versa, R"({"name": "versa"})", "'name' is no field here"},
          Case{versa, R"({"\u001b[2J": "x"})", "'?[2J' is no field here"},
          Case{versa, R"({"version": null})", "'version' is missing"},
          Case{versa, R"({"version": 1})", "'version' must be 2"},
          Case{versa, R"({"title": "\u001b[2J"})", "'title' must have"},
          Case{versa, R"({"seen": "perhaps"})", "'seen' must be emulated or hardware"},
          Case{versa, R"({"usb": {"vendor": "403"}})", "'vendor' must be text of 4 hexadecimal digits"},
          Case{versa, R"({"usb": {"vendor": 1027}})", "board.json, usb: 'vendor' must be text of 4 hex"},
          Case{versa, R"({"usb": {"channel": "C"}})", "'channel' must be A or B"},
          Case{versa, R"({"usb": {"text": "x"}})", "'text' is no field here"},
          Case{versa, R"({"usb": 5})", "is no object"},
          Case{versa, R"({"usb": {"strings": null}})", "board.json, usb: 'strings' is missing"},
          Case{versa, R"({"usb": {"strings": "Lattice"}})", "usb, strings: is no object"},
          Case{versa, R"({"usb": {"strings": {"product": null}}})", "usb, strings: 'product' is missing"},
          Case{versa, R"({"usb": {"strings": {"manufacturer": ""}}})", "strings: 'manufacturer' must have"},
          Case{versa, R"({"usb": {"strings": {"serial": "1"}}})", "usb, strings: 'serial' is no field here"},
          Case{versa, R"({"usb": {"prefix": "Versa"}})", "'prefix' must be how the product string begins"},
          Case{versa, R"({"jtag": {"clock_hz": 0}})", "'clock_hz' must be a number from 1000"},
          Case{versa, R"({"jtag": {"clock_hz": -1}})", "'clock_hz' must be a number from 1000"},
          Case{versa, R"({"jtag": {"idcodes": []}})", "'idcodes' is empty"},
          Case{versa, R"({"jtag": {"idcodes": ["8111304G"]}})", "'idcodes' must be text of 8"},
          Case{versa, R"({"jtag": {"fitted": null}})", "board.json, jtag: 'fitted' is missing"},
          Case{versa, R"({"jtag": {"fitted": "8111"}})", "'fitted' must be text of 8 hexadecimal digits"},
          Case{versa, R"({"jtag": {"fitted": "81113043"}})", "jtag: 'fitted' must be one of 'idcodes'"},
          Case{versa, R"({"jtag": null})", "needs either 'spi' or 'jtag'"},
          Case{versa, R"({"spi": {"clock_hz": 1000000, "select": 3}})", "needs either 'spi' or 'jtag'"},
          Case{icebreaker, R"({"spi": {"select": 2}})",
               "board.json, spi: 'select' must be a number from 3 to 7"},
          Case{icebreaker, R"({"spi": {"low": [7]}})", "'low' is no field here"},
          Case{icebreaker, R"({"spi": {"reset": 7}})", "'reset' is no list"},
          Case{icebreaker, R"({"spi": {"reset": [8]}})", "'reset' must be a number from 3 to 7"},
          Case{icebreaker, R"({"spi": {"reset": [4]}})", "'reset' holds the pin of 'select'"},
          Case{icebreaker, R"({"spi": {"reset": [6]}})", "'reset' holds the pin of 'done'"},
          Case{icebreaker, R"({"spi": {"reset": null}})", "'done' needs 'reset'"},
          Case{icebreaker, R"({"spi": {"done": "6"}})", "'done' must be a number from 3 to 7"},
          Case{icebreaker, R"({"spi": {"done": 2}})", "'done' must be a number from 3 to 7"},
          Case{icebreaker, R"({"spi": {"done": 4}})", "'done' is the pin of 'select'"},
          Case{versa, R"({"flash_bytes": 1048576})", "'flash_bytes' must be a number from"},
          Case{versa, R"({"flash_bytes": 1e30})", "'flash_bytes' must be a number from"},
          Case{versa, R"({"flash_bytes": 16777215})", "'flash_bytes' must be a power of two"},
          Case{versa, R"({"regions": []})", "has no region 'slot-a'"},
          Case{versa, R"({"regions": [{"name": "x", "offset": 100, "bytes": 4096}]})", "sector"},
          Case{
              versa,
              R"({"regions": [{"name": "x", "offset": 0, "bytes": 8192}, {"name": "y", "offset": 4096, "bytes": 4096}]})",
              "board.json, regions[1]: overlaps"},
          Case{versa, R"({"regions": [{"name": "x", "offset": 16773120, "bytes": 8192}]})",
               "beyond the chip"},
          Case{
              versa,
              R"({"regions": [{"name": "x", "offset": 0, "bytes": 4096}, {"name": "x", "offset": 4096, "bytes": 4096}]})",
              "two regions"},
          Case{
              versa,
              R"({"regions": [{"name": "slot-a", "offset": 0, "bytes": 4096}, {"name": "slot-b", "offset": 4096, "bytes": 4096}]})",
              "must have 1048576 bytes"},
          Case{versa, R"({"regions": "all"})", "'regions' is no list"},
      }) {
    Json json = shipped(c.board);
    json.merge_patch(Json::parse(c.patch));
    const fs::path board = write_board(folder.path, "wrong", json.dump());
    const std::string problem = problem_of(board);
    CAPTURE(c.patch);
    CAPTURE(problem);
    CHECK(problem.find(c.problem) != std::string::npos);
    CHECK(problem.starts_with((board / "board.json").string()));
  }
  const auto problem_of_text = [&](const std::string& text) {
    return problem_of(write_board(folder.path, "wrong", text));
  };
  CHECK(problem_of_text("{").find("no JSON") != std::string::npos);
  CHECK(problem_of_text("[]").find("no object") != std::string::npos);
  CHECK(problem_of_text(std::string(30'000, '[') + std::string(30'000, ']')).find("no JSON") !=
        std::string::npos);
  CHECK(problem_of_text(std::string(1 << 20, ' ')).find("too large") != std::string::npos);
  CHECK(problem_of(folder.path / "absent").find("cannot be read") != std::string::npos);
  fs::create_directories(folder.path / "pipe");
  REQUIRE(::mkfifo((folder.path / "pipe" / "board.json").c_str(), 0600) == 0);
  CHECK(problem_of(folder.path / "pipe").find("cannot be read") != std::string::npos);
  fs::create_directories(folder.path / "inside" / "board.json");
  CHECK(problem_of(folder.path / "inside").find("cannot be read") != std::string::npos);
}

TEST_CASE("names of boards stand in command lines and lists") {
  const common::Folder folder;
  const std::string good = shipped("versa").dump();
  for (const char* name : {"a", "Bench-7", "x_1.2"})
    CHECK(problem_of(write_board(folder.path, name, good)).empty());
  for (const std::string& name : {std::string("-x"), std::string(".x"), std::string("a,b"),
                                  std::string("a b"), std::string("\x1b[2J"), std::string(41, 'a')}) {
    const std::string problem = problem_of(write_board(folder.path, name, good));
    CHECK(problem.find("the folder's name is that of the board") != std::string::npos);
    CHECK(problem.find('\x1b') == std::string::npos);
  }
}

TEST_CASE("any bytes in place of others end in a board or in a message") {
  const common::Folder folder;
  std::mt19937_64 random(test_seed());
  for (const char* name : {"versa", "icebreaker"}) {
    const std::string good = shipped(name).dump();
    for (int round = 0; round < 1000; ++round) {
      std::string bad = good;
      for (unsigned changes = 1 + random() % 4; changes != 0; --changes)
        bad[random() % bad.size()] = static_cast<char>(random());
      static_cast<void>(problem_of(write_board(folder.path, "bad", bad)));
    }
  }
}

TEST_CASE("the user's boards come beside ours, and before them by name") {
  const common::Folder folder;
  Json mine = shipped("ecpix5");
  mine["title"] = "mine";
  write_board(folder.path, "ecpix5", mine.dump());
  write_board(folder.path, "new", mine.dump());
  std::ofstream(folder.path / "notes.txt") << "no board";
  fs::create_directories(folder.path / ".git");
  const auto ours = all_boards(kShipped, folder.path / "not-there");
  const auto boards = all_boards(kShipped, folder.path);
  CHECK(find_board(boards, "ecpix5").title == "mine");
  CHECK(find_board(boards, "new").source == folder.path / "new" / "board.json");
  CHECK(boards.size() == ours.size() + 1);

  REQUIRE(::setenv("XDG_CONFIG_HOME", folder.path.c_str(), 1) == 0);
  CHECK(user_folder() == folder.path / "swai" / "boards");
  REQUIRE(::unsetenv("XDG_CONFIG_HOME") == 0);
  REQUIRE(::setenv("HOME", folder.path.c_str(), 1) == 0);
  CHECK(user_folder() == folder.path / ".config" / "swai" / "boards");
}

TEST_CASE("what is no board is refused in a folder of boards") {
  const common::Folder folder;
  fs::create_directories(folder.path / "draft");
  CHECK(problem_of_all(kShipped, folder.path).find("draft/board.json: cannot be read") != std::string::npos);
  fs::remove(folder.path / "draft");
  CHECK(problem_of_all(kShipped, folder.path).empty());
  // As they were before each board had a folder.
  std::ofstream(folder.path / "mine.json") << R"({"version": 1, "boards": []})";
  const std::string problem = problem_of_all(kShipped, folder.path);
  CAPTURE(problem);
  CHECK(problem.starts_with((folder.path / "mine.json").string() + ": a board is a folder: move each entry"));
  CHECK(problem.find((folder.path / "NAME" / "board.json").string()) != std::string::npos);
  CHECK(problem_of_all(folder.path / "absent", folder.path / "not-there").find("is missing") !=
        std::string::npos);
}

}  // namespace
}  // namespace swai::boards
