// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/files.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "host/runtime/error.hpp"

namespace swai::sdaa {

std::vector<uint8_t> read_file(const char* what, const char* path) {
  const auto cannot = [&] {
    fail(sdaaErrorFileNotFound, fmt::format("{} {} cannot be read: {}", what, path, std::strerror(errno)));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "rb"), std::fclose);
  if (file == nullptr) cannot();
  std::vector<uint8_t> bytes;
  std::array<uint8_t, 65536> piece;
  for (;;) {
    const size_t count = std::fread(piece.data(), 1, piece.size(), file.get());
    if (std::ferror(file.get()) != 0) cannot();
    if (count == 0) return bytes;
    bytes.insert(bytes.end(), piece.begin(), piece.begin() + static_cast<ptrdiff_t>(count));
  }
}

}  // namespace swai::sdaa
