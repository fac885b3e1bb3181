// SPDX-License-Identifier: Apache-2.0
#include "host/tools/flash/contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/tools/flash/flash_file.hpp"

namespace swai::flash {

using image::Refusal;
using image::Slot;

namespace {

SlotContents judge(Bytes bytes) {
  SlotContents slot;
  slot.refusal = check(bytes);
  if (bytes.size() >= sizeof(image::Header)) {
    slot.header = read_header(bytes);
    slot.has_image = image::check_header(slot.header, boot::kImageMemory) == Refusal::kNone;
  }
  slot.bytes = std::move(bytes);
  return slot;
}

// Why the image in a slot that is not booted is where it is.
std::string story(const Contents& contents, Slot slot) {
  const SlotContents& is = contents.slot(slot);
  const std::string where = fmt::format("slot {}", letter(slot));
  const std::string instead = contents.boots
                                  ? fmt::format("the card fell back to slot {}", letter(*contents.boots))
                                  : "nothing is left to boot";
  switch (is.refusal) {
    case Refusal::kNone:
      return fmt::format("{} stands by with {}", where, name_of(is.header));
    case Refusal::kErased:
      return fmt::format("{} is empty", where);
    case Refusal::kAttemptsUsedUp:
      return fmt::format("{}: {} was booted {} times and never passed its self-test; {}", where,
                         name_of(is.header), image::attempts_made(is.header.state), instead);
    case Refusal::kRevoked:
      return fmt::format("{}: {} was taken out of service", where, name_of(is.header));
    case Refusal::kDigestMismatch:
      return fmt::format("{}: {} is damaged, its digest is wrong; {}", where, name_of(is.header), instead);
    default:
      return fmt::format(
          "{} holds no complete image ({}): an update was interrupted, or something else was written there",
          where, text(is.refusal));
  }
}

}  // namespace

Contents judge(Bytes a, Bytes b) {
  Contents contents;
  contents.boots = bootable_slot(a, b);
  contents.slots = {judge(std::move(a)), judge(std::move(b))};
  return contents;
}

Contents read_contents(Programmer& programmer, const SlotMap& map, size_t least) {
  std::array<Bytes, 2> slots;
  for (const Slot slot : image::kSlots) {
    Bytes& bytes = slots[index(slot)];
    bytes.resize(std::max(least, sizeof(image::Header)));
    programmer.read(map.offset(slot), bytes);
    const image::Header header = read_header(bytes);
    if (image::check_header(header, boot::kImageMemory) != Refusal::kNone) continue;
    const size_t have = bytes.size();
    const size_t whole = sizeof(header) + header.length;
    if (whole <= have) continue;
    bytes.resize(whole);
    programmer.read(map.offset(slot) + static_cast<uint32_t>(have), std::span(bytes).subspan(have));
  }
  return judge(std::move(slots[0]), std::move(slots[1]));
}

std::string name_of(const image::Header& header) {
  return fmt::format("{} {} ({})", get_text(header.identity.name), version_text(header.image_version),
                     get_text(header.identity.git_hash));
}

std::string verdict(const SlotContents& slot) {
  if (!slot.valid()) return text(slot.refusal);
  if (slot.confirmed()) return "valid, confirmed";
  return fmt::format("valid, not confirmed, {} of {} boot attempts made",
                     image::attempts_made(slot.header.state), image::kMaxAttempts);
}

std::vector<std::string> explain(const Contents& contents) {
  std::vector<std::string> lines;
  if (contents.boots) {
    const SlotContents& booted = contents.slot(*contents.boots);
    lines.push_back(fmt::format("the card boots slot {}: {}{}", letter(*contents.boots),
                                name_of(booted.header),
                                booted.confirmed() ? "" : ", which has yet to pass its self-test"));
    lines.push_back(story(contents, other(*contents.boots)));
  } else {
    for (const Slot slot : image::kSlots) lines.push_back(story(contents, slot));
    lines.emplace_back("the card ends in recovery and waits for an image: swai flash write IMAGE");
  }
  return lines;
}

}  // namespace swai::flash
