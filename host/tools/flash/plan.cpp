// SPDX-License-Identifier: Apache-2.0
#include "host/tools/flash/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/tools/flash/board_error.hpp"

namespace swai::flash {

using image::Header;
using image::Refusal;
using image::Slot;

namespace {

enum class Change { kNone, kProgram, kErase };

// Programming clears bits; only erasing sets them.
Change change_of(std::span<const uint8_t> present, std::span<const uint8_t> wanted) {
  Change change = Change::kNone;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (present[i] == wanted[i]) continue;
    if ((present[i] & wanted[i]) != wanted[i]) return Change::kErase;
    change = Change::kProgram;
  }
  return change;
}

bool all_erased(std::span<const uint8_t> bytes) {
  return std::ranges::all_of(bytes, [](uint8_t byte) { return byte == 0xFF; });
}

void add(Plan& plan, Step step) {
  const bool erases = step.erase || step.kind == Step::Kind::kInvalidate;
  if (erases) plan.erase_bytes += step.bytes;
  plan.program_bytes += all_erased(step.wanted) ? 0 : step.wanted.size();
  plan.steps.push_back(std::move(step));
}

// The largest erase that begins here, does not reach beyond `end`, and takes less time than erasing one by
// one the sectors in it that need it; none of its sectors may hold what is to stay.
uint32_t block_at(const Geometry& geometry, uint32_t at, uint32_t end, std::span<const Change> changes) {
  const EraseKind& sector = geometry.erases.front();
  uint32_t best = sector.bytes;
  for (const EraseKind& kind : geometry.erases) {
    if (at % kind.bytes != 0 || kind.bytes > end - at) continue;
    const auto inside = changes.first(std::min<size_t>(changes.size(), kind.bytes / sector.bytes));
    if (std::ranges::any_of(inside, [](Change c) { return c != Change::kErase; })) continue;
    if (kind.typical_us <= sector.typical_us * inside.size()) best = kind.bytes;
  }
  return best;
}

// Whole sectors from `offset` on, up to `end` at most; nothing is planned where it is right already.
void add_writes(Plan& plan, const Geometry& geometry, uint32_t offset, uint32_t end,
                std::span<const uint8_t> present, std::span<const uint8_t> wanted) {
  const uint32_t sector = geometry.sector_bytes();
  std::vector<Change> changes;
  for (size_t at = 0; at < wanted.size(); at += sector) {
    const size_t bytes = std::min<size_t>(sector, wanted.size() - at);
    changes.push_back(change_of(present.subspan(at, bytes), wanted.subspan(at, bytes)));
  }
  for (size_t i = 0; i < changes.size();) {
    if (changes[i] == Change::kNone) {
      ++i;
      continue;
    }
    const auto at = static_cast<uint32_t>(i * sector);
    const bool erase = changes[i] == Change::kErase;
    const uint32_t bytes =
        erase ? block_at(geometry, offset + at, end, std::span(changes).subspan(i)) : sector;
    std::vector<uint8_t> contents(bytes, 0xFF);
    const size_t given = std::min<size_t>(bytes, wanted.size() - at);
    std::ranges::copy(wanted.subspan(at, given), contents.begin());
    // What lies behind the image in its last sector is of no interest; it stays unless it is erased.
    if (!erase) contents.resize(given);
    add(plan, {Step::Kind::kWrite, offset + at, bytes, erase, std::move(contents)});
    i += bytes / sector;
  }
}

std::string letters(Slot slot) { return std::string(1, letter(slot)); }

[[noreturn]] void refuse(const std::string& why) { throw BoardError(Trouble::kRefused, why); }

void guard(const Contents& contents, Slot slot, std::optional<Slot> running) {
  if (running == slot) {
    refuse(fmt::format("the card runs slot {} at this moment, so it stays as it is; {}", letters(slot),
                       contents.slot(slot).confirmed() ? "choose the other slot"
                                                       : "wait until it is confirmed, or reset the card"));
  }
  if (keeper(contents) == slot) {
    refuse(fmt::format("slot {} holds what the card falls back to ({}), so it stays as it is; choose slot {}",
                       letters(slot), name_of(contents.slot(slot).header), letters(other(slot))));
  }
}

Slot choose(const Contents& contents, const WriteWish& wish) {
  if (wish.slot) return *wish.slot;
  if (wish.running) return other(*wish.running);
  const auto kept = keeper(contents);
  return kept ? other(*kept) : Slot::kA;
}

// How high an image has to rank so that the card boots it before what is in the other slot.
unsigned rank_before(const Header& fresh, const SlotContents& neighbour) {
  if (!neighbour.valid()) return 0;
  return rank(neighbour.header.state) + (fresh.image_version > neighbour.header.image_version ? 0 : 1);
}

uint64_t rank_field(unsigned rank) { return rank >= 64 ? 0 : ~uint64_t{0} << rank; }

void check_rank(unsigned rank, Slot neighbour) {
  if (rank <= image::kMaxRank) return;
  refuse(fmt::format(
      "versions were swapped {} times since slot {} was written, which is all that its neighbour can "
      "count; write both images again",
      image::kMaxRank, letters(neighbour)));
}

// Changes nothing but the rank: the card may be counting and confirming in the words beside it.
Step mark(const SlotMap& map, Slot slot, uint64_t rank) {
  std::vector<uint8_t> bytes(sizeof(rank));
  std::memcpy(bytes.data(), &rank, sizeof(rank));
  return {Step::Kind::kMark, map.offset(slot) + static_cast<uint32_t>(offsetof(Header, state.rank)),
          static_cast<uint32_t>(bytes.size()), false, std::move(bytes)};
}

}  // namespace

