// SPDX-License-Identifier: Apache-2.0
#include "host/tools/flash/file_programmer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swai::flash {

FileProgrammer::FileProgrammer(const std::string& path) : path_(path), file_(path) {
  // A file has no times; with these the plan for it is that for a usual chip.
  geometry_.bytes = static_cast<uint32_t>(file_.contents().size());
  geometry_.erases = {{.bytes = 4 << 10, .typical_us = 45'000}, {.bytes = 64 << 10, .typical_us = 150'000}};
}

std::string FileProgrammer::description() const {
  return fmt::format("file {}, {} MiB", path_, geometry_.bytes >> 20);
}

void FileProgrammer::read(uint32_t offset, std::span<uint8_t> to) {
  std::ranges::copy(file_.contents().subspan(offset, to.size()), to.begin());
}

void FileProgrammer::erase(uint32_t offset, uint32_t bytes) { file_.store(offset, Bytes(bytes, 0xFF)); }

void FileProgrammer::program(uint32_t offset, std::span<const uint8_t> bytes) {
  Bytes cells(bytes.size());
  read(offset, cells);
  std::ranges::transform(cells, bytes, cells.begin(), [](uint8_t cell, uint8_t byte) { return cell & byte; });
  file_.store(offset, cells);
}

}  // namespace swai::flash
