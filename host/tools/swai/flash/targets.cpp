// SPDX-License-Identifier: Apache-2.0
// Which boards a command of `swai flash` works with.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "host/lib/words.hpp"
#include "host/tools/cli/places.hpp"
#include "host/tools/cli/started_card.hpp"
#include "host/tools/flash/card_spi.hpp"
#include "host/tools/flash/file_programmer.hpp"
#include "host/tools/flash/spi_nor.hpp"
#include "host/tools/flash/usb_boards.hpp"
#include "host/tools/swai/flash/flash.hpp"

namespace swai::cli {
namespace {

using flash::BoardError;
using flash::Trouble;

// A file alone does not tell whose it is; the slots of all our boards are where the boot ROM has them.
constexpr const char* kUsualBoard = "ecpix5";

constexpr std::string_view kFile = "file:";
constexpr std::string_view kEmulated = "emulated:";

using Boards = std::vector<boards::Board>;
using Opener = std::function<Target()>;

Target open_file(const FlashWish& wish, const Boards& boards) {
  const std::string path = wish.programmer.substr(kFile.size());
  Target target;
  target.name = fmt::format("file {}", path);
  target.board = boards::find_board(boards, wish.board.empty() ? kUsualBoard : wish.board);
  target.programmer = std::make_unique<flash::FileProgrammer>(path);
  return target;
}

Target open_card(const std::string& socket, const FlashWish& wish, const Boards& boards) {
  auto bus = std::make_unique<flash::CardSpi>(socket);
  Target target;
  target.name = fmt::format("card {}", socket);
  target.board = boards::find_board(boards, wish.board.empty() ? kUsualBoard : wish.board);
  target.running = bus->running();
  target.programmer = std::make_unique<flash::SpiNor>(std::move(bus));
  return target;
}

std::vector<Opener> card_openers(const Options& options, const FlashWish& wish, const Boards& boards) {
  const auto sockets = CLI::detail::split(options.card, ',');
  if (options.card.empty()) throw Error(kBadInput, "which card? --card SOCKET or SWAI_CARD tells");
  if (sockets.size() > 1 && !wish.all)
    throw Error(kBadInput, fmt::format("{} cards are named; --all takes all", sockets.size()));
  std::vector<Opener> openers;
  for (const std::string& socket : sockets) {
    openers.emplace_back([socket, &wish, &boards] { return open_card(socket, wish, boards); });
  }
  return openers;
}

const boards::Board& kind_of(const flash::PluggedBoard& plugged, const FlashWish& wish,
                             const Boards& boards) {
  if (plugged.place.problem) throw *plugged.place.problem;
  if (wish.board.empty()) {
    if (plugged.kinds.size() == 1) return *plugged.kinds.front();
    std::string names;
    for (const boards::Board* kind : plugged.kinds) names += (names.empty() ? "" : ", ") + kind->name;
    throw BoardError(Trouble::kNoBoard,
                     fmt::format("{} says '{}', which does not tell what board it is; --board does: {}",
                                 name_of(plugged.place), plugged.place.text, names));
  }
  const boards::Board& wanted = boards::find_board(boards, wish.board);
  if (plugged.is_sure && std::ranges::find(plugged.kinds, &wanted) == plugged.kinds.end()) {
    throw BoardError(Trouble::kWrongBoard,
                     fmt::format("{} is a {}, not a {}; nothing was done", name_of(plugged.place),
                                 plugged.kinds.front()->title, wanted.title));
  }
  return wanted;
}

Target open_plugged(const flash::PluggedBoard& plugged, const FlashWish& wish, const Boards& boards) {
  Target target;
  target.name = name_of(plugged.place);
  target.board = kind_of(plugged, wish, boards);
  target.programmer = open_board(plugged.place, target.board);
  return target;
}

std::vector<Opener> plugged_openers(const FlashWish& wish, const Boards& boards) {
  auto plugged = flash::plugged_boards(boards);
  if (plugged.empty()) {
    throw BoardError(Trouble::kNoBoard,
                     "no board is plugged in; swai flash list shows which boards are known, --programmer "
                     "emulated:FILE needs none");
  }
  if (!wish.serial.empty()) {
    // Of a board that cannot be opened nobody knows its number.
    for (const auto& is : plugged) {
      if (is.place.problem) throw *is.place.problem;
    }
    std::erase_if(plugged, [&](const auto& is) { return is.place.serial != wish.serial; });
    if (plugged.empty()) {
      throw BoardError(Trouble::kNoBoard,
                       fmt::format("no board has the serial number {}; swai flash list", wish.serial));
    }
  }
  if (plugged.size() > 1 && !wish.all) {
    std::string names;
    for (const auto& is : plugged) names += (names.empty() ? "" : "; ") + name_of(is.place);
    throw BoardError(Trouble::kNoBoard,
                     fmt::format("{} boards are plugged in ({}); --serial chooses one, --all takes all",
                                 plugged.size(), names));
  }
  std::vector<Opener> openers;
  for (auto& is : plugged)
    openers.emplace_back([is, &wish, &boards] { return open_plugged(is, wish, boards); });
  return openers;
}

// The same command again, for the board that an emulator has on its USB port.
[[noreturn]] void become_emulated(const FlashWish& wish) {
  const std::string file = wish.programmer.substr(kEmulated.size());
  const std::string board = wish.board.empty() ? kUsualBoard : wish.board;
  const std::string emulator = places().emulator;
  std::ifstream self("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words = {emulator, "--board", board,
                                    file,     "--",      std::filesystem::read_symlink("/proc/self/exe")};
  std::string word;
  for (std::getline(self, word, '\0'); std::getline(self, word, '\0');) {
    const size_t at = word.find(kEmulated);
    words.push_back(at == std::string::npos ? word : word.substr(0, at) + "usb");
  }
  if (wish.board.empty()) words.insert(words.end(), {"--board", board});
  StartedCard::take_signals();
  const common::Words list(words);
  ::execv(emulator.c_str(), list.data());
  throw Error(kBadInput, fmt::format("{}: {}; make build/swai-usb-board, or `make install` with it", emulator,
                                     std::strerror(errno)));
}

// Each opens one target, so that a board that cannot be opened does not stand in the way of others.
std::vector<Opener> openers(const Options& options, const FlashWish& wish, const Boards& boards) {
  if (wish.programmer == "card") return card_openers(options, wish, boards);
  if (wish.programmer == "usb") return plugged_openers(wish, boards);
  if (wish.programmer.starts_with(kFile)) return {[&] { return open_file(wish, boards); }};
  if (wish.programmer.starts_with(kEmulated)) become_emulated(wish);
  throw Error(kBadInput,
              fmt::format("there is no programmer '{}'; there are usb, card, file:FILE, emulated:FILE",
                          wish.programmer));
}

}  // namespace

ExitCode code_of(flash::Trouble trouble) {
  using enum flash::Trouble;
  switch (trouble) {
    case kNoBoard:
    case kNoPermission:
    case kBusy:
    case kWrongBoard:
    case kUnknownChip:
      return kNoCard;
    case kGone:
    case kNoAnswer:
      return kCardLost;
    case kRefused:
      return kBadInput;
    case Trouble::kFailed:
      return ExitCode::kFailed;
  }
  return ExitCode::kFailed;
}

int for_targets(const Cli& cli, const FlashWish& wish,
                const std::function<int(Target& target, Json& report)>& action) {
  const Boards boards = boards::known_boards();
  Json reports = Json::array();
  int code = kDone;
  try {
    for (const Opener& open : openers(cli.options(), wish, boards)) {
      Json report = Json::object();
      try {
        Target target = open();
        report["target"] = target.name;
        report["board"] = target.board.name;
        report["chip"] = target.programmer->description();
        const int result = action(target, report);
        if (code == kDone) code = result;
      } catch (const BoardError& error) {
        if (!wish.all) throw;
        fmt::print(stderr, "swai: {}\n", error.what());
        report["error"] = error.what();
        report["exit_code"] = int{code_of(error.trouble())};
        if (code == kDone) code = code_of(error.trouble());
      }
      reports.push_back(std::move(report));
    }
  } catch (const BoardError& error) {
    throw Error(code_of(error.trouble()), error.what());
  }
  if (cli.options().json) cli.print({{"boards", reports}});
  return code;
}

}  // namespace swai::cli
