// swai reset: whatever the firmware does, the card begins anew.
#include <fmt/format.h>

#include "host/cli/commands.hpp"
#include "host/link/card.hpp"
#include "host/sdaa/bars.hpp"
#include "host/sdaa/error.hpp"
#include "host/sdaa/firmware.hpp"

namespace swai::cli {
namespace {

constexpr const char* kExamples =
    R"(The link, the processor and the core groups are reset; the command ends when the firmware serves again. Of a card that a
daemon shares, this is refused while other programs use it.

Example:
  swai --card card.sock reset)";

void reset_card(const std::string& socket) {
  try {
    const auto card = link::Card::open(socket);
    const auto starts = [&card] {
      return card->read<uint64_t>(sdaa::kControlBar, sdaa::shared_word(protocol::word::kLife));
    };
    const uint64_t before = starts();
    card->reset();
    sdaa::find_firmware(*card, sdaa::Limits{}, sdaa::Restart::kYes);
    if (starts() == before) throw Error(kFailed, fmt::format("{}: other programs use this card", socket));
    card->close();
  } catch (const sdaa::Failure& failure) {
    throw Error(kCardLost, fmt::format("{}: {}", socket, failure.what()));
  } catch (const link::Error& error) {
    const bool lost = error.kind() == link::ErrorKind::kLost || error.kind() == link::ErrorKind::kTimedOut;
    throw Error(lost ? kCardLost : kNoCard, error.what());
  }
}

int reset(const Cli& cli) {
  const std::string& sockets = cli.options().card;
  if (sockets.empty())
    throw Error(kBadInput,
                "which card? --card SOCKET or SWAI_CARD tells; a card that would be started is new anyway");
  Json report = {{"cards", Json::array()}};
  for (const std::string& socket : CLI::detail::split(sockets, ',')) {
    reset_card(socket);
    report["cards"].push_back(socket);
    if (!cli.options().json) fmt::print("{}: reset\n", socket);
  }
  if (cli.options().json) cli.print(report);
  return kDone;
}

}  // namespace

void add_reset(Cli& cli) {
  cli.add(
      "reset", "reset a card that runs, whatever its firmware does", [&cli] { return reset(cli); },
      kExamples);
}

}  // namespace swai::cli
