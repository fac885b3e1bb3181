// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/reader.hpp"

#include <fmt/format.h>

#include "host/models/files/file_bytes.hpp"

namespace swai::models {

std::span<const uint8_t> Reader::take(uint64_t bytes, std::string_view what) {
  if (bytes > left())
    fail(fmt::format("the file ends where {} bytes of {} should be, {} are left; fetch it again", bytes, what,
                     left()));
  const auto piece = bytes_.subspan(at_, bytes);
  at_ += bytes;
  return piece;
}

std::string_view Reader::text(uint64_t bytes, std::string_view what) {
  const auto piece = take(bytes, what);
  return {reinterpret_cast<const char*>(piece.data()), piece.size()};
}

uint32_t Reader::bounded(int64_t value, std::string_view what, int64_t least, int64_t most) const {
  if (value < least || value > most)
    fail(fmt::format("{} is {}, which is not from {} to {}; the file is damaged or of another kind", what,
                     value, least, most));
  return static_cast<uint32_t>(value);
}

void Reader::fail(std::string_view what) const { refuse(path_, fmt::format("at byte {}: {}", at_, what)); }

}  // namespace swai::models
