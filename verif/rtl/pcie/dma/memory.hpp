// SPDX-License-Identifier: Apache-2.0
// Sparse memory, and places in it where accesses fail.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace swai::dma_test {

class Memory {
 public:
  void read(uint64_t at, std::span<uint8_t> bytes) {
    for (size_t done = 0; done < bytes.size();) {
      const size_t some = std::min(bytes.size() - done, kPage - (at + done) % kPage);
      std::memcpy(bytes.data() + done, place(at + done), some);
      done += some;
    }
  }
  void write(uint64_t at, std::span<const uint8_t> bytes) {
    for (size_t done = 0; done < bytes.size();) {
      const size_t some = std::min(bytes.size() - done, kPage - (at + done) % kPage);
      std::memcpy(place(at + done), bytes.data() + done, some);
      done += some;
    }
  }
  std::vector<uint8_t> read(uint64_t at, size_t count) {
    std::vector<uint8_t> bytes(count);
    read(at, bytes);
    return bytes;
  }
  template <typename T>
  T get(uint64_t at) {
    T value;
    read(at, {reinterpret_cast<uint8_t*>(&value), sizeof value});
    return value;
  }
  template <typename T>
  void put(uint64_t at, const T& value) {
    write(at, {reinterpret_cast<const uint8_t*>(&value), sizeof value});
  }

 private:
  static constexpr size_t kPage = 4096;
  uint8_t* place(uint64_t at) { return &pages_[at / kPage][at % kPage]; }

  std::unordered_map<uint64_t, std::array<uint8_t, kPage>> pages_;
};

// Ranges of addresses with something wrong.
template <typename Kind>
class Faults {
 public:
  void add(uint64_t base, uint64_t size, Kind kind) { ranges_.push_back({base, size, kind}); }
  void clear() { ranges_.clear(); }
  Kind at(uint64_t address, uint64_t size, Kind none) const {
    for (const auto& range : ranges_) {
      if (address < range.base + range.size && range.base < address + size) return range.kind;
    }
    return none;
  }

 private:
  struct Range {
    uint64_t base;
    uint64_t size;
    Kind kind;
  };
  std::vector<Range> ranges_;
};

}  // namespace swai::dma_test