std::optional<Slot> keeper(const Contents& contents) {
  const SlotContents& a = contents.slot(Slot::kA);
  const SlotContents& b = contents.slot(Slot::kB);
  if (a.valid() && b.valid() && a.confirmed() != b.confirmed()) return a.confirmed() ? Slot::kA : Slot::kB;
  return contents.boots;
}

std::string describe(const Step& step) {
  switch (step.kind) {
    case Step::Kind::kInvalidate:
      return "erase the header, so that no half image is booted";
    case Step::Kind::kWrite:
      return step.erase ? (all_erased(step.wanted) ? "erase" : "erase and program") : "program";
    case Step::Kind::kSeal:
      return "program the first sector, its header last";
    case Step::Kind::kMark:
      return "rank the image before the other";
  }
  return "";
}

size_t bytes_to_know(const Geometry& geometry, size_t image_bytes) {
  const size_t sector = geometry.sector_bytes();
  return (image_bytes + sector - 1) / sector * sector;
}

Plan plan_write(const Contents& contents, const SlotMap& map, const Geometry& geometry,
                std::span<const uint8_t> image, const WriteWish& wish) {
  if (const Refusal refusal = check(image); refusal != Refusal::kNone) {
    throw InputError(fmt::format("image refused: {}; nothing was written", text(refusal)));
  }
  Header fresh = read_header(image);
  fresh.state = {~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}};
  const auto payload = image.subspan(sizeof(fresh), fresh.length);

  Plan plan;
  plan.says = explain(contents);
  const Slot slot = choose(contents, wish);
  const auto holds_it = [&](Slot where) {
    const SlotContents& is = contents.slot(where);
    return is.valid() && is.header.sha256 == fresh.sha256 && is.header.checksum == fresh.checksum;
  };
  if (contents.boots && holds_it(*contents.boots) && wish.slot.value_or(*contents.boots) == *contents.boots) {
    plan.slot = contents.boots;
    plan.says.push_back(fmt::format("slot {} holds this image already", letters(*contents.boots)));
    return plan;
  }
  guard(contents, slot, wish.running);
  plan.slot = slot;

  const SlotContents& neighbour = contents.slot(other(slot));
  if (neighbour.valid() && fresh.image_version < neighbour.header.image_version && !wish.downgrade) {
    refuse(fmt::format("{} is older than what slot {} holds ({}); --downgrade writes it all the same",
                       name_of(fresh), letters(other(slot)), name_of(neighbour.header)));
  }
  const unsigned rank = rank_before(fresh, neighbour);
  check_rank(rank, other(slot));
  fresh.state.rank = rank_field(rank);

  const SlotContents& old = contents.slot(slot);
  if (holds_it(slot) && old.confirmed()) {
    // Only the order of the two is not what is wished.
    plan.says.push_back(fmt::format("slot {} holds this image already; it is put before slot {}",
                                    letters(slot), letters(other(slot))));
    add(plan, mark(map, slot, old.header.state.rank & fresh.state.rank));
    return plan;
  }

  Bytes wanted(sizeof(fresh));
  write_header(wanted, fresh);
  wanted.insert(wanted.end(), payload.begin(), payload.end());
  const uint32_t sector = geometry.sector_bytes();
  const uint32_t begin = map.offset(slot);
  const std::span<const uint8_t> present(old.bytes);
  const auto head = std::min<size_t>(sector, wanted.size());
  const Change header_change = change_of(present.first(head), std::span(wanted).first(head));

  if (header_change == Change::kErase || old.has_image)
    add(plan, {Step::Kind::kInvalidate, begin, sector, true, {}});
  if (wanted.size() > sector) {
    add_writes(plan, geometry, begin + sector, begin + map.bytes, present.subspan(sector),
               std::span(wanted).subspan(sector));
  }
  std::vector<uint8_t> first(wanted.begin(), wanted.begin() + static_cast<ptrdiff_t>(head));
  add(plan, {Step::Kind::kSeal, begin, sector, false, std::move(first)});
  plan.says.push_back(fmt::format("slot {} gets {}, {} bytes: {} bytes of {} to erase, {} to program",
                                  letters(slot), name_of(fresh), wanted.size(), plan.erase_bytes, map.bytes,
                                  plan.program_bytes));
  if (rank != 0) {
    plan.says.push_back(
        fmt::format("it ranks before slot {}, whose version is not older", letters(other(slot))));
  }
  plan.says.push_back(
      neighbour.valid()
          ? fmt::format("slot {} stays as it is; the card goes back to it unless the new image passes its "
                        "self-test within {} boots",
                        letters(other(slot)), image::kMaxAttempts)
          : "the card has nothing else to boot");
  return plan;
}

