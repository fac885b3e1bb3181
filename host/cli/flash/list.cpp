// swai flash list: boards that are plugged in, boards that are known.
#include <fmt/format.h>

#include "host/cli/flash/flash.hpp"
#include "host/cli/table.hpp"

namespace swai::cli {

int flash_list(const Cli& cli) {
  const auto boards = known_boards();
  if (cli.options().json) {
    Json known = Json::array();
    for (const flash::Board& board : boards) {
      known.push_back({{"name", board.name},
                       {"title", board.title},
                       {"seen", board.seen},
                       {"interface", board.jtag ? "jtag" : "spi"},
                       {"flash_bytes", board.flash_bytes},
                       {"remark", board.remark},
                       {"file", board.source}});
    }
    cli.print({{"known", known}});
    return kDone;
  }
  Table known({"board", "what", "through", ">flash", "seen", "remark"});
  for (const flash::Board& board : boards) {
    known.add({board.name, board.title, board.jtag ? "JTAG" : "SPI", size_text(board.flash_bytes),
               board.seen == "hardware" ? "on hardware" : "emulated", board.remark});
  }
  fmt::print("{}", known.text());
  return kDone;
}

}  // namespace swai::cli
