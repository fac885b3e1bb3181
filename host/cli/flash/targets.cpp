// Which boards a command of `swai flash` works with.
#include <fmt/format.h>

#include <algorithm>

#include "host/cli/flash/flash.hpp"
#include "host/cli/places.hpp"
#include "host/flash/file_programmer.hpp"

namespace swai::cli {
namespace {

using flash::BoardError;

// A file alone does not tell whose it is; the slots of all our boards are where the boot ROM has them.
constexpr const char* kUsualBoard = "ecpix5";

constexpr std::string_view kFile = "file:";

Target open_file(const FlashWish& wish, const std::vector<flash::Board>& boards) {
  const std::string path = wish.programmer.substr(kFile.size());
  Target target;
  target.name = fmt::format("file {}", path);
  target.board = flash::find_board(boards, wish.board.empty() ? kUsualBoard : wish.board);
  target.programmer = std::make_unique<flash::FileProgrammer>(path);
  return target;
}

// Each opens one target, so that a board that cannot be opened does not stand in the way of others.
std::vector<std::function<Target()>> openers(const FlashWish& wish, const std::vector<flash::Board>& boards) {
  if (wish.programmer.starts_with(kFile)) return {[&] { return open_file(wish, boards); }};
  throw Error(kBadInput,
              fmt::format("there is no programmer '{}'; there are usb, card, file:FILE, emulated:FILE",
                          wish.programmer));
}

}  // namespace

std::vector<flash::Board> known_boards() {
  return flash::all_boards(places().boards, flash::user_boards_folder());
}

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
    case kFailed:
      return ExitCode::kFailed;
  }
  return ExitCode::kFailed;
}

int for_targets(const Cli& cli, const FlashWish& wish,
                const std::function<int(Target& target, Json& report)>& action) {
  const auto boards = known_boards();
  Json reports = Json::array();
  int code = kDone;
  const auto failed = [&](ExitCode why, const std::string& message, Json& report) {
    if (!wish.all) throw Error(why, message);
    fmt::print(stderr, "swai: {}\n", message);
    report["error"] = message;
    report["exit_code"] = int{why};
    if (code == kDone) code = why;
  };
  for (const auto& open : openers(wish, boards)) {
    Json report = Json::object();
    try {
      Target target = open();
      report["target"] = target.name;
      report["board"] = target.board.name;
      report["chip"] = target.programmer->description();
      const int result = action(target, report);
      if (code == kDone) code = result;
    } catch (const BoardError& error) {
      failed(code_of(error.trouble()), error.what(), report);
    }
    reports.push_back(std::move(report));
  }
  if (cli.options().json) cli.print({{"boards", reports}});
  return code;
}

}  // namespace swai::cli
