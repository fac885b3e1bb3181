// SPDX-License-Identifier: Apache-2.0
// How firmware images lie in flash: shared by boot ROM, kernel, host tools and tests.
// docs/firmware/image-format.md explains it.
//
// A slot holds a header of 256 bytes and behind it the payload that is copied to memory. An image file has
// the same bytes. All numbers are little-endian. The last 32 bytes of the header, its state, change while the
// image lives in flash; as in any NOR flash they can only lose bits between two erasures.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "abi/crc32.hpp"

namespace swai::image {

static_assert(std::endian::native == std::endian::little, "headers are used as they lie in flash");

inline constexpr uint64_t kMagic = 0x474D'492D'4941'5753;  // "SWAI-IMG", first character lowest
inline constexpr uint32_t kFormat = 1;
inline constexpr uint32_t kHeaderBytes = 256;
// Load address and length are multiples of this: the ROM copies words.
inline constexpr uint32_t kAlignment = 8;
// Boots that an image may try before it must have been confirmed.
inline constexpr unsigned kMaxAttempts = 3;

// Where the slots are. The first 4 MiB belong to the FPGA's bitstream on boards whose chip holds both.
enum class Slot : uint8_t { kA, kB };
inline constexpr std::array<Slot, 2> kSlots = {Slot::kA, Slot::kB};
inline constexpr uint32_t kSlotBytes = 0x10'0000;
inline constexpr uint32_t kFirstSlotOffset = 0x40'0000;
inline constexpr uint32_t kMaxPayloadBytes = kSlotBytes - kHeaderBytes;
// The smallest chip that has both slots.
inline constexpr uint32_t kMinFlashBytes = 0x80'0000;

constexpr unsigned index(Slot slot) { return static_cast<unsigned>(slot); }
constexpr char letter(Slot slot) { return slot == Slot::kA ? 'A' : 'B'; }
constexpr uint32_t slot_offset(Slot slot) { return kFirstSlotOffset + index(slot) * kSlotBytes; }

// Versions are compared as numbers.
constexpr uint64_t make_version(uint16_t major, uint16_t minor, uint16_t patch) {
  return uint64_t{major} << 32 | uint64_t{minor} << 16 | patch;
}

// Text fields are filled up with zeros; a field that is full has no zero at its end.
struct Identity {
  std::array<char, 32> name;
  std::array<char, 32> version;  // "1.2.3"
  std::array<char, 40> git_hash;
  std::array<char, 24> board;
};
static_assert(sizeof(Identity) == 128);

// The identity as the payload carries it, where a memory dump can be searched for it.
struct IdentityRecord {
  static constexpr uint64_t kMagic = 0x5244'492D'4941'5753;  // "SWAI-IDR"
  uint64_t magic = kMagic;
  Identity identity;
};

struct State {
  uint64_t attempts;   // each boot before confirmation clears one bit, lowest first
  uint64_t confirmed;  // cleared when the image passed its self-test
  uint64_t revoked;    // cleared to take the image out of service
  uint64_t rank;       // each cleared bit ranks the image higher, whatever the versions are
};

struct Header {
  uint64_t magic;
  uint32_t format;
  uint32_t header_bytes;
  uint64_t image_version;
  uint64_t length;  // of the payload
  uint64_t load_address;
  uint64_t entry;
  std::array<uint8_t, 32> sha256;  // of the payload
  Identity identity;
  std::array<uint8_t, 12> reserved;  // zero
  uint32_t checksum;                 // CRC-32 of everything before it
  State state;
};
static_assert(sizeof(Header) == kHeaderBytes);
inline constexpr size_t kChecksumOffset = offsetof(Header, checksum);
inline constexpr size_t kStateOffset = offsetof(Header, state);
static_assert(kStateOffset == kChecksumOffset + sizeof(uint32_t));

inline uint32_t checksum(const Header& header) { return crc32(&header, kChecksumOffset); }

// Power can go while bits are being cleared, so a field of the state counts by its majority.
inline constexpr unsigned kMajority = 32;
constexpr unsigned cleared_bits(uint64_t field) { return static_cast<unsigned>(std::popcount(~field)); }
constexpr bool is_confirmed(const State& state) { return cleared_bits(state.confirmed) >= kMajority; }
constexpr bool is_revoked(const State& state) { return cleared_bits(state.revoked) >= kMajority; }
constexpr unsigned attempts_made(const State& state) { return cleared_bits(state.attempts); }
constexpr unsigned rank(const State& state) { return cleared_bits(state.rank); }
inline constexpr unsigned kMaxRank = 64;
constexpr uint64_t count_attempt(uint64_t attempts) { return attempts & (attempts - 1); }

// Why an image is not booted. The numbers are part of the boot status word: append, never renumber.
enum class Refusal : uint8_t {
  kNone = 0,
  kErased = 1,
  kBadMagic = 2,
  kUnknownFormat = 3,
  kBadChecksum = 4,
  kBadHeader = 5,
  kEmpty = 6,
  kTooLong = 7,
  kMisaligned = 8,
  kOutsideMemory = 9,
  kEntryOutside = 10,
  kRevoked = 11,
  kAttemptsUsedUp = 12,
  kDigestMismatch = 13,
  kAttemptNotRecorded = 14,
  kNoFlash = 15,
  kFlashBusy = 16,
  kTruncated = 17,
  kNoQuadMode = 18,
};

constexpr const char* text(Refusal refusal) {
  switch (refusal) {
    case Refusal::kNone:
      return "valid";
    case Refusal::kErased:
      return "empty";
    case Refusal::kBadMagic:
      return "no image header";
    case Refusal::kUnknownFormat:
      return "unknown header format";
    case Refusal::kBadChecksum:
      return "header checksum wrong";
    case Refusal::kBadHeader:
      return "header malformed";
    case Refusal::kEmpty:
      return "length is zero";
    case Refusal::kTooLong:
      return "too long for the slot";
    case Refusal::kMisaligned:
      return "load address or length misaligned";
    case Refusal::kOutsideMemory:
      return "does not fit into memory";
    case Refusal::kEntryOutside:
      return "entry outside the image";
    case Refusal::kRevoked:
      return "revoked";
    case Refusal::kAttemptsUsedUp:
      return "never confirmed, boot attempts used up";
    case Refusal::kDigestMismatch:
      return "digest wrong";
    case Refusal::kAttemptNotRecorded:
      return "boot attempt could not be recorded";
    case Refusal::kNoFlash:
      return "no flash chip";
    case Refusal::kFlashBusy:
      return "flash chip stays busy";
    case Refusal::kTruncated:
      return "truncated";
    case Refusal::kNoQuadMode:
      return "flash chip refuses four-line mode";
  }
  return "unknown reason";
}

// Memory that images may occupy.
struct Limits {
  uint64_t memory_base;
  uint64_t memory_end;
};

// What cannot change while the image lies in flash.
inline Refusal check_header(const Header& header, const Limits& limits) {
  if (header.magic == ~uint64_t{0}) return Refusal::kErased;
  if (header.magic != kMagic) return Refusal::kBadMagic;
  // Before the checksum: another format may have it elsewhere.
  if (header.format != kFormat) return Refusal::kUnknownFormat;
  if (header.checksum != checksum(header)) return Refusal::kBadChecksum;
  if (header.header_bytes != kHeaderBytes) return Refusal::kBadHeader;
  for (const uint8_t byte : header.reserved) {
    if (byte != 0) return Refusal::kBadHeader;
  }
  if (header.length == 0) return Refusal::kEmpty;
  if (header.length > kMaxPayloadBytes) return Refusal::kTooLong;
  if (header.length % kAlignment != 0 || header.load_address % kAlignment != 0) return Refusal::kMisaligned;
  if (header.load_address < limits.memory_base || header.load_address > limits.memory_end ||
      header.length > limits.memory_end - header.load_address) {
    return Refusal::kOutsideMemory;
  }
  if (header.entry % 2 != 0 || header.entry < header.load_address ||
      header.entry - header.load_address >= header.length) {
    return Refusal::kEntryOutside;
  }
  return Refusal::kNone;
}

// What its state says about an image whose header is good.
constexpr Refusal check_state(const State& state) {
  if (is_revoked(state)) return Refusal::kRevoked;
  if (!is_confirmed(state) && attempts_made(state) >= kMaxAttempts) return Refusal::kAttemptsUsedUp;
  return Refusal::kNone;
}

inline Refusal check(const Header& header, const Limits& limits) {
  const Refusal refusal = check_header(header, limits);
  return refusal != Refusal::kNone ? refusal : check_state(header.state);
}

// The slot to try first when both are valid: the higher rank, which whoever goes back to an older version
// gives it; then the newer version; of equal ones a confirmed one; else A.
constexpr Slot preferred(const Header& a, const Header& b) {
  if (rank(a.state) != rank(b.state)) return rank(a.state) > rank(b.state) ? Slot::kA : Slot::kB;
  if (a.image_version != b.image_version) return a.image_version > b.image_version ? Slot::kA : Slot::kB;
  return !is_confirmed(a.state) && is_confirmed(b.state) ? Slot::kB : Slot::kA;
}

}  // namespace swai::image
