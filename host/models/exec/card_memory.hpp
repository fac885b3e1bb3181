// SPDX-License-Identifier: Apache-2.0
// Memory of the card that lives as long as an object of the host.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "abi/global_ptr.hpp"
#include "host/runtime/include/sdaa_runtime.h"

namespace swai::walk {

// A call of the runtime library failed: what could not be done, and why.
class CardError : public std::runtime_error {
 public:
  CardError(sdaaError_t error, const std::string& message) : std::runtime_error(message), error_(error) {}
  sdaaError_t error() const { return error_; }

 private:
  sdaaError_t error_;
};

// Throws CardError unless it is sdaaSuccess.
void check(sdaaError_t error, const std::string& what);

class CardMemory {
 public:
  // Who reaches it: cores and host, or the management processor, too.
  enum Reach : unsigned { kCores = sdaaMallocCores, kShared = sdaaMallocShared };

  // `what` it is for is in messages.
  CardMemory(std::string what, size_t bytes, Reach reach = kCores);
  CardMemory(std::string what, std::span<const uint8_t> contents);
  CardMemory(CardMemory&& other) noexcept;
  CardMemory& operator=(CardMemory&&) = delete;
  ~CardMemory();

  size_t bytes() const { return bytes_; }
  cpe::GlobalPtr<void> address() const { return cpe::GlobalPtr<void>(reinterpret_cast<uint64_t>(pointer_)); }

  // Both return when the bytes are there.
  void put(std::span<const uint8_t> contents, size_t at = 0);
  void get(std::span<uint8_t> contents, size_t at = 0) const;
  // What another one holds from a byte on.
  void copy(const CardMemory& from, size_t first, size_t at, size_t bytes);
  // The device pointer to a range; throws if the range is not within the memory.
  void* place(size_t at, size_t bytes) const;

 private:
  std::string what_;
  void* pointer_ = nullptr;
  size_t bytes_;
};

// Of a vector, span or array.
template <typename Items>
std::span<const uint8_t> bytes_of(const Items& items) {
  return {reinterpret_cast<const uint8_t*>(items.data()), items.size() * sizeof(items[0])};
}
template <typename Items>
void add_bytes(std::vector<uint8_t>& to, const Items& items) {
  const std::span<const uint8_t> bytes = bytes_of(items);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace swai::walk
