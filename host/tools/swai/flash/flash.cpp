// SPDX-License-Identifier: Apache-2.0
// swai flash: the table of its commands and options.
#include "host/tools/swai/flash/flash.hpp"

#include "host/tools/cli/started_card.hpp"
#include "host/tools/swai/commands.hpp"

namespace swai::cli {
namespace {

constexpr const char* kExamples =
    R"(The image: build/firmware/kernel.img, which `make firmware` builds; installed: lib/swai/firmware/kernel.img.
A board has two slots. A new image goes into the one that the card does not need; it stays only when the card has booted it and
passed its self-test, else the card goes back by itself. An update that is interrupted leaves the old version as it was.

Programmers:
  usb            boards that are plugged in (the default)
  card           the running card of --card, through PCIe, also when its firmware is dead
  file:FILE      flash contents in a file, as swai-card boots them
  emulated:FILE  the same file behind an emulated board (--board) on an emulated USB: a try without hardware

Exit codes:
  0    done, or there was nothing to do
  1    the chip does not keep what was written, or is not what it was compared with
  2    wrong usage or file; refused, because it would do harm
  3    no board, or it cannot be opened: permission, another program, another board, an unknown chip
  4    the board was unplugged or does not answer
  130  interrupted: the sector was finished, the board's state was told

Examples:
  swai flash doctor
  swai flash write build/firmware/kernel.img --dry-run
  swai flash write build/firmware/kernel.img
  swai flash --programmer emulated:try.flash --board ecpix5 write build/firmware/kernel.img
  swai flash info)";

}  // namespace

std::optional<image::Slot> FlashWish::wanted_slot() const {
  if (slot.empty()) return std::nullopt;
  return slot == "a" ? image::Slot::kA : image::Slot::kB;
}

void add_flash(Cli& cli) {
  const auto wish = std::make_shared<FlashWish>();
  const auto action = std::make_shared<std::function<int()>>();
  CLI::App* const flash = cli.add(
      "flash", "put firmware images onto boards, and look at what is there", [action] { return (*action)(); },
      kExamples);
  flash->require_subcommand(1);
  flash->add_option("--programmer", wish->programmer, "the way to the chip")
      ->type_name("NAME")
      ->default_str("usb");
  flash
      ->add_option("--board", wish->board, "kind of board; needed where it cannot be told from its USB texts")
      ->type_name("NAME");
  flash->add_option("--serial", wish->serial, "the board with this serial number")->type_name("TEXT");
  flash->add_flag("--all", wish->all, "all boards, one after the other");

  const auto add = [&](const std::string& name, const std::string& what, std::function<int()> does) {
    CLI::App* const command = flash->add_subcommand(name, what);
    command->fallthrough();
    command->get_formatter()->column_width(34);
    command->callback([action, does = std::move(does)] { *action = does; });
    return command;
  };
  const auto with_slot = [&](CLI::App* command, const std::string& what) {
    return command->add_option("--slot", wish->slot, what)
        ->transform(CLI::IsMember({"a", "b"}, CLI::ignore_case))
        ->type_name("A|B");
  };
  const auto with_region = [&](CLI::App* command, const std::string& what) {
    return command->add_option("--region", wish->region, what)->type_name("NAME");
  };
  const auto with_changes = [&](CLI::App* command) {
    command->add_flag("--dry-run", wish->dry_run, "show what would be done, and do nothing");
  };
  const auto with_protected = [&](CLI::App* command) {
    command->add_flag("--allow-protected", wish->allow_protected,
                      "also a region that the board needs to start, such as its bitstream");
  };

  add("list", "boards that are plugged in, and boards that are known", [&cli] { return flash_list(cli); });
  add("info", "what is on the chip, what the card will boot, and why",
      [&cli, wish] { return flash_info(cli, *wish); });

  CLI::App* const write = add("write", "an image into the slot that the card does not need",
                              [&cli, wish] { return flash_write(cli, *wish); });
  write
      ->add_option("FILE", wish->file,
                   "image, such as build/firmware/kernel.img; with --region, any contents")
      ->required();
  auto* const write_slot = with_slot(write, "this slot, if the card does not need it");
  with_region(write, "raw contents into a region of the chip")->excludes(write_slot);
  write->add_flag("--downgrade", wish->downgrade, "also an older version than the one that is there");
  with_protected(write);
  with_changes(write);

  CLI::App* const verify = add("verify", "compare an image with what is on the chip",
                               [&cli, wish] { return flash_verify(cli, *wish); });
  verify->add_option("FILE", wish->file, "image; with --region, any contents")->required();
  auto* const verify_slot = with_slot(verify, "in this slot, not the one that the card boots");
  with_region(verify, "raw contents of a region")->excludes(verify_slot);

  CLI::App* const read =
      add("read", "the chip's contents into a file", [&cli, wish] { return flash_read(cli, *wish); });
  read->add_option("FILE", wish->file, "file to write")->required();
  with_region(read, "a region only, slot-a for example");

  CLI::App* const erase =
      add("erase", "erase a slot or a region", [&cli, wish] { return flash_erase(cli, *wish); });
  auto* const erase_slot = with_slot(erase, "a slot that the card does not need");
  with_region(erase, "a region")->excludes(erase_slot);
  with_protected(erase);
  with_changes(erase);

  CLI::App* const rollback = add("rollback", "back to the version in the other slot, from the next reset on",
                                 [&cli, wish] { return flash_rollback(cli, *wish); });
  with_changes(rollback);

  add("doctor", "whether boards can be reached, and what to do where not",
      [&cli] { return flash_doctor(cli); });
}

}  // namespace swai::cli
