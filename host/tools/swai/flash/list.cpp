// SPDX-License-Identifier: Apache-2.0
// swai flash list: boards that are plugged in, boards that are known.
#include <fmt/format.h>

#include "host/tools/cli/table.hpp"
#include "host/tools/flash/usb_boards.hpp"
#include "host/tools/swai/flash/flash.hpp"

namespace swai::cli {
namespace {

std::string kinds_of(const flash::PluggedBoard& plugged) {
  std::string names;
  for (const boards::Board* kind : plugged.kinds) names += (names.empty() ? "" : " or ") + kind->name;
  return names;
}

Json describe(const flash::PluggedBoard& plugged) {
  Json entry = {{"usb", plugged.place.path},
                {"serial", plugged.place.serial},
                {"text", plugged.place.text},
                {"boards", Json::array()}};
  for (const boards::Board* kind : plugged.kinds) entry["boards"].push_back(kind->name);
  if (plugged.place.problem) entry["problem"] = plugged.place.problem->what();
  return entry;
}

Json describe(const boards::Board& board) {
  return {{"name", board.name},
          {"title", board.title},
          {"seen", board.seen},
          {"interface", board.jtag ? "jtag" : "spi"},
          {"flash_bytes", board.flash_bytes},
          {"remark", board.remark},
          {"file", board.source}};
}

}  // namespace

int flash_list(const Cli& cli) {
  const auto boards = boards::known_boards();
  const auto plugged = flash::plugged_boards(boards);
  if (cli.options().json) {
    Json report = {{"plugged", Json::array()}, {"known", Json::array()}};
    for (const auto& one : plugged) report["plugged"].push_back(describe(one));
    for (const auto& board : boards) report["known"].push_back(describe(board));
    cli.print(report);
    return kDone;
  }
  Table there({"usb", "serial", "says", "board"});
  for (const auto& one : plugged) {
    there.add({one.place.path, one.place.serial,
               one.place.problem ? one.place.problem->what() : one.place.text, kinds_of(one)});
  }
  fmt::print("{}\n", plugged.empty() ? "no board is plugged in\n" : there.text());
  Table known({"known board", "what", "through", ">flash", "seen", "remark"});
  for (const boards::Board& board : boards) {
    known.add({board.name, board.title, board.jtag ? "JTAG" : "SPI", size_text(board.flash_bytes),
               board.seen == "hardware" ? "on hardware" : "emulated", board.remark});
  }
  fmt::print("{}", known.text());
  return kDone;
}

}  // namespace swai::cli
