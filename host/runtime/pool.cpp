// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/pool.hpp"

#include <algorithm>
#include <utility>

namespace swai::sdaa {

MemoryPool::Block MemoryPool::take(uint64_t bytes, const Stream& stream) {
  auto best = free.end();
  for (auto block = free.begin(); block != free.end(); ++block) {
    // A block that is much larger is of more use to others.
    if (block->bytes < bytes || block->bytes / 2 > bytes) continue;
    const bool may = block->freed.queue == stream.queue || (reuse[1] != 0 && block->freed.reached());
    if (may && (best == free.end() || block->bytes < best->bytes)) best = block;
  }
  if (best == free.end()) return {};
  const Block found = *best;
  free.erase(best);
  return found;
}

bool MemoryPool::trim(Connection& connection, uint64_t keep) {
  bool any = false;
  std::erase_if(free, [&](const Block& block) {
    if (reserved.now <= keep || !block.freed.reached()) return false;
    connection.ask(protocol::Operation::kFree, {block.pointer});
    reserved.now -= block.bytes;
    return any = true;
  });
  return any;
}

void Pools::clear() {
  for (const auto& pool : std::exchange(all_, {})) pool->alive = false;
  current_.reset();
}

std::shared_ptr<MemoryPool> Pools::own(const std::shared_ptr<Device>& device) {
  if (all_.empty()) {
    all_.push_back(std::make_shared<MemoryPool>());
    all_.front()->device = device;
  }
  return all_.front();
}

void Pools::close(Connection& connection, MemoryPool& pool) {
  pool.alive = false;
  pool.threshold = 0;
  if (current_.get() == &pool) current_.reset();
  trim(connection);
}

void Pools::trim(Connection& connection) {
  for (const auto& pool : all_) pool->trim(connection, pool->threshold);
  std::erase_if(all_, [](const auto& pool) { return !pool->alive && pool->reserved.now == 0; });
}

bool Pools::give_back_all(Connection& connection) {
  bool any = false;
  for (const auto& pool : all_) any = pool->trim(connection, 0) || any;
  return any;
}

}  // namespace swai::sdaa
