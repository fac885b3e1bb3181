// SPDX-License-Identifier: Apache-2.0
// The record that firmware leaves when it gives up. It lies at a fixed place at the top of the SRAM and
// survives resets, so the next kernel, a debugger or the host can read it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "abi/boot.hpp"
#include "abi/crc32.hpp"

namespace swai::fault {

// Numbers are part of the boot status word: append, never renumber.
enum class Kind : uint32_t {
  kNone = 0,
  kAssertion = 1,
  kException = 2,         // unexpected, in supervisor mode
  kStackOverflow = 3,     // supervisor stack ran into its guard page
  kNestedTrap = 4,        // exception inside a trap handler
  kMachineException = 5,  // in machine mode, or one that supervisor mode cannot get
  kWatchdog = 6,
  kNmi = 7,
  kSelfTest = 8,
  kBusWrite = 9,  // noticed some time after the store
};

constexpr const char* text(Kind kind) {
  switch (kind) {
    case Kind::kNone:
      return "none";
    case Kind::kAssertion:
      return "assertion failed";
    case Kind::kException:
      return "unexpected exception";
    case Kind::kStackOverflow:
      return "stack overflow";
    case Kind::kNestedTrap:
      return "exception in a trap handler";
    case Kind::kMachineException:
      return "exception in machine mode";
    case Kind::kWatchdog:
      return "watchdog expired";
    case Kind::kNmi:
      return "non-maskable interrupt";
    case Kind::kSelfTest:
      return "self-test failed";
    case Kind::kBusWrite:
      return "the bus refused a write";
  }
  return "unknown fault";
}

// What a value of mcause or scause says.
constexpr const char* cause_text(uint64_t cause) {
  constexpr uint64_t kInterrupt = uint64_t{1} << 63;
  constexpr std::array<const char*, 16> kExceptions = {
      "fetch misaligned",  "fetch access fault", "illegal instruction", "breakpoint",      "load misaligned",
      "load access fault", "store misaligned",   "store access fault",  "call from user",  "call from kernel",
      "reserved",          "call from machine",  "fetch page fault",    "load page fault", "reserved",
      "store page fault"};
  if ((cause & kInterrupt) != 0) return "interrupt";
  return cause < kExceptions.size() ? kExceptions[cause] : "reserved";
}

struct Record {
  static constexpr uint64_t kMagic = 0x544C'462D'4941'5753;  // "SWAI-FLT"
  static constexpr uint32_t kFormat = 2;

  uint64_t magic;
  uint32_t format;
  Kind kind;
  uint64_t time;                       // clocks since reset
  uint64_t cause;                      // as in mcause/scause
  uint64_t pc;                         // of the faulting instruction
  uint64_t value;                      // as in mtval/stval
  uint64_t status;                     // mstatus or sstatus
  std::array<uint64_t, 32> registers;  // x0 to x31
  std::array<char, 64> message;        // filled up with zeros
  std::array<char, 16> build;          // the image's commit, likewise
  uint32_t reported;                   // a later kernel has logged it
  uint32_t checksum;                   // CRC-32 of everything before `reported`
};
static_assert(sizeof(Record) <= boot::kFaultRecordBytes);

inline uint32_t checksum(const Record& record) { return crc32(&record, offsetof(Record, reported)); }

inline bool is_valid(const Record& record) {
  return record.magic == Record::kMagic && record.format == Record::kFormat &&
         record.checksum == checksum(record);
}

inline constexpr uint64_t kRecordAddress = boot::kMemoryEnd - boot::kFaultRecordBytes;

}  // namespace swai::fault
