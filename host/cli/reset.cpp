// swai reset: whatever the firmware does, the card begins anew.
#include <fmt/format.h>

#include "host/cli/commands.hpp"
#include "host/link/card.hpp"

namespace swai::cli {
namespace {

int reset(const Cli& cli) {
  const std::string& sockets = cli.options().card;
  if (sockets.empty())
    throw Error(kBadInput,
                "which card? --card SOCKET or SWAI_CARD tells; a card that would be started is new anyway");
  Json report = {{"cards", Json::array()}};
  for (const std::string& socket : CLI::detail::split(sockets, ',')) {
    try {
      const auto card = link::Card::open(socket);
      card->reset();
      card->close();
    } catch (const link::Error& error) {
      const bool lost = error.kind() == link::ErrorKind::kLost || error.kind() == link::ErrorKind::kTimedOut;
      throw Error(lost ? kCardLost : kNoCard, error.what());
    }
    report["cards"].push_back(socket);
    if (!cli.options().json) fmt::print("{}: reset\n", socket);
  }
  if (cli.options().json) cli.print(report);
  return kDone;
}

}  // namespace

void add_reset(Cli& cli) {
  cli.add("reset", "reset a card that runs, whatever its firmware does", [&cli] { return reset(cli); });
}

}  // namespace swai::cli
