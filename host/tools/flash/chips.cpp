// SPDX-License-Identifier: Apache-2.0
#include "host/tools/flash/chips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "abi/image.hpp"
#include "host/tools/flash/board_error.hpp"

namespace swai::flash {
namespace {

struct Row {
  std::array<uint8_t, 3> id;
  std::optional<uint8_t> fifth;  // where the id alone does not tell the sectors
  const char* name;
  uint32_t bytes;
  uint32_t page_us;
  std::vector<EraseKind> erases;
};

constexpr uint32_t kKiB = 1 << 10;
constexpr uint32_t kMiB = 1 << 20;

// Times are the typical ones of the data sheets.
const std::vector<Row>& rows() {
  static const std::vector<EraseKind> winbond = {
      {4 * kKiB, 45'000, 0x20}, {32 * kKiB, 120'000, 0x52}, {64 * kKiB, 150'000, 0xD8}};
  static const std::vector<EraseKind> macronix = {
      {4 * kKiB, 30'000, 0x20}, {32 * kKiB, 150'000, 0x52}, {64 * kKiB, 280'000, 0xD8}};
  static const std::vector<EraseKind> micron = {{4 * kKiB, 250'000, 0x20}, {64 * kKiB, 700'000, 0xD8}};
  static const std::vector<Row> all = {
      {{0xEF, 0x40, 0x17}, {}, "Winbond W25Q64", 8 * kMiB, 700, winbond},
      {{0xEF, 0x40, 0x18}, {}, "Winbond W25Q128", 16 * kMiB, 700, winbond},
      {{0xEF, 0x70, 0x18}, {}, "Winbond W25Q128", 16 * kMiB, 700, winbond},
      {{0xEF, 0x40, 0x19}, {}, "Winbond W25Q256", 32 * kMiB, 700, winbond},
      {{0xC2, 0x20, 0x18}, {}, "Macronix MX25L128", 16 * kMiB, 330, macronix},
      {{0xC2, 0x20, 0x19}, {}, "Macronix MX25L256", 32 * kMiB, 330, macronix},
      {{0x20, 0xBA, 0x18}, {}, "Micron N25Q128", 16 * kMiB, 500, micron},
      // With sectors of 4 KiB only at one end, hence none; the other kind has sectors of 256 KiB.
      {{0x01, 0x02, 0x19}, 0x01, "Infineon S25FL256S", 32 * kMiB, 340, {{64 * kKiB, 130'000, 0xD8}}},
      {{0x01, 0x02, 0x19}, 0x00, "Infineon S25FL256S", 32 * kMiB, 340, {{256 * kKiB, 520'000, 0xD8}}},
  };
  return all;
}

ChipKind kind_of(std::string name, uint32_t bytes, uint32_t page_bytes, uint32_t page_us,
                 std::vector<EraseKind> erases) {
  ChipKind kind;
  kind.name = std::move(name);
  kind.whole_bytes = bytes;
  kind.geometry = {std::min(bytes, kReachBytes), page_bytes, std::move(erases)};
  kind.page_us = page_us;
  return kind;
}

uint32_t le32(std::span<const uint8_t> bytes, size_t at) {
  return bytes[at] | uint32_t{bytes[at + 1]} << 8 | uint32_t{bytes[at + 2]} << 16 |
         uint32_t{bytes[at + 3]} << 24;
}

constexpr uint32_t kSignature = 0x50444653;  // "SFDP"
constexpr size_t kHeaderBytes = 16;          // with the header of the first table
constexpr size_t kLeastWords = 9;            // of JESD216, the first edition
constexpr size_t kWordsWithTimes = 11;       // of JESD216A and later

constexpr uint32_t bits(uint32_t word, unsigned low, unsigned count) {
  return word >> low & ((uint32_t{1} << count) - 1);
}

// Time of erase kind 1 to 4 in word 10.
uint32_t erase_us(uint32_t word, unsigned kind) {
  constexpr uint32_t kUnits[] = {1'000, 16'000, 128'000, 1'000'000};
  const uint32_t field = bits(word, 4 + 7 * kind, 7);
  return (bits(field, 0, 5) + 1) * kUnits[bits(field, 5, 2)];
}

std::vector<EraseKind> erase_kinds(std::span<const uint32_t> words) {
  std::vector<EraseKind> kinds;
  for (unsigned i = 0; i < 4; ++i) {
    const uint32_t field = words[7 + i / 2] >> (16 * (i % 2));
    const uint32_t power = field & 0xFF;
    if (power == 0) continue;
    // No chip has smaller sectors than pages, and none larger ones than a slot serves us.
    if (power < 12 || power > 20) continue;
    const uint32_t us =
        words.size() >= kWordsWithTimes ? erase_us(words[9], i) : 100'000u << (power - 12) / 2;
    kinds.push_back({uint32_t{1} << power, us, static_cast<uint8_t>(field >> 8)});
  }
  std::ranges::sort(kinds, {}, &EraseKind::bytes);
  return kinds;
}

}  // namespace

std::optional<ChipKind> from_table(const JedecId& id) {
  const auto found = std::ranges::find_if(rows(), [&](const Row& row) {
    return std::ranges::equal(row.id, std::span(id).first(3)) && (!row.fifth || *row.fifth == id[4]);
  });
  if (found == rows().end()) return std::nullopt;
  return kind_of(found->name, found->bytes, 256, found->page_us, found->erases);
}

std::optional<ChipKind> from_sfdp(std::span<const uint8_t> sfdp) {
  if (sfdp.size() < kHeaderBytes || le32(sfdp, 0) != kSignature) return std::nullopt;
  // The first table is the basic one: id 00h, and FFh in later editions.
  if (sfdp[8] != 0 || sfdp[10] != 1) return std::nullopt;
  const size_t count = sfdp[11];
  const size_t at = sfdp[12] | size_t{sfdp[13]} << 8 | size_t{sfdp[14]} << 16;
  if (count < kLeastWords || at % 4 != 0 || at > sfdp.size() || 4 * count > sfdp.size() - at)
    return std::nullopt;
  std::vector<uint32_t> words;
  for (size_t i = 0; i < count; ++i) words.push_back(le32(sfdp, at + 4 * i));

  // Bits less one; larger chips give a power of two, and have addresses of four bytes only.
  if ((words[1] & 0x8000'0000) != 0) return std::nullopt;
  const uint64_t size_in_bits = uint64_t{words[1]} + 1;
  if (!std::has_single_bit(size_in_bits) || size_in_bits < 8 * uint64_t{64 * kKiB}) return std::nullopt;
  if (bits(words[0], 17, 2) == 2) return std::nullopt;  // addresses of four bytes only
  auto erases = erase_kinds(words);
  if (erases.empty()) return std::nullopt;
  uint32_t page_bytes = 256;
  uint32_t page_us = 700;
  if (count >= kWordsWithTimes) {
    page_bytes = uint32_t{1} << bits(words[10], 4, 4);
    page_us = (bits(words[10], 8, 5) + 1) * (bits(words[10], 13, 1) != 0 ? 64 : 8);
    if (page_bytes < 64) return std::nullopt;
  }
  return kind_of("unnamed chip", static_cast<uint32_t>(size_in_bits / 8), page_bytes, page_us,
                 std::move(erases));
}

ChipKind identify(const JedecId& id, std::span<const uint8_t> sfdp) {
  const std::string number = fmt::format("{:02X} {:02X} {:02X}", id[0], id[1], id[2]);
  if (std::ranges::all_of(id, [](uint8_t byte) { return byte == 0xFF; }) ||
      std::ranges::all_of(id, [](uint8_t byte) { return byte == 0; })) {
    throw BoardError(
        Trouble::kUnknownChip,
        fmt::format("no flash chip answers (its id reads {}); is it the right --board, is the board powered, "
                    "are the jumpers set for programming?",
                    number));
  }
  auto kind = from_table(id);
  if (!kind) kind = from_sfdp(sfdp);
  if (!kind) {
    throw BoardError(
        Trouble::kUnknownChip,
        fmt::format("the flash chip with id {} is not known and does not tell about itself what is needed "
                    "(SFDP); it is left alone",
                    number));
  }
  if (kind->geometry.bytes < image::kMinFlashBytes) {
    throw BoardError(Trouble::kUnknownChip,
                     fmt::format("the flash chip with id {} has {} KiB, too little for two slots ({} KiB)",
                                 number, kind->whole_bytes / kKiB, image::kMinFlashBytes / kKiB));
  }
  kind->name += fmt::format(" ({})", number);
  return *kind;
}

}  // namespace swai::flash
