// SPDX-License-Identifier: Apache-2.0
// Templates that lie, under a checksum that is right.
#pragma once

#include <cstring>
#include <vector>

#include "abi/crc32.hpp"
#include "abi/list_template.hpp"
#include "host/models/graph/template_file.hpp"

namespace swai::graph {

// Whether such bytes are taken; then all is done with the template that is done with templates.
inline bool accepted(std::vector<uint8_t> bytes) {
  list_template::Header header;
  if (bytes.size() >= sizeof header) {
    std::memcpy(&header, bytes.data(), sizeof header);
    header.magic = list_template::kMagic;
    header.version = list_template::kVersion;
    header.bytes = static_cast<uint32_t>(bytes.size());
    header.crc32 = crc32(std::span(bytes).subspan(sizeof header));
    std::memcpy(bytes.data(), &header, sizeof header);
  }
  try {
    const Template read = template_in(bytes);
    const std::vector<cpe::GlobalPtr<void>> bases(read.bases.size());
    static_cast<void>(list_of(read, bases));
    static_cast<void>(addresses_in(bytes, bases));
    static_cast<void>(template_bytes(read));
    return true;
  } catch (const TemplateError&) {
    return false;
  } catch (const SizeError&) {
    return false;
  }
}

}  // namespace swai::graph
