// SPDX-License-Identifier: Apache-2.0
// What the card tells about itself: two rings of typed records in the SRAM, which the host reads through BAR0
// whenever it likes, also when nothing runs on the card any more. Lines of the log, and faults. Records carry
// numbers, not text: text is formed by whoever reads, from the tables below.
//
// Records are counted from 0 since power-on; record n lies in place n modulo `records`. Who reads takes
// `written`, then records, then `begun`: record n is whole when n < written and n + records >= begun. What a
// reader wanted and does not find any more is lost, and it knows how much that is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "abi/dma.hpp"
#include "abi/fault.hpp"
#include "abi/launch.hpp"
#include "abi/wait.hpp"

namespace swai::journal {

inline constexpr unsigned kArguments = 6;
using Arguments = std::array<uint64_t, kArguments>;

enum class Severity : uint8_t { kInfo = 0, kWarning = 1, kError = 2, kFault = 3 };
constexpr const char* text(Severity severity) {
  constexpr std::array<const char*, 4> kTexts = {"info", "warning", "error", "fault"};
  const auto index = static_cast<size_t>(severity);
  return index < kTexts.size() ? kTexts[index] : "unknown";
}

struct Record {
  uint64_t cycle;  // of the card's timer, which begins anew when the processor is reset
  uint16_t id;     // Line or Fault
  Severity severity;
  uint8_t reserved;
  uint32_t reserved2;
  Arguments arguments;
};
static_assert(sizeof(Record) == 64);

inline constexpr unsigned kIds = 24;  // in each ring

struct Head {
  static constexpr uint64_t kMagic = 0x3147'4F4C'4941'5753;  // "SWAILOG1"

