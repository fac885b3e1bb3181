// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "abi/boot.hpp"
#include "abi/protocol.hpp"
#include "card_regs.hpp"
#include "host/runtime/bars.hpp"
#include "host/runtime/error.hpp"

namespace swai::sdaa {
namespace {

template <typename T>
T read_sram(link::Card& card, uint64_t offset) {
  T value;
  card.read_block(kMemoryBar, kSram + offset, {reinterpret_cast<uint8_t*>(&value), sizeof value});
  return value;
}

// Where the firmware has said that it lies.
uint64_t find(link::Card& card, JournalKind kind) {
  const protocol::Info info = read_info(card);
  if ((info.capabilities & protocol::kJournals) == 0)
    fail(sdaaErrorNotSupported, "the card's firmware keeps no journals");
  return kind == JournalKind::kLog ? info.log_offset : info.fault_offset;
}

}  // namespace

protocol::Info read_info(link::Card& card) {
  const auto words = card.read<uint64_t>(kControlBar, shared_word(protocol::word::kVersions));
  protocol::Versions versions;
  std::memcpy(&versions, &words, sizeof versions);
  if (words == 0 || versions.info > regs::kSramBytes - sizeof(protocol::Info))
    fail(sdaaErrorNotFound, "no firmware has served programs on this card since power-on");
  const auto info = read_sram<protocol::Info>(card, versions.info);
  if (info.bytes < sizeof info)
    fail(sdaaErrorInsufficientDriver, "the card's firmware is older than this program");
  return info;
}

JournalPart read_journal(link::Card& card, JournalKind kind, uint64_t position, unsigned room) {
  using journal::Head;
  using journal::Record;
  const uint64_t at = find(card, kind);
  const auto head = read_sram<Head>(card, at);
  if (head.magic != Head::kMagic || head.records == 0 ||
      at + journal::ring_bytes(head.records) > regs::kSramBytes)
    fail(sdaaErrorDeviceFirmware, "the card's journal is damaged");

  JournalPart part;
  part.counts = head.counts;
  std::vector<Record> ring(head.records);
  card.read_block(kMemoryBar, kSram + at + sizeof head,
                  {reinterpret_cast<uint8_t*>(ring.data()), ring.size() * sizeof(Record)});
  // What the card has begun to write meanwhile may be torn.
  const auto begun = read_sram<uint64_t>(card, at + offsetof(Head, begun));
  const uint64_t oldest = begun > head.records ? begun - head.records : 0;
  part.first = std::clamp(position, std::min(oldest, head.written), head.written);
  part.lost = part.first > position ? part.first - position : 0;
  const uint64_t end = std::min(head.written, part.first + room);
  for (uint64_t number = part.first; number < end; ++number)
    part.records.push_back(ring[number % head.records]);
  return part;
}

std::optional<fault::Record> read_panic(link::Card& card) {
  const auto record = read_sram<fault::Record>(card, fault::kRecordAddress - boot::kMemoryBase);
  return fault::is_valid(record) ? std::optional(record) : std::nullopt;
}

std::string describe(const journal::Description& description, const journal::Arguments& arguments) {
  std::string text;
  journal::form(description.text, arguments, [&](std::string_view piece) { text += piece; });
  return text;
}

std::string describe(const fault::Record& record) {
  const std::string message(record.message.data(), strnlen(record.message.data(), record.message.size()));
  return fmt::format("{}{}{}, pc {:#x}, value {:#x}", text(record.kind), message.empty() ? "" : ": ", message,
                     record.pc, record.value);
}

}  // namespace swai::sdaa
