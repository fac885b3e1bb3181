// SPDX-License-Identifier: Apache-2.0
// What the card tells about itself: its log, its faults, and how its firmware ended.
#include <algorithm>
#include <cstring>

#include "abi/segment.hpp"
#include "host/runtime/call.hpp"
#include "host/runtime/journal.hpp"

using namespace swai::sdaa;
namespace journal = swai::journal;

namespace {

template <size_t kTo>
void put_text(char (&to)[kTo], std::string_view text) {
  const size_t length = std::min(text.size(), kTo - 1);
  std::copy_n(text.begin(), length, to);
  to[length] = 0;
}
template <size_t kFrom>
std::string_view text_of(const std::array<char, kFrom>& field) {
  return {field.data(), strnlen(field.data(), kFrom)};
}

// `decode` makes the caller's record of the card's.
template <typename Record, typename Decode>
void read(JournalKind kind, Record* records, unsigned room, unsigned* count, uint64_t* position,
          uint64_t* lost, int device, Decode decode) {
  require(count != nullptr && position != nullptr && lost != nullptr, "a null pointer");
  require(records != nullptr || room == 0, "a null pointer");
  Runtime::get().device(device)->use_card([&](swai::link::Card& card) {
    const JournalPart part = read_journal(card, kind, *position, room);
    for (size_t i = 0; i < part.records.size(); ++i) {
      records[i] = {};
      records[i].position = part.first + i;
      records[i].cycle = part.records[i].cycle;
      decode(records[i], part.records[i], part.counts);
    }
    *count = static_cast<unsigned>(part.records.size());
    *position = part.first + part.records.size();
    *lost = part.lost;
  });
}

void decode_line(sdaaLogRecord_t& to, const journal::Record& from, const auto&) {
  const auto line = static_cast<journal::Line>(from.id);
  to.severity = static_cast<sdaaSeverity>(from.severity);
  to.id = from.id;
  std::ranges::copy(from.arguments, to.arguments);
  put_text(to.text, describe(journal::describe(line), from.arguments));
}

void decode_kernel(sdaaFaultRecord_t& to, const journal::Arguments& arguments) {
  to.cause = static_cast<int>(arguments[0]);
  put_text(to.causeText, swai::launch::text(static_cast<swai::launch::Cause>(arguments[0])));
  to.group = static_cast<int>(arguments[1] / swai::launch::kMaxCpes);
  to.core = static_cast<int>(arguments[1] % swai::launch::kMaxCpes);
  to.pc = arguments[2];
  to.address = arguments[3];
  // A scalar address has none.
  if (arguments[3] >> 48 != 0) to.segment = swai::segment::number(arguments[3]);
}

void decode_fault(sdaaFaultRecord_t& to, const journal::Record& from, const auto& counts) {
  const auto fault = static_cast<journal::Fault>(from.id);
  const journal::Arguments& arguments = from.arguments;
  to.kind = static_cast<sdaaFaultKind>(from.id);
  to.count = counts[from.id % journal::kIds];
  to.cause = to.group = to.core = to.channel = to.segment = to.queue = -1;
  put_text(to.text, describe(journal::describe(fault), arguments));
  const auto set_command = [&] {
    to.queue = static_cast<int>(journal::queue_of(arguments[4]));
    to.command = journal::sequence_of(arguments[4]);
  };
  const auto set_transfer = [&](uint64_t cause, uint64_t address) {
    to.cause = static_cast<int>(cause);
    put_text(to.causeText, swai::dma::text(cause));
    to.address = address;
  };
  switch (fault) {
    case journal::Fault::kNone:
    case journal::Fault::kBadRequest:
      break;
    case journal::Fault::kKernel:
    case journal::Fault::kKernelTimeout:
      decode_kernel(to, arguments);
      set_command();
      break;
    case journal::Fault::kKernelStuck:  // with a launch::Wait in place of the address, which the text has
      decode_kernel(to, {arguments[0], arguments[1], arguments[2]});
      set_command();
      break;
    case journal::Fault::kTransfer:
      set_transfer(arguments[0], arguments[2]);
      to.channel = static_cast<int>(arguments[1]);
      set_command();
      break;
    case journal::Fault::kBadCommand:
      set_command();
      break;
    case journal::Fault::kGroupLost:
      to.group = static_cast<int>(arguments[0]);
      break;
    case journal::Fault::kFirmware:
      to.cause = static_cast<int>(arguments[0]);
      put_text(to.causeText, text(static_cast<swai::fault::Kind>(arguments[0])));
      to.pc = arguments[2];
      to.address = arguments[3];
      break;
    case journal::Fault::kProgram:
      to.cause = static_cast<int>(arguments[0]);
      put_text(to.causeText, swai::fault::cause_text(arguments[0]));
      to.pc = arguments[2];
      to.address = arguments[3];
      set_command();
      break;
    case journal::Fault::kStatusPage:
      set_transfer(arguments[0], arguments[1]);
      break;
  }
}

}  // namespace

sdaaError_t sdaaDeviceReadLog(sdaaLogRecord_t* records, unsigned int room, unsigned int* count,
                              uint64_t* position, uint64_t* lost, int device) {
  return call("sdaaDeviceReadLog", [&] {
    read(JournalKind::kLog, records, room, count, position, lost, device,
         [](auto&... parts) { decode_line(parts...); });
  });
}

sdaaError_t sdaaDeviceReadFaults(sdaaFaultRecord_t* records, unsigned int room, unsigned int* count,
                                 uint64_t* position, uint64_t* lost, int device) {
  return call("sdaaDeviceReadFaults", [&] {
    read(JournalKind::kFaults, records, room, count, position, lost, device,
         [](auto&... parts) { decode_fault(parts...); });
  });
}

sdaaError_t sdaaDeviceGetFirmwareFault(sdaaFirmwareFault_t* fault, int device) {
  return call("sdaaDeviceGetFirmwareFault", [&] {
    require(fault != nullptr, "a null pointer");
    Runtime::get().device(device)->use_card([&](swai::link::Card& card) {
      const auto record = read_panic(card);
      require(record.has_value(), "the card's firmware has not ended since power-on", sdaaErrorNotFound);
      *fault = {};
      fault->kind = static_cast<int>(record->kind);
      fault->cycle = record->time;
      fault->cause = record->cause;
      fault->pc = record->pc;
      fault->value = record->value;
      fault->status = record->status;
      std::ranges::copy(record->registers, fault->registers);
      put_text(fault->message, text_of(record->message));
      put_text(fault->build, text_of(record->build));
      put_text(fault->text, describe(*record));
    });
  });
}
