// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/memory.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace swai::iss::cpe {

MemoryStatus Memory::may_write(uint64_t address, uint64_t bytes) {
  std::array<uint8_t, kLineBytes> line;
  const MemoryStatus status = read(address, std::span(line).first(bytes));
  return status == MemoryStatus::kPoison ? MemoryStatus::kOk : status;
}

uint8_t* SparseMemory::at(uint64_t address) {
  auto& chunk = chunks_[(address - base_) / kChunkBytes];
  if (!chunk) chunk = std::make_unique<Chunk>();
  return chunk->data() + (address - base_) % kChunkBytes;
}

MemoryStatus SparseMemory::read(uint64_t address, std::span<uint8_t> bytes) {
  if (!contains(address, bytes.size())) return MemoryStatus::kNobody;
  peek(address, bytes);
  if (!poisoned_.empty() && poisoned_.contains(address / kLineBytes)) return MemoryStatus::kPoison;
  return MemoryStatus::kOk;
}

MemoryStatus SparseMemory::write(uint64_t address, std::span<const uint8_t> bytes) {
  if (!contains(address, bytes.size())) return MemoryStatus::kNobody;
  poke(address, bytes);
  if (!poisoned_.empty() && bytes.size() == kLineBytes) poisoned_.erase(address / kLineBytes);
  return MemoryStatus::kOk;
}

void SparseMemory::peek(uint64_t address, std::span<uint8_t> bytes) {
  if (!contains(address, bytes.size())) throw std::out_of_range("there is no memory");
  while (!bytes.empty()) {
    const uint64_t in_chunk = (address - base_) % kChunkBytes;
    const auto part = bytes.first(std::min<uint64_t>(bytes.size(), kChunkBytes - in_chunk));
    const auto& chunk = chunks_[(address - base_) / kChunkBytes];
    if (chunk) {
      std::memcpy(part.data(), chunk->data() + in_chunk, part.size());
    } else {
      std::memset(part.data(), 0, part.size());
    }
    address += part.size();
    bytes = bytes.subspan(part.size());
  }
}

void SparseMemory::poke(uint64_t address, std::span<const uint8_t> bytes) {
  if (!contains(address, bytes.size())) throw std::out_of_range("there is no memory");
  while (!bytes.empty()) {
    const uint64_t in_chunk = (address - base_) % kChunkBytes;
    const auto part = bytes.first(std::min<uint64_t>(bytes.size(), kChunkBytes - in_chunk));
    std::memcpy(at(address), part.data(), part.size());
    address += part.size();
    bytes = bytes.subspan(part.size());
  }
}

}  // namespace swai::iss::cpe
