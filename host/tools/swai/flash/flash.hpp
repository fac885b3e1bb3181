// SPDX-License-Identifier: Apache-2.0
// swai flash: what its commands share.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/lib/boards.hpp"
#include "host/tools/cli/cli.hpp"
#include "host/tools/flash/board_error.hpp"
#include "host/tools/flash/contents.hpp"
#include "host/tools/flash/execute.hpp"
#include "host/tools/flash/programmer.hpp"

namespace swai::cli {

struct FlashWish {
  std::string programmer = "usb";
  std::string board;
  std::string serial;
  bool all = false;
  bool dry_run = false;
  std::string file;  // image, or contents
  std::string slot;
  std::string region;
  bool downgrade = false;
  bool allow_protected = false;

  std::optional<image::Slot> wanted_slot() const;
};

// A board whose chip can be reached.
struct Target {
  std::string name;  // where it is: "usb 1-4, serial FT4ABC", "file card.flash"
  boards::Board board;
  std::unique_ptr<flash::Programmer> programmer;
  std::optional<image::Slot> running;  // what a card that is switched on runs
};

// Opens what the wish names, one after the other, and lets `action` work with it; with --all what fails does
// not keep the others from their turn. `action` adds to the report of its target and gives an exit code.
// Prints the reports with --json. Returns the first exit code that is not 0.
int for_targets(const Cli& cli, const FlashWish& wish,
                const std::function<int(Target& target, Json& report)>& action);

// The exit code for a trouble.
ExitCode code_of(flash::Trouble trouble);

// Of chip and slots.
Json describe(const flash::Contents& contents);
void print_lines(const Cli& cli, const std::vector<std::string>& lines);

int flash_list(const Cli& cli);
int flash_info(const Cli& cli, const FlashWish& wish);
int flash_write(const Cli& cli, const FlashWish& wish);
int flash_verify(const Cli& cli, const FlashWish& wish);
int flash_read(const Cli& cli, const FlashWish& wish);
int flash_erase(const Cli& cli, const FlashWish& wish);
int flash_rollback(const Cli& cli, const FlashWish& wish);
int flash_doctor(const Cli& cli);

}  // namespace swai::cli
