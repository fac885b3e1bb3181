// SPDX-License-Identifier: Apache-2.0
#include "sim/board/usb/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iterator>

#include "build/gen/version.hpp"

namespace swai::usb {
namespace {

constexpr const char* kIntroduction =
    R"(Runs COMMAND in a machine that has an emulated board on its USB port: an FT2232H, and
behind it a SPI flash chip whose cells are FLASHFILE, the file from which swai-card boots.
COMMAND, whatever it starts, and the libusb that they use see a USB device; it needs no
rights and no hardware. With several files there are as many boards.)";

constexpr const char* kFaults = R"(Faults, each once per --fault; N counts from 1, NUMBERS may be 0x...:
  unplug=transfer:N[:BYTES]   the cable is out when so many bytes of transfer N have passed; the board has power of its own
  stall=transfer:N            transfer N ends with a stall; a bulk endpoint stays halted until that is cleared
  error=transfer:N            transfer N ends with a protocol error
  timeout=transfer:N          transfer N never ends
  nak=transfer:N[:MS]         transfer N begins so many emulated milliseconds later
  short=transfer:N[:BYTES]    transfer N ends after so many bytes; the rest is not taken, or comes with the next one
  random=TRANSFERS            one of these, by the seed, at a transfer from 1 to TRANSFERS
  cut=byte:N                  power goes while byte N of all that are programmed or erased is being changed
  cut=operation:N[:PROGRESS]  power goes in operation N (program, erase, write status), done so far (0 to 1, default 0.5)
  worn=ADDRESS[:BITS[:ERASES]]  the next ERASES erases (all) of the 4 KiB sector there leave up to BITS bits (3) at 0
  stuck=ADDRESS:BIT:VALUE     a cell that is always 0 or 1
  data-line=VALUE             the chip's output is always 0 or 1
  claimed                     another program holds the interfaces
  detach-refused              the kernel does not let its driver go
  no-access                   the device node may not be opened

Examples:
  swai-usb-board card.flash -- flashrom -p ft2232_spi:type=2232H -r copy.bin
  swai-usb-board --board ecpix5 --report usage.json card.flash -- swai flash info
  swai-usb-board --fault cut=byte:5000 card.flash -- swai flash write image.bin

Exit codes: that of COMMAND; 128 and its number when a signal ended it; 127 when it cannot be run;
2 when a flash file cannot be read or written, before COMMAND or while it runs (the board is gone for it then),
or a board.json is wrong, or has no such name; 125 when there is no board for another reason: bad usage, say.)";

struct ChipKind {
  const char* name;
  const char* what;
  uint8_t manufacturer;
  uint8_t memory_type;
  bool sfdp;
  bool absent;
};

constexpr std::array<ChipKind, 4> kChips = {{
    {"w25q", "a Winbond W25Q (the default)", 0xEF, 0x40, true, false},
    {"unknown", "one with an id that nobody knows, and true tables (SFDP)", 0x7A, 0x55, true, false},
    {"no-sfdp", "one with an id that nobody knows, and no tables", 0x7A, 0x55, false, false},
    {"none", "nothing is soldered there", 0xFF, 0xFF, false, true},
}};

template <typename Kinds, typename What>
std::string list(const std::string& head, const Kinds& kinds, What what) {
  std::string text = head;
  for (const auto& kind : kinds) text += fmt::format("\n{:<11}{}", kind.name, what(kind));
  return text;
}

std::string board_list() {
  std::string text = "Boards (those of users are in " + boards::user_folder().string() + "):\n";
  for (const boards::Board& board : boards::known_boards())
    text += fmt::format("  {:<27} {}\n", board.name, board.title);
  return text + "\n";
}

CLI::Validator one_of(const auto& kinds) {
  std::vector<std::string> names;
  for (const auto& kind : kinds) names.emplace_back(kind.name);
  return CLI::IsMember(names);
}

