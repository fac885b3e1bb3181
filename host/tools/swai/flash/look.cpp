// SPDX-License-Identifier: Apache-2.0
// swai flash info, verify, read: nothing on the chip changes.
#include <fmt/format.h>

#include <algorithm>

#include "host/tools/cli/progress.hpp"
#include "host/tools/cli/table.hpp"
#include "host/tools/flash/flash_file.hpp"
#include "host/tools/flash/image.hpp"
#include "host/tools/swai/flash/flash.hpp"

namespace swai::cli {

using image::Slot;

namespace {

// What is read at once: often enough for the progress, rarely enough for speed.
constexpr size_t kPiece = size_t{256} << 10;

flash::Bytes read_chip(const Cli& cli, Target& target, uint32_t offset, size_t bytes,
                       const std::string& what) {
  Progress progress(!cli.options().quiet, what);
  flash::Bytes contents(bytes);
  for (size_t at = 0; at < bytes; at += kPiece) {
    target.programmer->read(offset + static_cast<uint32_t>(at),
                            std::span(contents).subspan(at, std::min(kPiece, bytes - at)));
    progress.reached(static_cast<double>(at + kPiece) / static_cast<double>(bytes));
  }
  return contents;
}

Json letter_or_null(std::optional<Slot> slot) {
  return slot ? Json(std::string(1, static_cast<char>(letter(*slot) + ('a' - 'A')))) : Json(nullptr);
}

struct Piece {
  uint32_t offset;
  uint32_t bytes;
};

Piece wanted_piece(const FlashWish& wish, const Target& target) {
  if (wish.region.empty()) return {0, target.programmer->geometry().bytes};
  const boards::Region& region = boards::find_region(target.board, wish.region);
  return {region.offset, region.bytes};
}

bool compare(const Cli& cli, const std::string& what, std::span<const uint8_t> wanted,
             std::span<const uint8_t> present, Json& report) {
  const auto [bad, unused] = std::ranges::mismatch(wanted, present);
  const bool same = bad == wanted.end();
  report["same"] = same;
  if (!same) report["first_difference"] = bad - wanted.begin();
  const std::string verdict =
      same ? "the same" : fmt::format("different, from byte {:#x} on", bad - wanted.begin());
  print_lines(cli, {fmt::format("{}: {}", what, verdict)});
  return same;
}

}  // namespace

void print_lines(const Cli& cli, const std::vector<std::string>& lines) {
  if (cli.options().json) return;
  for (const std::string& line : lines) fmt::print("{}\n", line);
}

Json describe(const flash::Contents& contents) {
  Json report = {{"boots", letter_or_null(contents.boots)}, {"slots", Json::array()}};
  for (const Slot slot : image::kSlots) {
    const flash::SlotContents& is = contents.slot(slot);
    Json entry = {{"slot", letter_or_null(slot)}, {"valid", is.valid()}, {"verdict", verdict(is)}};
    if (is.has_image) {
      std::string digest;
      for (const uint8_t byte : is.header.sha256) digest += fmt::format("{:02x}", byte);
      entry.update({{"name", flash::get_text(is.header.identity.name)},
                    {"image_version", flash::version_text(is.header.image_version)},
                    {"git_hash", flash::get_text(is.header.identity.git_hash)},
                    {"image_bytes", sizeof(is.header) + is.header.length},
                    {"sha256", digest},
                    {"confirmed", is.confirmed()},
                    {"attempts", image::attempts_made(is.header.state)},
                    {"rank", image::rank(is.header.state)}});
    }
    report["slots"].push_back(entry);
  }
  report["explanation"] = flash::explain(contents);
  return report;
}

int flash_info(const Cli& cli, const FlashWish& wish) {
  return for_targets(cli, wish, [&](Target& target, Json& report) {
    const auto contents = read_contents(*target.programmer, target.board.slots);
    report.update(describe(contents));
    if (cli.options().json) return kDone;
    fmt::print("{}: {}\n  chip    {}\n", target.name, target.board.title, target.programmer->description());
    for (const Slot slot : image::kSlots) {
      const flash::SlotContents& is = contents.slot(slot);
      fmt::print("  slot {}  {}{}\n", letter(slot), is.has_image ? flash::name_of(is.header) + ", " : "",
                 verdict(is));
    }
    print_lines(cli, flash::explain(contents));
    return kDone;
  });
}

int flash_verify(const Cli& cli, const FlashWish& wish) {
  const flash::Bytes wanted = flash::read_file(wish.file);
  return for_targets(cli, wish, [&](Target& target, Json& report) {
    if (!wish.region.empty()) {
      const Piece piece = wanted_piece(wish, target);
      if (wanted.size() > piece.bytes) {
        throw Error(kBadInput, fmt::format("{}: has {} bytes, region {} only {}", wish.file, wanted.size(),
                                           wish.region, piece.bytes));
      }
      const auto present = read_chip(cli, target, piece.offset, wanted.size(), "reads");
      return compare(cli, fmt::format("region {}", wish.region), wanted, present, report) ? kDone : kFailed;
    }
    if (const auto refusal = flash::check(wanted); refusal != image::Refusal::kNone)
      throw Error(kBadInput, fmt::format("{}: image refused: {}", wish.file, text(refusal)));
    const auto contents = read_contents(*target.programmer, target.board.slots, wanted.size());
    report.update(describe(contents));
    const auto slot = wish.wanted_slot() ? wish.wanted_slot() : contents.boots;
    if (!slot) {
      print_lines(cli, flash::explain(contents));
      report["same"] = false;
      return kFailed;
    }
    // The state of an image changes while it lives in flash.
    flash::Bytes present(contents.slot(*slot).bytes.begin(),
                         contents.slot(*slot).bytes.begin() + static_cast<ptrdiff_t>(wanted.size()));
    std::copy_n(wanted.begin() + image::kStateOffset, sizeof(image::State),
                present.begin() + image::kStateOffset);
    return compare(cli, fmt::format("slot {}", letter(*slot)), wanted, present, report) ? kDone : kFailed;
  });
}

int flash_read(const Cli& cli, const FlashWish& wish) {
  if (wish.all) throw Error(kBadInput, "one file holds one chip: --serial chooses the board, --all cannot");
  return for_targets(cli, wish, [&](Target& target, Json& report) {
    const Piece piece = wanted_piece(wish, target);
    const auto contents = read_chip(cli, target, piece.offset, piece.bytes, "reads the chip");
    flash::write_file(wish.file, contents);
    report.update({{"file", wish.file}, {"offset", piece.offset}, {"bytes", piece.bytes}});
    print_lines(cli, {fmt::format("{}: {} from {:#x} of {}", wish.file, size_text(piece.bytes), piece.offset,
                                  target.programmer->description())});
    return kDone;
  });
}

}  // namespace swai::cli