Plan plan_rollback(const Contents& contents, const SlotMap& map) {
  if (!contents.boots) refuse("nothing boots, so there is nothing to go back from; swai flash write IMAGE");
  const Slot from = *contents.boots;
  const SlotContents& back = contents.slot(other(from));
  if (!back.valid() || !back.confirmed()) {
    refuse(fmt::format(
        "slot {} holds nothing to go back to ({}); swai flash write --downgrade IMAGE brings an older "
        "version back",
        letters(other(from)), verdict(back)));
  }
  const unsigned above = rank(contents.slot(from).header.state) + 1;
  check_rank(above, from);
  image::State state = back.header.state;
  // Those bits that are cleared anyhow count, too.
  for (uint64_t bit = 1; bit != 0 && rank(state) < above; bit <<= 1) state.rank &= ~bit;
  Plan plan;
  plan.slot = other(from);
  plan.says = {fmt::format("slot {} ({}) is put before slot {} ({}), from the next reset on",
                           letters(other(from)), name_of(back.header), letters(from),
                           name_of(contents.slot(from).header))};
  add(plan, mark(map, other(from), state.rank));
  return plan;
}

Plan plan_erase(const Contents& contents, const SlotMap& map, const Geometry& geometry, Slot slot,
                std::optional<Slot> running) {
  guard(contents, slot, running);
  Plan plan;
  plan.slot = slot;
  const Bytes erased(map.bytes, 0xFF);
  const std::span<const uint8_t> present(contents.slot(slot).bytes);
  const auto sector = geometry.sector_bytes();
  if (!all_erased(present.first(sector)))
    add(plan, {Step::Kind::kInvalidate, map.offset(slot), sector, true, {}});
  add_writes(plan, geometry, map.offset(slot) + sector, map.offset(slot) + map.bytes, present.subspan(sector),
             std::span(erased).subspan(sector));
  plan.says = explain(contents);
  plan.says.push_back(fmt::format("slot {} is erased", letters(slot)));
  return plan;
}

Plan plan_raw(const Geometry& geometry, uint32_t offset, std::span<const uint8_t> present,
              std::span<const uint8_t> wanted) {
  Plan plan;
  add_writes(plan, geometry, offset, offset + static_cast<uint32_t>(wanted.size()), present, wanted);
  plan.says.push_back(fmt::format("{} bytes at {:#x}: {} to erase, {} to program", wanted.size(), offset,
                                  plan.erase_bytes, plan.program_bytes));
  return plan;
}

}  // namespace swai::flash
