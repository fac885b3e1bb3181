// SPDX-License-Identifier: Apache-2.0
// Takes little-endian numbers, texts and blocks off a file, one after the other, and never goes past its end.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace swai::models {

static_assert(std::endian::native == std::endian::little, "files are read as they lie");

class Reader {
 public:
  Reader(std::string path, std::span<const uint8_t> bytes, uint64_t at = 0)
      : path_(std::move(path)), bytes_(bytes), at_(at) {}

  // `what` is what is read, for the message about a file that ends too early.
  std::span<const uint8_t> take(uint64_t bytes, std::string_view what);
  template <typename T>
  T number(std::string_view what) {
    T value;
    std::memcpy(&value, take(sizeof(T), what).data(), sizeof(T));
    return value;
  }
  std::string_view text(uint64_t bytes, std::string_view what);
  // A number that must be in a range. Signed, so that what is negative in the file is told as such.
  template <typename T>
  uint32_t count(std::string_view what, int64_t least, int64_t most) {
    return bounded(number<T>(what), what, least, most);
  }

  uint64_t at() const { return at_; }
  uint64_t left() const { return bytes_.size() - at_; }
  const std::string& path() const { return path_; }
  [[noreturn]] void fail(std::string_view what) const;

 private:
  uint32_t bounded(int64_t value, std::string_view what, int64_t least, int64_t most) const;

  std::string path_;
  std::span<const uint8_t> bytes_;
  uint64_t at_;
};

}  // namespace swai::models
