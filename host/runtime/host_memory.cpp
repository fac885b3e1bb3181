// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/host_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swai::sdaa {
namespace {
constexpr uint64_t kPage = 4096;
}

HostMemory::~HostMemory() {
  while (!areas_.empty()) {
    try {
      remove(reinterpret_cast<void*>(areas_.begin()->first), areas_.begin()->second.area.registered);
    } catch (...) {
      // The connection is gone, and with it what was mapped.
    }
  }
  while (!blocks_.empty()) {
    const uint64_t iova = blocks_.back().iova();
    blocks_.pop_back();
    connection_.give_back_iova(iova, kBlockBytes);
  }
}

void* HostMemory::allocate(uint64_t bytes, unsigned flags) {
  const uint64_t whole = (bytes + kPage - 1) & ~(kPage - 1);
  if (whole < bytes || whole > uint64_t{1} << 39)
    fail(sdaaErrorOutOfMemory, fmt::format("{} bytes of host memory", bytes));
  const uint64_t iova = connection_.take_iova(whole);
  Pinned pinned;
  try {
    pinned.memory.emplace(connection_.card().pin(iova, whole));
  } catch (const link::Error& error) {
    connection_.give_back_iova(iova, whole);
    if (error.kind() == link::ErrorKind::kBadArgument) fail(sdaaErrorOutOfMemory, error.what());
    if (error.kind() == link::ErrorKind::kRefused) fail(sdaaErrorMapFailed, error.what());
    throw;
  }
  void* begin = pinned.memory->data();
  pinned.area = {reinterpret_cast<uintptr_t>(begin), bytes, iova, false, true, flags};
  pinned.mapped_bytes = whole;
  areas_.emplace(pinned.area.begin, std::move(pinned));
  return begin;
}

void HostMemory::add(void* memory, uint64_t bytes, unsigned flags) {
  const bool writable = (flags & sdaaHostRegisterReadOnly) == 0;
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  // Whole pages have to be mapped.
  const uint64_t first = begin & ~(kPage - 1);
  const uint64_t whole = ((begin + bytes + kPage - 1) & ~(kPage - 1)) - first;
  const uint64_t iova = connection_.take_iova(whole);
  link::DmaMapping mapping;
  mapping.iova = iova;
  mapping.memory = {reinterpret_cast<uint8_t*>(first), whole};
  mapping.writable = writable;
  try {
    connection_.card().backend().map(mapping);
  } catch (const link::Error& error) {
    connection_.give_back_iova(iova, whole);
    if (error.kind() == link::ErrorKind::kRefused) fail(sdaaErrorMapFailed, error.what());
    throw;
  }
  Pinned pinned;
  pinned.area = {begin, bytes, iova + (begin - first), true, writable, flags};
  pinned.first_page = iova;
  pinned.mapped_bytes = whole;
  areas_.emplace(begin, std::move(pinned));
}

bool HostMemory::remove(const void* memory, bool registered) {
  const auto found = areas_.find(reinterpret_cast<uintptr_t>(memory));
  if (found == areas_.end() || found->second.area.registered != registered) return false;
  Pinned pinned = std::move(found->second);
  areas_.erase(found);
  const uint64_t iova = registered ? pinned.first_page : pinned.area.iova;
  if (registered) {
    connection_.card().backend().unmap(iova, pinned.mapped_bytes);
  } else {
    pinned.memory->release();
  }
  connection_.give_back_iova(iova, pinned.mapped_bytes);
  return true;
}

const HostMemory::Area* HostMemory::find(const void* memory, uint64_t bytes) const {
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  auto found = areas_.upper_bound(begin);
  if (found == areas_.begin()) return nullptr;
  const Area& area = (--found)->second.area;
  const uint64_t offset = begin - area.begin;
  return offset < area.bytes && bytes <= area.bytes - offset ? &area : nullptr;
}

bool HostMemory::overlaps(const void* memory, uint64_t bytes) const {
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const auto next = areas_.lower_bound(begin);
  if (next != areas_.end() && next->first < begin + bytes) return true;
  return find(memory, 1) != nullptr;
}

const uint8_t* HostMemory::at(uint64_t iova, uint64_t bytes) const {
  const auto holds = [&](uint64_t begin, uint64_t length) {
    return iova >= begin && iova - begin < length && bytes <= length - (iova - begin);
  };
  for (const auto& [begin, pinned] : areas_) {
    if (holds(pinned.area.iova, pinned.area.bytes))
      return reinterpret_cast<const uint8_t*>(begin) + (iova - pinned.area.iova);
  }
  for (const auto& buffer : buffers_) {
    if (holds(buffer->iova, kBufferBytes)) return buffer->data + (iova - buffer->iova);
  }
  return nullptr;
}

std::shared_ptr<HostMemory::Buffer> HostMemory::take_buffer(size_t most) {
  for (size_t i = 0; i < std::min(most, buffers_.size()); ++i) {
    if (buffers_[i].use_count() == 1 && buffers_[i]->last.reached()) return buffers_[i];
  }
  if (buffers_.size() >= most) return nullptr;
  const uint64_t iova = connection_.take_iova(kBlockBytes);
  try {
    blocks_.push_back(connection_.card().pin(iova, kBlockBytes));
  } catch (...) {
    connection_.give_back_iova(iova, kBlockBytes);
    throw;
  }
  for (uint64_t at = 0; at < kBlockBytes; at += kBufferBytes)
    buffers_.push_back(std::make_shared<Buffer>(Buffer{iova + at, blocks_.back().data() + at, {}}));
  return take_buffer(most);
}

}  // namespace swai::sdaa
