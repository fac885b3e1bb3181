// SPDX-License-Identifier: Apache-2.0
// Firmware images on the host: making them, and judging them exactly as the boot ROM does.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/boot.hpp"
#include "abi/image.hpp"
#include "host/lib/elf.hpp"

namespace swai::flash {

using Bytes = std::vector<uint8_t>;
using common::InputError;

// What goes into a header beside what follows from the payload.
struct Description {
  image::Identity identity = {};
  uint64_t load_address = 0;
  uint64_t entry = 0;
};

// "1.2.3" as the number that versions are compared by; nothing when the text is no version.
std::optional<uint64_t> parse_version(std::string_view text);
std::string version_text(uint64_t version);

// Fills a text field of an identity. Throws InputError when the text is too long or does not print; `what`
// names it.
void set_text(std::span<char> field, std::string_view text, const char* what);
// The text, made printable: images are untrusted.
std::string get_text(std::span<const char> field);

// The identity that a firmware program carries at its symbol swai_identity. Throws InputError.
image::Identity identity_of(const common::Elf& elf);

// Header and payload, in the state in which images are flashed: not yet tried, not confirmed. The payload is
// filled up to the alignment. Throws InputError when the ROM would refuse the result.
Bytes make_image(std::span<const uint8_t> payload, const Description& description);
// The same from a program: everything from its lowest to its highest loaded byte. Memory that the file does
// not fill at its end (zeroed data) is the program's own business.
Bytes make_image(const common::Elf& elf, const image::Identity& identity);

// Seals a header that was edited: its checksum fits its contents again.
void seal(image::Header& header);

image::Header read_header(std::span<const uint8_t> bytes);
void write_header(std::span<uint8_t> bytes, const image::Header& header);

// What the ROM would say of these bytes in a slot; kTruncated when they end before the image does.
image::Refusal check(std::span<const uint8_t> bytes);

}  // namespace swai::flash
