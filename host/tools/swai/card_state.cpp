// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/card_state.hpp"

#include <fmt/format.h>

#include <iterator>

#include "card_regs.hpp"
#include "card_regs_table.hpp"
#include "host/runtime/bars.hpp"
#include "host/runtime/error.hpp"
#include "host/runtime/journal.hpp"

namespace swai::cli {
namespace {

using sdaa::kControlBar;
using sdaa::kMemoryBar;

std::string hex(uint64_t value) { return fmt::format("{:#x}", value); }

// A part of the whole, or why it is not there: one that cannot be had does not cost the others.
template <typename Action>
Json part(Action action) {
  try {
    return action();
  } catch (const sdaa::Failure& failure) {
    return {{"error", failure.what()}};
  } catch (const link::Error& error) {
    if (error.kind() == link::ErrorKind::kLost) throw;
    return {{"error", error.what()}};
  }
}

// Those that nothing happens to when they are read.
Json describe_registers(link::Card& card) {
  Json devices = Json::object();
  for (const regs::RegisterInfo& one : regs::kRegisters) {
    const std::string_view device = one.device;
    const bool readable = (one.rw | one.ro | one.w1c) != 0 && !one.read_effect;
    if ((device != "pcie" && device != "debug") || !readable) continue;
    const uint64_t at = one.base - regs::kCardRegion.base + one.offset;
    const Json value = part([&] { return Json(hex(card.read<uint64_t>(kControlBar, at))); });
    // Those that a client may not see are left out.
    if (value.is_string()) devices[one.device][one.name] = value;
  }
  return devices;
}

Json describe_journal(link::Card& card, sdaa::JournalKind kind) {
  const sdaa::JournalPart all = sdaa::read_journal(card, kind, 0, ~0u);
  Json report = {{"lost", all.lost}, {"records", Json::array()}};
  for (size_t i = 0; i < all.records.size(); ++i) {
    const journal::Record& one = all.records[i];
    const auto description = kind == sdaa::JournalKind::kLog
                                 ? journal::describe(static_cast<journal::Line>(one.id))
                                 : journal::describe(static_cast<journal::Fault>(one.id));
    Json arguments = Json::array();
    for (const uint64_t argument : one.arguments) arguments.push_back(hex(argument));
    report["records"].push_back({{"position", all.first + i},
                                 {"cycle", one.cycle},
                                 {"id", one.id},
                                 {"text", sdaa::describe(description, one.arguments)},
                                 {"arguments", std::move(arguments)}});
  }
  return report;
}

Json describe_last_words(link::Card& card) {
  const auto record = sdaa::read_panic(card);
  if (!record) return nullptr;
  Json registers = Json::array();
  for (const uint64_t value : record->registers) registers.push_back(hex(value));
  return {{"text", sdaa::describe(*record)}, {"cycle", record->time},       {"cause", hex(record->cause)},
          {"pc", hex(record->pc)},           {"value", hex(record->value)}, {"status", hex(record->status)},
          {"registers", registers}};
}

template <typename T>
std::vector<T> read_table(link::Card& card, uint64_t offset, uint64_t count) {
  std::vector<T> lines(count);
  card.read_block(kMemoryBar, sdaa::kSram + offset,
                  {reinterpret_cast<uint8_t*>(lines.data()), lines.size() * sizeof(T)});
  return lines;
}

Json describe_telemetry(link::Card& card) {
  static constexpr const char* kNames[] = {"",
                                           "uptime",
                                           "requests",
                                           "commands",
                                           "commands_failed",
                                           "commands_refused",
                                           "launches",
                                           "launches_failed",
                                           "bytes_to_card",
                                           "bytes_to_host",
                                           "memory_used",
                                           "memory_peak",
                                           "allocations",
                                           "modules",
                                           "log_lost",
                                           "bad_slots"};
  const protocol::Info info = sdaa::read_info(card);
  Json report = Json::object();
  for (const auto& line :
       read_table<protocol::Telemetry>(card, info.telemetry_offset, info.telemetry_count)) {
    const auto tag = static_cast<size_t>(line.tag);
    if (line.tag != protocol::Tag::kNone)
      report[tag < std::size(kNames) ? kNames[tag] : fmt::format("tag_{}", tag)] = line.value;
  }
  return report;
}

Json describe_clients(link::Card& card) {
  const protocol::Info info = sdaa::read_info(card);
  Json report = Json::array();
  for (const auto& one : read_table<protocol::ClientUsage>(card, info.clients_offset, info.clients_count)) {
    if (one.attached == protocol::Attached::kNobody) continue;
    report.push_back({{"context", one.context},
                      {"leaving", one.attached == protocol::Attached::kLeaving},
                      {"queues", one.queues},
                      {"memory_bytes", one.memory},
                      {"allocations", one.allocations},
                      {"modules", one.modules},
                      {"commands", one.commands},
                      {"launches", one.launches},
                      {"busy_cycles", one.busy},
                      {"bytes_to_card", one.bytes_to_card},
                      {"bytes_to_host", one.bytes_to_host}});
  }
  return report;
}

Json describe_firmware(link::Card& card) {
  namespace status = regs::system::status;
  const auto stage = status::kStage.get(card.read<uint64_t>(kControlBar, regs::pcie::boot_status::kOffset));
  const protocol::Info info = sdaa::read_info(card);
  return {{"stage", stage},
          {"serves", stage == status::kStageReady},
          {"ended", stage == status::kStageFailed},
          {"starts", card.read<uint64_t>(kControlBar, sdaa::shared_word(protocol::word::kLife))},
          {"protocol", info.version},
          {"groups", info.groups},
          {"rows", info.rows},
          {"columns", info.columns},
          {"memory_bytes", info.memory_per_group * info.groups}};
}

}  // namespace

Json describe_state(link::Card& card, size_t number) {
  const link::Description& is = card.describe();
  return {{"card", number},
          {"address", is.address},
          {"configuration", is.configuration},
          {"cycle", card.cycle()},
          {"firmware", part([&] { return describe_firmware(card); })},
          {"firmware_fault", part([&] { return describe_last_words(card); })},
          {"faults", part([&] { return describe_journal(card, sdaa::JournalKind::kFaults); })},
          {"log", part([&] { return describe_journal(card, sdaa::JournalKind::kLog); })},
          {"telemetry", part([&] { return describe_telemetry(card); })},
          {"clients", part([&] { return describe_clients(card); })},
          {"registers", describe_registers(card)}};
}

}  // namespace swai::cli
