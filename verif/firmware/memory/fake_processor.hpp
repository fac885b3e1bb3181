// SPDX-License-Identifier: Apache-2.0
// A processor for the memory manager's tests: memory as a map of words, and a record of what page tables and
// segment table would hold. What the manager reads and writes must be its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <unordered_map>

#include "firmware/memory/layout.hpp"

namespace swai::memory {

class FakeProcessor {
 public:
  // The manager's own memory.
  static constexpr uint64_t kOwn = 0x80'0000'0000;
  static constexpr uint64_t kOwnBytes = 80 << 20;

  uint64_t load(uint64_t address) const {
    check_own(address);
    return word(address);
  }
  void store(uint64_t address, uint64_t value) {
    check_own(address);
    words_[address] = value;
  }
  void publish(uint64_t address, uint64_t bytes) {
    check_own(address);
    check_own(address + bytes - 1);
  }
  void set_entry(uint64_t address, uint64_t value) {
    store(address, value);
    ++entry_stores_;
  }
  void map(uint64_t address, uint64_t bytes, Usage usage) {
    for (uint64_t page = address; page < address + bytes; page += kBlockBytes) {
      if (!pages_.emplace(page, usage).second) throw std::runtime_error("a page is mapped twice");
    }
  }
  void unmap(uint64_t address, uint64_t bytes) {
    for (uint64_t page = address; page < address + bytes; page += kBlockBytes) {
      if (pages_.erase(page) == 0) throw std::runtime_error("a page is unmapped that is not mapped");
    }
  }
  // The contents are lost; the record of their writers is kept until they are cleared.
  void discard(uint64_t address, uint64_t bytes) {
    if (address % kBlockBytes != 0 || bytes % kBlockBytes != 0) throw std::runtime_error("no whole blocks");
    check_not_own(address);
    for (uint64_t page = address; page < address + bytes; page += kBlockBytes) {
      if (pages_.contains(page)) throw std::runtime_error("a mapped page is discarded");
    }
    const auto end = writers_.lower_bound(address + bytes);
    for (auto it = writers_.lower_bound(address); it != end; ++it) words_.erase(it->first);
    discarded_ += bytes;
  }
  // What clients do.
  uint64_t word(uint64_t address) const {
    const auto found = words_.find(address);
    return found == words_.end() ? 0 : found->second;
  }
  void overwrite(uint64_t address, uint64_t value, uint8_t context) {
    check_not_own(address);
    words_[address] = value;
    writers_[address] = context;
  }
  void clear(uint64_t address, uint64_t bytes) {
    const auto end = writers_.lower_bound(address + bytes);
    for (auto it = writers_.lower_bound(address); it != end; it = writers_.erase(it)) words_.erase(it->first);
  }
  bool nothing_of_others(uint64_t address, uint64_t bytes, uint8_t context) const {
    const auto end = writers_.lower_bound(address + bytes);
    return std::all_of(writers_.lower_bound(address), end,
                       [&](const auto& word) { return word.second == context; });
  }
  // A reset of the processor leaves memory alone, and nothing else.
  void reset() { pages_.clear(); }

  bool mapped(uint64_t address) const { return pages_.contains(address / kBlockBytes * kBlockBytes); }
  size_t pages() const { return pages_.size(); }
  uint64_t entry_stores() const { return entry_stores_; }
  uint64_t discarded() const { return discarded_; }  // bytes, counted as often as they were

 private:
  static bool is_own(uint64_t address) { return address - kOwn < kOwnBytes; }
  static void check_not_own(uint64_t address) {
    if (is_own(address)) throw std::runtime_error("the manager's memory is reached by others");
  }
  static void check_own(uint64_t address) {
    if (!is_own(address)) throw std::runtime_error("the manager touches memory that clients write");
  }

  std::unordered_map<uint64_t, uint64_t> words_;
  std::map<uint64_t, uint8_t> writers_;  // of clients' memory: who wrote the word that is there
  std::map<uint64_t, Usage> pages_;
  uint64_t entry_stores_ = 0;
  uint64_t discarded_ = 0;
};

}  // namespace swai::memory
