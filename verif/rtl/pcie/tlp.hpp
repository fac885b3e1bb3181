// SPDX-License-Identifier: Apache-2.0
// Packets as the PCI Express Base Specification draws them, for the far side of the tests; and as beats at
// the pins.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/common/field.hpp"

namespace swai::pcie {

inline constexpr unsigned kMemRead32 = 0x00, kMemRead64 = 0x20, kMemWrite32 = 0x40, kMemWrite64 = 0x60;
inline constexpr unsigned kMemReadLocked = 0x01, kIoRead = 0x02, kIoWrite = 0x42, kFetchAdd = 0x4c;
inline constexpr unsigned kCfgRead0 = 0x04, kCfgWrite0 = 0x44, kCfgRead1 = 0x05, kCfgWrite1 = 0x45;
inline constexpr unsigned kMessage = 0x30, kMessageData = 0x70;
inline constexpr unsigned kCompletion = 0x0a, kCompletionData = 0x4a, kCompletionLocked = 0x0b;
inline constexpr unsigned kSuccess = 0, kUnsupported = 1, kAbort = 4;

struct Tlp {
  unsigned fmt_type = 0;
  unsigned tc = 0;
  unsigned attr = 0;
  bool td = false;
  bool ep = false;
  unsigned length = 1;  // doublewords, 1 to 1024
  // A request.
  unsigned requester = 0;
  unsigned tag = 0;
  unsigned first_be = 0xf;
  unsigned last_be = 0;
  uint64_t addr = 0;  // a configuration request: what stands in the third doubleword
  // A completion; `requester` and `tag` are the request's.
  unsigned completer = 0;
  unsigned status = kSuccess;
  unsigned byte_count = 4;  // 1 to 4096
  unsigned lower_addr = 0;

  std::vector<uint32_t> data;

  bool has_data() const { return (fmt_type & 0x40) != 0; }
  bool long_header() const { return (fmt_type & 0x20) != 0; }
  bool is_completion() const { return (fmt_type & 0x1f) == 0x0a; }
  bool is_memory() const { return (fmt_type & 0x1f) == 0; }
  bool is_posted() const {
    return fmt_type == kMemWrite32 || fmt_type == kMemWrite64 || (fmt_type & 0xb8) == kMessage;
  }
  unsigned data_credits() const { return has_data() ? (length + 3) / 4 : 0; }
  std::string text() const;

  bool operator==(const Tlp&) const = default;
};

// One beat at the pins: data[511:0], header[127:0], eop, sop.
struct Beat {
  static constexpr unsigned kBits = 642;
  bool sop = false;
  bool eop = false;
  std::array<uint32_t, 4> header{};  // doubleword 0 first
  std::array<uint32_t, 16> data{};
  bool operator==(const Beat&) const = default;
};

void store(verif::Field& field, const Beat& beat);
void load(const verif::Field& field, Beat& beat);

// At least one beat; as many as the payload that is there needs, whatever `length` says.
std::vector<Beat> to_beats(const Tlp& tlp);
// Checks the framing and that no reserved bit is set.
Tlp from_beats(const std::vector<Beat>& beats);

}  // namespace swai::pcie
