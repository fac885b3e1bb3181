// SPDX-License-Identifier: Apache-2.0
// The modules that the program carries, and where in the memory of group 0 everything lies.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "abi/module_reader.hpp"
#include "abi/segment.hpp"
#include "card_regs.hpp"

namespace swai::launch_bench {

// Memory of group 0
inline constexpr uint64_t kMemory = regs::kHbmRegion.base;
inline constexpr uint64_t kTable = kMemory;
inline constexpr uint32_t kTableEntries = 1024;
inline constexpr uint64_t kArguments = kMemory + 0x1'0000;
inline constexpr uint64_t kCode = kMemory + 0x10'0000;
inline constexpr uint64_t kCodeStride = 0x1'0000;
inline constexpr uint64_t kClassicCode = kMemory + 0x20'0000;
inline constexpr uint64_t kData = kMemory + 0x1000'0000;
inline constexpr uint64_t kDataBytes = 0x2000'0000;
inline constexpr uint64_t kHandover = kMemory + 0x400'0000;
inline constexpr uint64_t kHandoverBytes = 0x10'0000;
inline constexpr uint64_t kAnswer = kHandover + kHandoverBytes;

// Segments
inline constexpr uint16_t kArgumentSegment = 1;
inline constexpr uint16_t kDataSegment = 2;
inline constexpr uint16_t kHandoverSegment = 3;
inline constexpr uint16_t kAnswerSegment = kHandoverSegment + 1;  // as the kernel expects it
inline constexpr uint16_t kFirstCodeSegment = 16;
inline constexpr uint16_t kClassicSegment = 64;

enum Program : unsigned {
  kDaemon,
  kEmpty,
  kBroadcast,
  kStream,
  kSync,
  kScalar,
  kCopy,
  kFaults,
  kGemm,
  kSparse,
  kGemv,
  kSoftmax,
  kAxpy,
  kHandOver
};
inline constexpr unsigned kPrograms = 14;

std::span<const uint8_t> file_of(Program program);

constexpr uint16_t segment_of(Program program) { return static_cast<uint16_t>(kFirstCodeSegment + program); }
constexpr uint64_t code_of(Program program) { return kCode + program * kCodeStride; }

}  // namespace swai::launch_bench