NorOptions nor_options(const std::string& chip, double speed, uint64_t seed, const FaultPlan& faults) {
  const ChipKind& kind = *std::ranges::find(kChips, chip, &ChipKind::name);
  return {.chip = {.times = card::FlashTimes{}.faster(speed),
                   .seed = seed,
                   .manufacturer = kind.manufacturer,
                   .memory_type = kind.memory_type,
                   .sfdp = kind.sfdp,
                   .defects = faults.defects,
                   .begins = {}},
          .absent = kind.absent,
          .data_line = faults.data_line};
}

}  // namespace

std::optional<int> parse_options(int argc, char** argv, Options& options) {
  CLI::App app(kIntroduction, "swai-usb-board");
  app.footer([] { return board_list() + kFaults; });
  app.set_version_flag("--version", std::string("swai-usb-board ") + kVersion);

  std::vector<std::string> names = {"ft2232h"};
  std::vector<std::string> serials;
  std::vector<std::string> faults;
  std::string chip = kChips[0].name;
  double speed = 1;
  uint64_t seed = 1;
  app.add_option("--board", names,
                 "which board, one of those below; with several, one for each file, the last for the rest\n"
                 "(default ft2232h)")
      ->delimiter(',')
      ->take_all()
      ->expected(1)
      ->type_name("NAME[,NAME...]");
  app.add_option("--serial", serials, "serial numbers of the boards (default SWAI0001 and so on)")
      ->check([](const std::string& text) {
        const auto odd = [](char c) { return c <= ' ' || c > '~'; };
        return text.size() > 30 || std::ranges::any_of(text, odd) ? "at most 30 printable characters" : "";
      })
      ->delimiter(',')
      ->take_all()
      ->expected(1)
      ->type_name("TEXT[,TEXT...]");
  app.add_option("--chip", chip,
                 list("which flash chip:", kChips, [](const ChipKind& kind) { return kind.what; }))
      ->check(one_of(kChips))
      ->type_name("NAME");
  app.add_option("--flash-size", options.flash_size,
                 "size of the chip, 1M to 16M, a power of two (default: that of the file; for a new one that "
                 "of\nthe board, at most 16M)")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("BYTES");
  app.add_option("--flash-speed", speed, "the chip programs and erases N times as fast (default 1)")
      ->check(CLI::Range(1.0, 1e9))
      ->type_name("N");
  app.add_option("--fault", faults, "what goes wrong, with the first board; see below")
      ->take_all()
      ->expected(1)
      ->type_name("FAULT");
  app.add_option("--seed", seed, "chooses what a fault leaves open (default 1)")->type_name("N");
  app.add_flag("--wall-clock", options.wall_clock,
               "time passes for the board also while COMMAND does something else: for programs that sleep\n"
               "until the chip is done. What happens is then no longer the same every time");
  app.add_option("--report", options.report, "write what happened as JSON")->type_name("FILE");
  app.add_option("FLASHFILE", options.files, "the chip's contents; created, erased, when missing")
      ->required();

  char** const end = argv + argc;
  char** const dashes = std::find(argv, end, std::string("--"));
  if (dashes != end) options.command.assign(dashes + 1, end);
  try {
    app.parse(static_cast<int>(dashes - argv), argv);
    if (options.command.empty()) throw CLI::RequiredError("-- COMMAND");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitFailed;
  }

  const std::vector<boards::Board> known = boards::known_boards();
  FaultPlan plan;
  for (const std::string& fault : faults) add_fault(plan, fault, seed);
  for (size_t i = 0; i < options.files.size(); ++i) {
    const FaultPlan& mine = i == 0 ? plan : FaultPlan{};
    options.boards.push_back({.kind = boards::find_board(known, names[std::min(i, names.size() - 1)]),
                              .serial = i < serials.size() ? serials[i] : fmt::format("SWAI{:04}", i + 1),
                              .nor = nor_options(chip, speed, seed + i, mine),
                              .faults = mine});
  }
  return std::nullopt;
}

}  // namespace swai::usb
