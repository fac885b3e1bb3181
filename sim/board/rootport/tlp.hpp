// SPDX-License-Identifier: Apache-2.0
// Transaction-layer packets, decoded. Written from the PCI Express Base Specification, section 2.2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace swai::rootport {

// The longest payload of a packet here: Max_Payload_Size is never set higher.
inline constexpr unsigned kMaxPayload = 256;

enum class TlpKind : uint8_t { kMemRead, kMemWrite, kConfigRead, kConfigWrite, kCompletion, kCompletionData };
inline constexpr size_t kTlpKinds = 6;
const char* text(TlpKind kind);

enum class CplStatus : uint8_t { kSuccess = 0, kUnsupported = 1, kRetry = 2, kAbort = 4 };

// The four doublewords of a header, 0 first. Headers of three leave the last one zero.
using TlpHeader = std::array<uint32_t, 4>;

struct Tlp {
  TlpKind kind = TlpKind::kMemRead;
  bool poisoned = false;
  uint8_t traffic_class = 0;
  uint8_t attributes = 0;  // bit 0 no snoop, 1 relaxed ordering, 2 order by id
  uint16_t length = 1;     // in doublewords, 1..1024; 0 in completions without data
  uint16_t requester = 0;  // bus, device, function
  uint8_t tag = 0;
  // Requests.
  uint8_t first_be = 0;
  uint8_t last_be = 0;
  uint16_t target = 0;   // configuration: bus, device, function
  uint64_t address = 0;  // of a doubleword; configuration: offset of the register
  // Completions.
  uint16_t completer = 0;
  CplStatus status = CplStatus::kSuccess;
  uint16_t byte_count = 0;    // still to come, this packet included: 1..4096
  uint8_t lower_address = 0;  // of the first byte that counts

  std::array<uint8_t, kMaxPayload> data;  // only what payload() shows means anything

  bool posted() const { return kind == TlpKind::kMemWrite; }
  bool completion() const { return kind == TlpKind::kCompletion || kind == TlpKind::kCompletionData; }
  bool nonposted() const { return !posted() && !completion(); }
  bool has_data() const {
    return kind == TlpKind::kMemWrite || kind == TlpKind::kConfigWrite || kind == TlpKind::kCompletionData;
  }
  unsigned payload_bytes() const { return has_data() ? length * 4u : 0; }
  std::span<const uint8_t> payload() const { return {data.data(), payload_bytes()}; }
  unsigned header_bytes() const { return is_memory() && address >> 32 != 0 ? 16 : 12; }
  bool is_memory() const { return kind == TlpKind::kMemRead || kind == TlpKind::kMemWrite; }
  // Credits that the packet takes.
  unsigned data_credits() const { return (payload_bytes() + 15) / 16; }

  // Requests to memory: the bytes from the first one enabled to the last one. Nothing enabled: one byte, as
  // the specification counts a read of nothing.
  unsigned first_byte() const;  // offset from `address`
  unsigned byte_span() const;

  std::string text() const;
};

// Requests to memory for a range of bytes that lies inside one 4 KiB page and is not longer than a packet may
// be. A write takes its payload from `data`.
Tlp memory_read(uint64_t address, unsigned bytes, uint16_t requester, uint8_t tag);
Tlp memory_write(uint64_t address, std::span<const uint8_t> data, uint16_t requester);
// Completions of `request`; the second answers `data.size()` bytes of it, `offset` bytes behind the first one
// enabled.
Tlp completion(const Tlp& request, CplStatus status, uint16_t completer);
Tlp completion(const Tlp& request, unsigned offset, std::span<const uint8_t> data, uint16_t completer);

// What is wrong with a packet.
enum class TlpError : uint8_t {
  kNone,
  kType,         // not one of TlpKind
  kReserved,     // a reserved bit is set
  kDigest,       // TD: this wire has no end-to-end CRC
  kAddressType,  // AT or TH is set
  kLengthWrite,  // payload longer than Max_Payload_Size
  kLengthRead,   // more asked for than Max_Read_Request_Size
  kPage,         // crosses a 4 KiB boundary
  kWideAddress,  // 64-bit header for an address below 4 GiB
  kFirstEnable,  // several doublewords, none of the first one's bytes enabled
  kLastEnable,   // one doubleword and last byte enables, or several and none
  kEnableGap,    // byte enables with gaps where the specification has none
  kConfig,       // a configuration request that is not one doubleword, class 0, without attributes
  kStatus,       // completion status that does not exist
  kDataStatus,   // data with a status other than success
  kByteCount,    // completion: length, byte count and lower address do not fit each other
  kFraming,      // beats out of turn, or their number does not fit the length
};
const char* text(TlpError error);

struct TlpLimits {
  unsigned max_payload = kMaxPayload;
  unsigned max_read = 512;
  unsigned completion_boundary = 64;  // at which a completion that is not the last may end
};

// The header as it crosses the pins. `tlp` must be one that decode() would take.
TlpHeader encode(const Tlp& tlp);
// Fills all of `tlp` except its payload. After an error `tlp` is what could be read.
TlpError decode(const TlpHeader& header, const TlpLimits& limits, Tlp& tlp);

}  // namespace swai::rootport
