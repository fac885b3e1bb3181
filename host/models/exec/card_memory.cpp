// SPDX-License-Identifier: Apache-2.0
#include "host/models/exec/card_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace swai::walk {

void check(sdaaError_t error, const std::string& what) {
  if (error == sdaaSuccess) return;
  const std::string message = sdaaGetLastErrorMessage();
  throw CardError(
      error, fmt::format("{}: {} ({})", what, message.empty() ? sdaaGetErrorString(error) : message.c_str(),
                         sdaaGetErrorName(error)));
}

CardMemory::CardMemory(std::string what, size_t bytes, Reach reach) : what_(std::move(what)), bytes_(bytes) {
  check(sdaaMallocWithFlags(&pointer_, std::max<size_t>(bytes, 1), reach, sdaaAnyGroup),
        fmt::format("{}: {} bytes", what_, bytes));
}

CardMemory::CardMemory(std::string what, std::span<const uint8_t> contents)
    : CardMemory(std::move(what), contents.size()) {
  put(contents);
}

CardMemory::CardMemory(CardMemory&& other) noexcept
    : what_(std::move(other.what_)), pointer_(std::exchange(other.pointer_, nullptr)), bytes_(other.bytes_) {}

CardMemory::~CardMemory() {
  if (pointer_ != nullptr) static_cast<void>(sdaaFree(pointer_));
}

void* CardMemory::place(size_t at, size_t bytes) const {
  if (at > bytes_ || bytes > bytes_ - at)
    throw std::logic_error(fmt::format("{}: {} bytes at {} of {}", what_, bytes, at, bytes_));
  return static_cast<char*>(pointer_) + at;
}

void CardMemory::put(std::span<const uint8_t> contents, size_t at) {
  if (contents.empty()) return;
  check(sdaaMemcpy(place(at, contents.size()), contents.data(), contents.size(), sdaaMemcpyHostToDevice),
        what_);
}

void CardMemory::copy(const CardMemory& from, size_t first, size_t at, size_t bytes) {
  if (bytes == 0) return;
  check(sdaaMemcpy(place(at, bytes), from.place(first, bytes), bytes, sdaaMemcpyDeviceToDevice), what_);
}

void CardMemory::get(std::span<uint8_t> contents, size_t at) const {
  check(sdaaMemcpy(contents.data(), place(at, contents.size()), contents.size(), sdaaMemcpyDeviceToHost),
        what_);
}

}  // namespace swai::walk
