// SPDX-License-Identifier: Apache-2.0
#include "host/tools/flash/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "host/lib/printable.hpp"
#include "host/lib/sha256.hpp"

namespace swai::flash {

using image::Header;
using image::Refusal;

std::optional<uint64_t> parse_version(std::string_view text) {
  std::array<uint16_t, 3> parts = {};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i != 0 && (at == end || *at++ != '.')) return std::nullopt;
    const auto [next, error] = std::from_chars(at, end, parts[i]);
    if (error != std::errc{}) return std::nullopt;
    at = next;
  }
  if (at != end) return std::nullopt;
  return image::make_version(parts[0], parts[1], parts[2]);
}

std::string version_text(uint64_t version) {
  return fmt::format("{}.{}.{}", version >> 32, (version >> 16) & 0xFFFF, version & 0xFFFF);
}

void set_text(std::span<char> field, std::string_view text, const char* what) {
  if (text.size() > field.size()) {
    throw InputError(fmt::format("{} '{}' is too long; it may have {} characters", what, text, field.size()));
  }
  if (!std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; })) {
    throw InputError(fmt::format("{} holds characters that do not print; use ASCII", what));
  }
  std::ranges::fill(field, '\0');
  std::ranges::copy(text, field.begin());
}

std::string get_text(std::span<const char> field) {
  return common::printable({field.begin(), std::ranges::find(field, '\0')});
}

image::Identity identity_of(const common::Elf& elf) {
  const auto address = elf.symbol("swai_identity");
  if (!address) {
    throw InputError(fmt::format("{}: carries no identity record (symbol swai_identity)", elf.path));
  }
  for (const auto& segment : elf.segments) {
    image::IdentityRecord record;
    if (*address < segment.address || *address - segment.address > segment.data.size() ||
        segment.data.size() - (*address - segment.address) < sizeof(record)) {
      continue;
    }
    std::memcpy(&record, segment.data.data() + (*address - segment.address), sizeof(record));
    if (record.magic == image::IdentityRecord::kMagic) return record.identity;
  }
  throw InputError(fmt::format("{}: no identity record at its symbol swai_identity", elf.path));
}

void seal(Header& header) { header.checksum = image::checksum(header); }

Header read_header(std::span<const uint8_t> bytes) {
  Header header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  return header;
}

void write_header(std::span<uint8_t> bytes, const Header& header) {
  std::memcpy(bytes.data(), &header, sizeof(header));
}

Bytes make_image(std::span<const uint8_t> payload, const Description& description) {
  const std::string version = get_text(description.identity.version);
  const auto number = parse_version(version);
  if (!number) {
    throw InputError(
        fmt::format("'{}' is no image version; it must look like 1.2.3, each part below 65536", version));
  }

  Bytes bytes(sizeof(Header));
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  while (bytes.size() % image::kAlignment != 0) bytes.push_back(0);
  const auto padded = std::span(bytes).subspan(sizeof(Header));

  Header header = {};
  header.magic = image::kMagic;
  header.format = image::kFormat;
  header.header_bytes = image::kHeaderBytes;
  header.image_version = *number;
  header.length = padded.size();
  header.load_address = description.load_address;
  header.entry = description.entry;
  header.sha256 = sha256(padded);
  header.identity = description.identity;
  header.state = {~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}};
  seal(header);
  write_header(bytes, header);

  if (const Refusal refusal = check(bytes); refusal != Refusal::kNone) {
    throw InputError(
        fmt::format("the boot ROM would refuse this image: {} (load address {:#x}, {} bytes, entry {:#x}; "
                    "memory for images is "
                    "{:#x} to {:#x})",
                    text(refusal), header.load_address, header.length, header.entry,
                    boot::kImageMemory.memory_base, boot::kImageMemory.memory_end));
  }
  return bytes;
}

Bytes make_image(const common::Elf& elf, const image::Identity& identity) {
  uint64_t first = ~uint64_t{0};
  uint64_t end = 0;
  for (const auto& segment : elf.segments) {
    if (segment.data.empty()) continue;
    if (segment.address > ~uint64_t{0} - segment.data.size()) {
      throw InputError(fmt::format("{}: has a segment that ends beyond the last address", elf.path));
    }
    first = std::min(first, segment.address);
    end = std::max(end, segment.address + segment.data.size());
  }
  if (first >= end) throw InputError(fmt::format("{}: has no contents to load", elf.path));
  if (end - first > image::kMaxPayloadBytes) {
    throw InputError(fmt::format("{}: spans {} bytes from {:#x}; a slot has room for {}", elf.path,
                                 end - first, first, image::kMaxPayloadBytes));
  }
  Bytes payload(end - first);
  for (const auto& segment : elf.segments) {
    if (segment.data.empty()) continue;
    std::ranges::copy(segment.data, payload.begin() + static_cast<ptrdiff_t>(segment.address - first));
  }
  return make_image(payload, {identity, first, elf.entry});
}

Refusal check(std::span<const uint8_t> bytes) {
  if (bytes.size() < sizeof(Header)) return Refusal::kTruncated;
  const Header header = read_header(bytes);
  const Refusal refusal = image::check(header, boot::kImageMemory);
  if (refusal != Refusal::kNone) return refusal;
  const auto rest = bytes.subspan(sizeof(Header));
  if (rest.size() < header.length) return Refusal::kTruncated;
  return sha256(rest.first(header.length)) == header.sha256 ? Refusal::kNone : Refusal::kDigestMismatch;
}

}  // namespace swai::flash
