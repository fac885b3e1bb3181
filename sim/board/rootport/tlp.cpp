// SPDX-License-Identifier: Apache-2.0
#include "sim/board/rootport/tlp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>

namespace swai::rootport {
namespace {

// Fmt and Type: byte 0 of a packet.
constexpr uint8_t kMemRead32 = 0x00, kMemRead64 = 0x20, kMemWrite32 = 0x40, kMemWrite64 = 0x60;
constexpr uint8_t kConfigRead0 = 0x04, kConfigWrite0 = 0x44, kCompletionNoData = 0x0A,
                  kCompletionWithData = 0x4A;

uint8_t format_and_type(const Tlp& tlp) {
  const bool wide = tlp.header_bytes() == 16;
  switch (tlp.kind) {
    case TlpKind::kMemRead:
      return wide ? kMemRead64 : kMemRead32;
    case TlpKind::kMemWrite:
      return wide ? kMemWrite64 : kMemWrite32;
    case TlpKind::kConfigRead:
      return kConfigRead0;
    case TlpKind::kConfigWrite:
      return kConfigWrite0;
    case TlpKind::kCompletion:
      return kCompletionNoData;
    default:
      return kCompletionWithData;
  }
}

// False: not one of ours.
bool kind_of(uint8_t byte, TlpKind& kind, bool& wide) {
  wide = false;
  switch (byte) {
    case kMemRead64:
      wide = true;
      [[fallthrough]];
    case kMemRead32:
      kind = TlpKind::kMemRead;
      return true;
    case kMemWrite64:
      wide = true;
      [[fallthrough]];
    case kMemWrite32:
      kind = TlpKind::kMemWrite;
      return true;
    case kConfigRead0:
      kind = TlpKind::kConfigRead;
      return true;
    case kConfigWrite0:
      kind = TlpKind::kConfigWrite;
      return true;
    case kCompletionNoData:
      kind = TlpKind::kCompletion;
      return true;
    case kCompletionWithData:
      kind = TlpKind::kCompletionData;
      return true;
    default:
      return false;
  }
}

// Enabled bytes reach without a gap up to the highest one (first doubleword) or from the lowest one (last).
bool reaches_up(unsigned be) { return be == 0x8 || be == 0xC || be == 0xE || be == 0xF; }
bool starts_low(unsigned be) { return be == 0x1 || be == 0x3 || be == 0x7 || be == 0xF; }

TlpError check_memory(const Tlp& tlp, bool wide, const TlpLimits& limits) {
  const unsigned bytes = tlp.length * 4u;
  if (wide && tlp.address >> 32 == 0) return TlpError::kWideAddress;
  if (tlp.kind == TlpKind::kMemRead && bytes > limits.max_read) return TlpError::kLengthRead;
  if ((tlp.address & 0xFFF) + bytes > 0x1000) return TlpError::kPage;
  if (tlp.length == 1) return tlp.last_be == 0 ? TlpError::kNone : TlpError::kLastEnable;
  if (tlp.first_be == 0) return TlpError::kFirstEnable;
  if (tlp.last_be == 0) return TlpError::kLastEnable;
  // Two doublewords that are an aligned quadword may have any bytes enabled.
  if (tlp.length == 2 && (tlp.address & 7) == 0) return TlpError::kNone;
  return reaches_up(tlp.first_be) && starts_low(tlp.last_be) ? TlpError::kNone : TlpError::kEnableGap;
}

TlpError check_config(const Tlp& tlp) {
  const bool plain = tlp.length == 1 && tlp.last_be == 0 && tlp.traffic_class == 0 && tlp.attributes == 0;
  return plain ? TlpError::kNone : TlpError::kConfig;
}

TlpError check_completion(const Tlp& tlp, const TlpLimits& limits) {
  switch (tlp.status) {
    case CplStatus::kSuccess:
      break;
    case CplStatus::kUnsupported:
    case CplStatus::kRetry:
    case CplStatus::kAbort:
      return tlp.has_data() ? TlpError::kDataStatus : TlpError::kNone;
    default:
      return TlpError::kStatus;
  }
  if (!tlp.has_data()) return TlpError::kNone;
  const unsigned start = tlp.lower_address & 3u;
  const unsigned bytes = tlp.length * 4u - start;
  if (tlp.byte_count > bytes) {
    // More is to come: this part must end at a boundary.
    const bool boundary = (tlp.lower_address + bytes) % limits.completion_boundary == 0;
    return boundary ? TlpError::kNone : TlpError::kByteCount;
  }
  return tlp.length == (start + tlp.byte_count + 3) / 4 ? TlpError::kNone : TlpError::kByteCount;
}

}  // namespace

const char* text(TlpKind kind) {
  static constexpr const char* kTexts[] = {"MRd", "MWr", "CfgRd0", "CfgWr0", "Cpl", "CplD"};
  return kTexts[static_cast<size_t>(kind)];
}

const char* text(TlpError error) {
  switch (error) {
    case TlpError::kNone:
      return "none";
    case TlpError::kType:
      return "unknown format and type";
    case TlpError::kReserved:
      return "a reserved bit is set";
    case TlpError::kDigest:
      return "digest where there is none";
    case TlpError::kAddressType:
      return "address type or processing hint";
    case TlpError::kLengthWrite:
      return "payload longer than Max_Payload_Size";
    case TlpError::kLengthRead:
      return "read longer than Max_Read_Request_Size";
    case TlpError::kPage:
      return "crosses a 4 KiB boundary";
    case TlpError::kWideAddress:
      return "64-bit header for an address below 4 GiB";
    case TlpError::kFirstEnable:
      return "several doublewords without first byte enables";
    case TlpError::kLastEnable:
      return "last byte enables do not fit the length";
    case TlpError::kEnableGap:
      return "gap in the byte enables";
    case TlpError::kConfig:
      return "configuration request with length, class or attributes";
    case TlpError::kStatus:
      return "unknown completion status";
    case TlpError::kDataStatus:
      return "data in a completion that failed";
    case TlpError::kByteCount:
      return "length, byte count and lower address of a completion do not fit";
    case TlpError::kFraming:
      return "beats do not fit the length";
  }
  return "?";
}

unsigned Tlp::first_byte() const {
  return first_be == 0 ? 0 : static_cast<unsigned>(std::countr_zero(first_be));
}

unsigned Tlp::byte_span() const {
  if (length == 1) return first_be == 0 ? 1 : static_cast<unsigned>(std::bit_width(first_be)) - first_byte();
  return length * 4u - 4u + static_cast<unsigned>(std::bit_width(last_be)) - first_byte();
}

std::string Tlp::text() const {
  std::string out = rootport::text(kind);
  if (completion()) {
    out += fmt::format(" for {:04x} tag {} from {:04x} status {} bytes {} lower {:#x}", requester, tag,
                       completer, static_cast<unsigned>(status), byte_count, lower_address);
  } else {
    out += fmt::format(" {:#x} be {:x}/{:x} from {:04x} tag {}", address, first_be, last_be, requester, tag);
  }
  out += fmt::format(" length {}", length);
  if (poisoned) out += " poisoned";
  return out;
}

Tlp memory_read(uint64_t address, unsigned bytes, uint16_t requester, uint8_t tag) {
  Tlp tlp;
  const unsigned start = address & 3;
  assert(bytes >= 1 && (address & 0xFFF) + bytes <= 0x1000);
  tlp.kind = TlpKind::kMemRead;
  tlp.address = address - start;
  tlp.length = static_cast<uint16_t>((start + bytes + 3) / 4);
  const unsigned last = 0xFu >> (3 - (start + bytes - 1) % 4);
  const unsigned first = 0xFu << start & 0xFu;
  tlp.first_be = static_cast<uint8_t>(tlp.length == 1 ? first & last : first);
  tlp.last_be = static_cast<uint8_t>(tlp.length == 1 ? 0 : last);
  tlp.requester = requester;
  tlp.tag = tag;
  return tlp;
}

Tlp memory_write(uint64_t address, std::span<const uint8_t> data, uint16_t requester) {
  Tlp tlp = memory_read(address, static_cast<unsigned>(data.size()), requester, 0);
  assert(tlp.length * 4u <= kMaxPayload);
  tlp.kind = TlpKind::kMemWrite;
  std::fill_n(tlp.data.begin(), 4, uint8_t{0});
  std::fill_n(tlp.data.begin() + tlp.length * 4 - 4, 4, uint8_t{0});
  std::copy(data.begin(), data.end(), tlp.data.begin() + (address & 3));
  return tlp;
}

Tlp completion(const Tlp& request, CplStatus status, uint16_t completer) {
  Tlp tlp;
  tlp.kind = TlpKind::kCompletion;
  tlp.length = 0;
  tlp.traffic_class = request.traffic_class;
  tlp.attributes = request.attributes;
  tlp.requester = request.requester;
  tlp.tag = request.tag;
  tlp.completer = completer;
  tlp.status = status;
  const bool memory = request.kind == TlpKind::kMemRead;
  tlp.byte_count = static_cast<uint16_t>(memory ? request.byte_span() : 4);
  tlp.lower_address = static_cast<uint8_t>(memory ? (request.address + request.first_byte()) & 0x7F : 0);
  return tlp;
}

Tlp completion(const Tlp& request, unsigned offset, std::span<const uint8_t> data, uint16_t completer) {
  Tlp tlp = completion(request, CplStatus::kSuccess, completer);
  tlp.kind = TlpKind::kCompletionData;
  tlp.byte_count = static_cast<uint16_t>(tlp.byte_count - offset);
  tlp.lower_address = static_cast<uint8_t>((tlp.lower_address + offset) & 0x7F);
  const unsigned start = tlp.lower_address & 3u;
  tlp.length = static_cast<uint16_t>((start + data.size() + 3) / 4);
  assert(tlp.length * 4u <= kMaxPayload);
  std::fill_n(tlp.data.begin(), 4, uint8_t{0});
  std::fill_n(tlp.data.begin() + tlp.length * 4 - 4, 4, uint8_t{0});
  std::copy(data.begin(), data.end(), tlp.data.begin() + start);
  return tlp;
}

TlpHeader encode(const Tlp& tlp) {
  TlpHeader h{};
  h[0] = uint32_t{format_and_type(tlp)} << 24 | uint32_t{tlp.traffic_class} << 20 |
         (tlp.attributes >> 2 & 1u) << 18 | uint32_t{tlp.poisoned} << 14 | (tlp.attributes & 3u) << 12 |
         (tlp.length & 0x3FFu);
  if (tlp.completion()) {
    h[1] =
        uint32_t{tlp.completer} << 16 | static_cast<uint32_t>(tlp.status) << 13 | (tlp.byte_count & 0xFFFu);
    h[2] = uint32_t{tlp.requester} << 16 | uint32_t{tlp.tag} << 8 | (tlp.lower_address & 0x7Fu);
    return h;
  }
  h[1] = uint32_t{tlp.requester} << 16 | uint32_t{tlp.tag} << 8 | uint32_t{tlp.last_be} << 4 | tlp.first_be;
  if (!tlp.is_memory()) {
    h[2] = uint32_t{tlp.target} << 16 | (static_cast<uint32_t>(tlp.address) & 0xFFCu);
  } else if (tlp.header_bytes() == 16) {
    h[2] = static_cast<uint32_t>(tlp.address >> 32);
    h[3] = static_cast<uint32_t>(tlp.address);
  } else {
    h[2] = static_cast<uint32_t>(tlp.address);
  }
  return h;
}

TlpError decode(const TlpHeader& h, const TlpLimits& limits, Tlp& tlp) {
  bool wide = false;
  const bool known = kind_of(static_cast<uint8_t>(h[0] >> 24), tlp.kind, wide);
  tlp.traffic_class = h[0] >> 20 & 7;
  tlp.attributes = static_cast<uint8_t>((h[0] >> 12 & 3) | (h[0] >> 18 & 1) << 2);
  tlp.poisoned = (h[0] >> 14 & 1) != 0;
  const unsigned length = h[0] & 0x3FF;
  tlp.length = static_cast<uint16_t>(length != 0 || tlp.kind == TlpKind::kCompletion ? length : 1024);
  if (!known) return TlpError::kType;
  uint32_t reserved = h[0] & 0x008A'0000;  // T9, T8, LN
  if (!wide) reserved |= h[3];
  if (tlp.completion()) {
    tlp.completer = static_cast<uint16_t>(h[1] >> 16);
    tlp.status = static_cast<CplStatus>(h[1] >> 13 & 7);
    tlp.byte_count = static_cast<uint16_t>((h[1] & 0xFFF) != 0 ? h[1] & 0xFFF : 4096);
    tlp.requester = static_cast<uint16_t>(h[2] >> 16);
    tlp.tag = static_cast<uint8_t>(h[2] >> 8);
    tlp.lower_address = h[2] & 0x7F;
    reserved |= (h[1] & 0x1000) | (h[2] & 0x80);  // BCM is PCI-X's
    if (!tlp.has_data()) reserved |= tlp.length;
  } else {
    tlp.requester = static_cast<uint16_t>(h[1] >> 16);
    tlp.tag = static_cast<uint8_t>(h[1] >> 8);
    tlp.first_be = h[1] & 0xF;
    tlp.last_be = h[1] >> 4 & 0xF;
    const uint32_t low = wide ? h[3] : h[2];
    reserved |= low & 3;
    if (tlp.is_memory()) {
      tlp.address = (wide ? uint64_t{h[2]} << 32 : 0) | (low & ~3u);
    } else {
      tlp.target = static_cast<uint16_t>(low >> 16);
      tlp.address = low & 0xFFC;
      reserved |= low & 0xF000;
    }
  }
  if (reserved != 0) return TlpError::kReserved;
  if ((h[0] & 0x8000) != 0) return TlpError::kDigest;
  if ((h[0] & 0x1'0C00) != 0) return TlpError::kAddressType;
  if (tlp.payload_bytes() > limits.max_payload) return TlpError::kLengthWrite;
  if (tlp.is_memory()) return check_memory(tlp, wide, limits);
  if (tlp.completion()) return check_completion(tlp, limits);
  return check_config(tlp);
}

}  // namespace swai::rootport