  uint64_t magic;
  uint64_t begun;    // the writer has begun so many
  uint64_t written;  // and these are complete
  uint32_t records;  // that the ring holds
  uint32_t reserved;
  std::array<uint32_t, kIds> counts;  // how often each was written; they count modulo 2^32
};
static_assert(sizeof(Head) == 128);

constexpr uint64_t ring_bytes(unsigned records) { return sizeof(Head) + records * sizeof(Record); }

// Append, never renumber. Arguments in the order in which they stand in the comment.
enum class Line : uint16_t {
  kNone = 0,            // cut off by a reset of the processor
  kEarlierRun = 1,      // fault::Kind, pc
  kSelfTestPassed = 2,  //
  kServing = 3,         //
  kReady = 4,           // letter of the slot
  kConfirmed = 5,       // letter of the slot
  kNotConfirmed = 6,    // letter of the slot
  kNoDriver = 7,        // interrupt sources
  kCpesDoNotStart = 8,  // group, mask of CPEs
};

enum class Fault : uint16_t {
  kNone = 0,    // cut off by a reset of the processor
  kKernel = 1,  // launch::Cause, CPE + 32 * group, pc, pointer or scalar address, Command, launch::Access
  kKernelTimeout = 2,  // the same
  kTransfer = 3,       // cause of the DMA engine, channel, address, 0, Command
  kBadCommand = 4,     // first word of the slot, 0, 0, 0, Command
  kBadRequest = 5,     // operation, context
  kGroupLost = 6,      // group, launches that end with it, cycles waited
  kFirmware = 7,       // fault::Kind, mcause or scause, pc, mtval or stval
  kStatusPage = 8,     // cause of the DMA engine, address
  kProgram = 9,        // scause, context, pc, stval, Command: the one that it would have given next
  kKernelStuck = 10,   // as kKernel, with a launch::Wait for pointer or address
};

// Whose a fault is: a queue, and a sequence number in it.
constexpr uint64_t command(unsigned queue, uint32_t sequence) { return uint64_t{queue} << 32 | sequence; }
constexpr unsigned queue_of(uint64_t command) { return static_cast<unsigned>(command >> 32); }
constexpr uint32_t sequence_of(uint64_t command) { return static_cast<uint32_t>(command); }

// {n} stands for argument n, as a number: {n:x} hexadecimal, {n:c} a character, {n:g} and {n:p} group and
// CPE, {n:q} and {n:s} queue and sequence; as a name: {n:l} launch::Cause, {n:d} cause of the DMA engine,
// {n:f} fault::Kind, {n:t} cause of a trap,
// {n:w} launch::Wait.
struct Description {
  Severity severity;
  const char* text;
};
constexpr Description describe(Line line) {
  switch (line) {
    case Line::kNone:
      return {Severity::kError, "cut off by a reset"};
    case Line::kEarlierRun:
      return {Severity::kError, "an earlier run ended: {0:f}, pc {1:x}"};
    case Line::kSelfTestPassed:
      return {Severity::kInfo, "self-test passed"};
    case Line::kServing:
      return {Severity::kInfo, "serving the host"};
    case Line::kReady:
      return {Severity::kInfo, "ready, booted from slot {0:c}"};
    case Line::kConfirmed:
      return {Severity::kInfo, "image in slot {0:c} confirmed"};
    case Line::kNotConfirmed:
      return {Severity::kError, "image in slot {0:c} could not be confirmed"};
    case Line::kNoDriver:
      return {Severity::kWarning, "interrupt sources {0:x} have no driver; switched off"};
    case Line::kCpesDoNotStart:
      return {Severity::kError, "group {0}: CPEs {1:x} do not start"};
  }
  return {Severity::kError, "unknown line"};
}
constexpr Description describe(Fault fault) {
  switch (fault) {
    case Fault::kNone:
      return {Severity::kFault, "cut off by a reset"};
    case Fault::kKernel:
      return {Severity::kFault,
              "kernel failed on core {1:p} of group {1:g}: {0:l}; address {3:x}, pc {2:x}; queue {4:q}, "
              "command {4:s}"};
    case Fault::kKernelTimeout:
      return {Severity::kFault,
              "kernel ran too long; core {1:p} of group {1:g} was at pc {2:x}; queue {4:q}, command {4:s}"};
    case Fault::kKernelStuck:
      return {Severity::kFault,
              "kernel stuck: core {1:p} of group {1:g} {3:w}; pc {2:x}; queue {4:q}, command {4:s}"};
    case Fault::kTransfer:
      return {Severity::kFault,
              "transfer failed on channel {1}: {0:d}; address {2:x}; queue {4:q}, command {4:s}"};
    case Fault::kBadCommand:
      return {Severity::kFault, "not a command: {0:x}; queue {4:q}, command {4:s}"};
    case Fault::kBadRequest:
      return {Severity::kFault, "not a request: operation {0} of context {1}"};
    case Fault::kGroupLost:
      return {Severity::kFault,
              "group {0} has ended nothing for {2} cycles and is given up, with {1} launches"};
    case Fault::kFirmware:
      return {Severity::kFault, "the firmware ended: {0:f}; {1:t}, pc {2:x}, value {3:x}"};
    case Fault::kStatusPage:
      return {Severity::kFault, "the host's status page cannot be written: {0:d}, address {1:x}"};
    case Fault::kProgram:
      return {Severity::kFault,
              "program of context {1} failed: {0:t}; pc {2:x}, value {3:x}; queue {4:q}, command {4:s}"};
  }
  return {Severity::kFault, "unknown fault"};
}

namespace detail {

template <typename Put>
void put_number(uint64_t number, unsigned base, Put& put) {
  std::array<char, 20> digits;
  size_t at = digits.size();
  do {
    digits[--at] = "0123456789abcdef"[number % base];
    number /= base;
  } while (number != 0);
  put(std::string_view(digits.data() + at, digits.size() - at));
}

template <typename Put>
void put_argument(char form, uint64_t value, Put& put) {
  switch (form) {
    case 'x':
      put(std::string_view("0x"));
      return put_number(value, 16, put);
    case 'c': {
      const auto character = static_cast<char>(value);
      return put(std::string_view(&character, 1));
    }
    case 'l':
      return put(std::string_view(launch::text(static_cast<launch::Cause>(value))));
    case 'd':
      return put(std::string_view(dma::text(value)));
    case 'f':
      return put(std::string_view(text(static_cast<fault::Kind>(value))));
    case 't':
      return put(std::string_view(fault::cause_text(value)));
    case 'g':
      return put_number(value / launch::kMaxCpes, 10, put);
    case 'p':
      return put_number(value % launch::kMaxCpes, 10, put);
    case 'w':
      return launch::put_wait(launch::decode_wait(value), put);
    case 'q':
      return put_number(queue_of(value), 10, put);
    case 's':
      return put_number(sequence_of(value), 10, put);
    default:
      return put_number(value, 10, put);
  }
}

}  // namespace detail

// `put` is called with one piece of the text after the other.
template <typename Put>
void form(std::string_view pattern, const Arguments& arguments, Put put) {
  while (!pattern.empty()) {
    const size_t open = pattern.find('{');
    if (open != 0) put(pattern.substr(0, open));
    if (open == pattern.npos) return;
    const size_t close = pattern.find('}', open);
    const auto index = static_cast<size_t>(pattern[open + 1] - '0');
    detail::put_argument(close - open == 4 ? pattern[open + 3] : 'u', arguments[index], put);
    pattern.remove_prefix(close + 1);
  }
}

}  // namespace swai::journal
