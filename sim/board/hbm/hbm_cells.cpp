// SPDX-License-Identifier: Apache-2.0
#include "sim/board/hbm/hbm_cells.hpp"

#include <svdpi.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace swai::cg {

namespace {

bool is_zero(const void* line) {
  static constexpr std::array<uint8_t, HbmCells::kLineBytes> kZeros = {};
  return std::memcmp(line, kZeros.data(), kZeros.size()) == 0;
}

}  // namespace

HbmCells::HbmCells(unsigned groups, std::optional<uint64_t> seed) : groups_(groups), seed_(seed) {
  if (groups == 0 || groups > kMaxGroups) throw std::invalid_argument("a card has 1 to 4 groups");
}

HbmCells::~HbmCells() {
  if (current_ == this) current_ = nullptr;
}

const uint8_t* HbmCells::find(unsigned group, uint64_t address) const {
  const uint64_t chunk = address / kChunkBytes;
  const auto& table = groups_[group].tables[chunk / kChunksPerTable];
  if (!table) return nullptr;
  const auto& memory = (*table)[chunk % kChunksPerTable];
  return memory ? memory->bytes.data() + address % kChunkBytes : nullptr;
}

template <typename Change>
void HbmCells::change_line(unsigned group, uint64_t line, Change change) {
  const uint64_t address = line * kLineBytes;
  const uint64_t number = address / kChunkBytes;
  auto& table = groups_[group].tables[number / kChunksPerTable];
  if (!table) table = std::make_unique<Table>();
  auto& chunk = (*table)[number % kChunksPerTable];
  if (!chunk) {
    chunk = std::make_unique<Chunk>();
    ++groups_[group].chunks;
    if (seed_) untouched(group, number * kChunkBytes, chunk->bytes);
  }
  uint8_t* const at = chunk->bytes.data() + address % kChunkBytes;
  if (seed_) return change(at);
  chunk->used_lines -= is_zero(at) ? 0 : 1;
  change(at);
  chunk->used_lines += is_zero(at) ? 0 : 1;
  if (chunk->used_lines != 0) return;
  chunk.reset();
  --groups_[group].chunks;
}

// Eight bytes at a time, each a hash of its address.
void HbmCells::untouched(unsigned group, uint64_t address, std::span<uint8_t> bytes) const {
  if (!seed_) {
    std::ranges::fill(bytes, uint8_t{0});
    return;
  }
  for (uint64_t i = 0; i < bytes.size(); ++i) {
    uint64_t x = (*seed_ * 4 + group) * 0x9e37'79b9'7f4a'7c15 + (address + i) / 8;
    x = (x ^ (x >> 30)) * 0xbf58'476d'1ce4'e5b9;
    x = (x ^ (x >> 27)) * 0x94d0'49bb'1331'11eb;
    x ^= x >> 31;
    bytes[i] = static_cast<uint8_t>(x >> (8 * ((address + i) % 8)));
  }
}

bool HbmCells::read_line(unsigned group, uint64_t line, void* data) const {
  if (const uint8_t* memory = find(group, line * kLineBytes)) {
    std::memcpy(data, memory, kLineBytes);
  } else {
    untouched(group, line * kLineBytes, {static_cast<uint8_t*>(data), kLineBytes});
  }
  const auto& poisoned = groups_[group].poisoned;
  return !poisoned.empty() && poisoned.contains(line);
}

void HbmCells::write_line(unsigned group, uint64_t line, const void* data, uint64_t strobe) {
  if (strobe != ~uint64_t{0}) {
    change_line(group, line, [&](uint8_t* memory) {
      for (uint64_t left = strobe; left != 0; left &= left - 1) {
        const int byte = std::countr_zero(left);
        memory[byte] = static_cast<const uint8_t*>(data)[byte];
      }
    });
    return;
  }
  // Most writes of zeros hit memory that is zero already.
  const bool stays_zero = !seed_ && is_zero(data) && find(group, line * kLineBytes) == nullptr;
  if (!stays_zero) change_line(group, line, [&](uint8_t* memory) { std::memcpy(memory, data, kLineBytes); });
  if (!groups_[group].poisoned.empty()) groups_[group].poisoned.erase(line);
}

void HbmCells::read(unsigned group, uint64_t address, std::span<uint8_t> bytes) const {
  if (group >= groups_.size() || address > kGroupBytes || bytes.size() > kGroupBytes - address) {
    throw std::out_of_range("there is no such HBM");
  }
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), kChunkBytes - address % kChunkBytes));
    if (const uint8_t* memory = find(group, address)) {
      std::memcpy(part.data(), memory, part.size());
    } else {
      untouched(group, address, part);
    }
    address += part.size();
    bytes = bytes.subspan(part.size());
  }
}

void HbmCells::write(unsigned group, uint64_t address, std::span<const uint8_t> bytes) {
  if (group >= groups_.size() || address > kGroupBytes || bytes.size() > kGroupBytes - address) {
    throw std::out_of_range("there is no such HBM");
  }
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), kLineBytes - address % kLineBytes));
    change_line(group, address / kLineBytes, [&](uint8_t* memory) {
      std::memcpy(memory + address % kLineBytes, part.data(), part.size());
    });
    address += part.size();
    bytes = bytes.subspan(part.size());
  }
}

void HbmCells::clear() {
  for (auto& group : groups_) group = Group{};
}

uint64_t HbmCells::bytes_used() const {
  uint64_t bytes = sizeof(*this);
  for (const auto& group : groups_) {
    bytes += sizeof group + group.chunks * kChunkBytes;
    for (const auto& table : group.tables) bytes += table ? sizeof(Table) : 0;
  }
  return bytes;
}

namespace {

// The line lies in the group because the RTL's line addresses have no more bits.
HbmCells& cells(unsigned group) {
  HbmCells* card = HbmCells::current();
  if (card == nullptr || group >= card->groups()) {
    std::fprintf(stderr, "hbm: the cells of group %u are not there\n", group);
    std::abort();
  }
  return *card;
}

}  // namespace
}  // namespace swai::cg

extern "C" void hbm_read(unsigned group, unsigned long long line, svBitVecVal* data, svBit* poison) {
  *poison = swai::cg::cells(group).read_line(group, line, data) ? 1 : 0;
}

extern "C" void hbm_write(unsigned group, unsigned long long line, const svBitVecVal* data,
                          unsigned long long strobe) {
  swai::cg::cells(group).write_line(group, line, data, strobe);
}
