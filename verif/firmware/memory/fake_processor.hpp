// A processor for the memory manager's tests: memory as a map of words, and a record of what caches, page
// tables and segment table would hold.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "firmware/memory/layout.hpp"

namespace swai::memory {

class FakeProcessor {
 public:
  uint64_t load(uint64_t address) const {
    const auto found = words_.find(address);
    return found == words_.end() ? 0 : found->second;
  }
  void store(uint64_t address, uint64_t value) {
    words_[address] = value;
    cached_[address / kLineBytes] = true;
  }
  void drop(uint64_t address, uint64_t bytes) {
    if (bytes == kLineBytes) {
      cached_.erase(address / kLineBytes);
    } else {
      std::erase_if(cached_,
                    [&](const auto& line) { return line.first - address / kLineBytes < bytes / kLineBytes; });
    }
  }
  void set_entry(uint64_t address, uint64_t value) {
    words_[address] = value;
    ++entry_stores_;
  }
  void map(uint64_t address, uint64_t bytes, Usage usage) {
    for (uint64_t page = address; page < address + bytes; page += kBlockBytes) pages_[page] = usage;
  }
  void unmap(uint64_t address, uint64_t bytes) {
    for (uint64_t page = address; page < address + bytes; page += kBlockBytes) pages_.erase(page);
  }
  // What a client's kernels do.
  void overwrite(uint64_t address, uint64_t value) { words_[address] = value; }

  bool cached(uint64_t first, uint64_t bytes) const {
    for (uint64_t line = first / kLineBytes; line < (first + bytes) / kLineBytes; ++line) {
      if (cached_.contains(line)) return true;
    }
    return false;
  }
  bool mapped(uint64_t address) const { return pages_.contains(address / kBlockBytes * kBlockBytes); }
  size_t pages() const { return pages_.size(); }
  uint64_t entry_stores() const { return entry_stores_; }

 private:
  std::unordered_map<uint64_t, uint64_t> words_;
  std::unordered_map<uint64_t, bool> cached_;
  std::map<uint64_t, Usage> pages_;
  uint64_t entry_stores_ = 0;
};

}  // namespace swai::memory
