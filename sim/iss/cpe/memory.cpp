#include "sim/iss/cpe/memory.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace swai::iss::cpe {

uint8_t* SparseMemory::at(uint64_t address) {
  const uint64_t number = address / kChunkBytes;
  if (number != last_) {
    auto& chunk = chunks_[number];
    if (!chunk) chunk = std::make_unique<Chunk>();
    last_ = number;
    last_chunk_ = chunk.get();
  }
  return last_chunk_->data() + address % kChunkBytes;
}

MemoryStatus SparseMemory::read(uint64_t address, std::span<uint8_t> bytes) {
  if (!contains(address, bytes.size())) return MemoryStatus::kNobody;
  std::memcpy(bytes.data(), at(address), bytes.size());
  if (!poisoned_.empty() && poisoned_.contains(address / kLineBytes)) return MemoryStatus::kPoison;
  return MemoryStatus::kOk;
}

MemoryStatus SparseMemory::write(uint64_t address, std::span<const uint8_t> bytes) {
  if (!contains(address, bytes.size())) return MemoryStatus::kNobody;
  std::memcpy(at(address), bytes.data(), bytes.size());
  if (!poisoned_.empty() && bytes.size() == kLineBytes) poisoned_.erase(address / kLineBytes);
  return MemoryStatus::kOk;
}

template <typename Bytes, typename Copy>
void SparseMemory::by_chunks(uint64_t address, Bytes bytes, Copy copy) {
  if (!contains(address, bytes.size())) throw std::out_of_range("there is no memory");
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min<uint64_t>(bytes.size(), kChunkBytes - address % kChunkBytes));
    copy(at(address), part);
    address += part.size();
    bytes = bytes.subspan(part.size());
  }
}

void SparseMemory::peek(uint64_t address, std::span<uint8_t> bytes) {
  by_chunks(address, bytes, [](const uint8_t* memory, std::span<uint8_t> part) {
    std::memcpy(part.data(), memory, part.size());
  });
}

void SparseMemory::poke(uint64_t address, std::span<const uint8_t> bytes) {
  by_chunks(address, bytes, [](uint8_t* memory, std::span<const uint8_t> part) {
    std::memcpy(memory, part.data(), part.size());
  });
}

}  // namespace swai::iss::cpe
