// SPDX-License-Identifier: Apache-2.0
#include "bench/page_table.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "card_regs.hpp"
#include "host/runtime/bars.hpp"
#include "host/runtime/error.hpp"

namespace swai::cli::bench {
namespace {

using sdaa::kMemoryBar;

// Memory of the card for the table, as the host finds it.
class Table {
 public:
  Table(sdaa::Device& device, uint64_t bytes) {
    if (const sdaaError_t error = sdaaMalloc(&memory_, bytes); error != sdaaSuccess)
      sdaa::fail(error, sdaaGetLastErrorMessage());
    const sdaa::Device::Lock lock = device.enter();
    const auto named = reinterpret_cast<uintptr_t>(memory_);
    offset_ = device.connection().ask(protocol::Operation::kPointerInfo, {named})[3] - regs::kHbmRegion.base;
  }
  ~Table() { sdaaFree(memory_); }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  uint64_t offset() const { return offset_; }

 private:
  void* memory_ = nullptr;
  uint64_t offset_ = 0;
};

}  // namespace

uint64_t fill_page_table(sdaa::Device& device, uint64_t bytes, uint64_t page_bytes, unsigned burst) {
  std::vector<uint64_t> entries((bytes + page_bytes - 1) / page_bytes);
  for (uint64_t i = 0; i < entries.size(); ++i) entries[i] = (i * page_bytes) | 1;
  const std::span<const uint8_t> all(reinterpret_cast<const uint8_t*>(entries.data()),
                                     entries.size() * sizeof(uint64_t));
  const Table table(device, all.size());
  const sdaa::Device::Lock lock = device.enter();
  link::Card& card = device.connection().card();
  const auto read_last = [&] {
    return card.read<uint64_t>(kMemoryBar, table.offset() + all.size() - sizeof(uint64_t));
  };
  const uint64_t begin = card.cycle();
  for (size_t at = 0; at < all.size(); at += burst)
    card.post_block(kMemoryBar, table.offset() + at,
                    all.subspan(at, std::min<size_t>(burst, all.size() - at)));
  const uint64_t last = read_last();
  const uint64_t took = card.cycle() - begin;
  if (last != entries.back()) sdaa::fail(sdaaErrorUnknown, "the card has another last entry");
  return took;
}

}  // namespace swai::cli::bench
