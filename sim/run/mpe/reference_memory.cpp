// SPDX-License-Identifier: Apache-2.0
#include "sim/run/mpe/reference_memory.hpp"

#include <algorithm>

namespace swai::mpe {

namespace {

bool same(const MemoryWrite::Line& a, const MemoryWrite::Line& b, uint64_t strobes) {
  for (unsigned byte = 0; byte < a.size(); ++byte) {
    if ((strobes >> byte & 1) != 0 && a[byte] != b[byte]) return false;
  }
  return true;
}

}  // namespace

// Watched, so that every load and store passes here.
iss::HostPage ReferenceMemory::page(uint64_t paddr) {
  const uint64_t start = paddr & ~(iss::kPageBytes - 1);
  if (!ram_.contains(start, iss::kPageBytes)) return {};
  return {.read = ram_.at(start), .write = ram_.at(start), .watched = true};
}

bool ReferenceMemory::read(uint64_t paddr, unsigned size, uint64_t& value) {
  value = 0;
  if (ram_.contains(paddr, size)) {
    std::memcpy(&value, ram_.at(paddr), size);
    return true;
  }
  return common::MemoryModel::is_device(paddr);
}

bool ReferenceMemory::write(uint64_t paddr, unsigned size, uint64_t value) {
  if (!ram_.contains(paddr, size)) return common::MemoryModel::is_device(paddr);
  for (uint64_t line = line_of(paddr); line < paddr + size; line += common::kMbusLineBytes) {
    remember(line);
    stale_.try_emplace(line, Stale{.memory = bytes(line)});
  }
  std::memcpy(ram_.at(paddr), &value, size);
  return true;
}

void ReferenceMemory::use_cache(uint64_t paddr, unsigned size, iss::CacheUse use) {
  if (use == iss::CacheUse::kUncached || use == iss::CacheUse::kClean) return;
  for (uint64_t line = line_of(paddr); line < paddr + size; line += common::kMbusLineBytes) {
    const auto found = stale_.find(line);
    if (found == stale_.end()) continue;
    Stale& stale = found->second;
    if (use == iss::CacheUse::kInvalidate) {
      remember(line);
      std::memcpy(ram_.at(line), stale.memory.data(), stale.memory.size());
      stale.invalidated = true;
    } else if (stale.invalidated) {
      stale_.erase(found);  // read from memory
    }
  }
}

bool ReferenceMemory::reached(const MemoryWrite& write) {
  if (!has_held(write)) return false;
  const Line now = bytes(write.line);
  const auto found = stale_.try_emplace(write.line, Stale{.memory = now}).first;
  Stale& stale = found->second;
  for (unsigned byte = 0; byte < stale.memory.size(); ++byte) {
    if ((write.strobes >> byte & 1) != 0) stale.memory[byte] = write.bytes[byte];
  }
  if (stale.invalidated) {
    remember(write.line);
    std::memcpy(ram_.at(write.line), stale.memory.data(), stale.memory.size());
  } else if (stale.memory == now) {
    stale_.erase(found);
  }
  return true;
}

MemoryWrite::Line ReferenceMemory::bytes(uint64_t line) const {
  Line result;
  std::memcpy(result.data(), ram_.at(line), result.size());
  return result;
}

void ReferenceMemory::remember(uint64_t line) {
  history_[changes_++ % kHistory] = {.line = line, .bytes = bytes(line)};
}

bool ReferenceMemory::has_held(const MemoryWrite& write) const {
  return same(bytes(write.line), write.bytes, write.strobes) ||
         std::ranges::any_of(history_, [&](const Version& version) {
           return version.line == write.line && same(version.bytes, write.bytes, write.strobes);
         });
}

}  // namespace swai::mpe
