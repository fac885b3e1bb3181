// SPDX-License-Identifier: Apache-2.0
// swai reset: whatever the firmware does, the card begins anew.
#include <fmt/format.h>

#include <optional>

#include "card_regs.hpp"
#include "host/runtime/bars.hpp"
#include "host/runtime/connection.hpp"
#include "host/runtime/error.hpp"
#include "host/runtime/firmware.hpp"
#include "host/tools/swai/commands.hpp"
#include "host/transport/card.hpp"

namespace swai::cli {
namespace {

constexpr const char* kExamples =
    R"(The link, the processor and the core groups are reset; the command ends when the firmware serves again. Of a card that a
daemon shares, this is refused while other programs use it.

Example:
  swai --card card.sock reset)";

uint64_t starts(link::Card& card) {
  return card.read<uint64_t>(sdaa::kControlBar, sdaa::shared_word(protocol::word::kLife));
}

// A daemon shows its clients a few registers only.
bool is_shared(link::Card& card) {
  try {
    card.read<uint64_t>(sdaa::kControlBar, regs::pcie::reset_status::kOffset);
    return false;
  } catch (const link::Error& error) {
    if (error.kind() != link::ErrorKind::kRefused) throw;
    return true;
  }
}

void reset_card(const std::string& socket) {
  try {
    auto card = link::Card::open(socket);
    const uint64_t before = starts(*card);
    card->reset();
    link::Card* reached = card.get();
    // The daemon does it for who is attached.
    std::optional<sdaa::Connection> attached;
    if (is_shared(*card)) {
      attached.emplace(std::move(card), sdaa::Limits{}, sdaa::Restart::kIfStopped);
      reached = &attached->card();
    }
    link::Card& used = *reached;
    sdaa::find_firmware(used, sdaa::Limits{}, sdaa::Restart::kYes);
    if (starts(used) == before) throw Error(kFailed, fmt::format("{}: other programs use this card", socket));
    used.close();
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
