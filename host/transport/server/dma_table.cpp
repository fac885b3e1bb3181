// SPDX-License-Identifier: Apache-2.0
#include "host/transport/server/dma_table.hpp"

#include <cerrno>

namespace swai::socket {

using link::vfio_user::inside;

namespace {
constexpr uint64_t kPage = 4096;
}

bool DmaTable::overlaps(uint64_t iova, uint64_t bytes) const {
  const auto after = ranges_.lower_bound(iova);
  if (after != ranges_.end() && after->first - iova < bytes) return true;
  if (after == ranges_.begin()) return false;
  const DmaRange& before = std::prev(after)->second.range;
  return iova - before.iova < before.bytes;
}

int DmaTable::map(const link::vfio_user::DmaMap& request, std::span<link::Fd> fds, uint64_t max_maps) {
  using namespace link::vfio_user;
  if (request.argsz < sizeof request) return EINVAL;
  if (request.flags == 0 || (request.flags & ~(kDmaReadable | kDmaWritable)) != 0) return EINVAL;
  if (request.size == 0 || request.size - 1 > UINT64_MAX - request.address) return EINVAL;
  if ((request.address | request.size | request.offset) % kPage != 0) return EINVAL;
  if (fds.size() > 1 || (fds.empty() && request.offset != 0)) return EINVAL;
  if (overlaps(request.address, request.size)) return EEXIST;
  if (ranges_.size() >= max_maps || request.size > max_bytes_ - bytes_) return ENOSPC;
  Entry entry;
  entry.range.iova = request.address;
  entry.range.bytes = request.size;
  entry.range.readable = (request.flags & kDmaReadable) != 0;
  entry.range.writable = (request.flags & kDmaWritable) != 0;
  if (!fds.empty()) {
    const int error = entry.memory.map(fds[0].get(), request.offset, request.size, entry.range.writable);
    if (error != 0) return error;
    entry.range.memory = entry.memory.data();
    entry.range.fd = fds[0].get();
    entry.range.offset = request.offset;
  }
  const int error = device_.dma_map(entry.range);
  if (error != 0) return error;
  entry.range.fd = -1;
  ranges_.emplace(request.address, std::move(entry));
  bytes_ += request.size;
  return 0;
}

int DmaTable::unmap(const link::vfio_user::DmaUnmap& request) {
  if (request.argsz < sizeof request) return EINVAL;
  if (request.flags == link::vfio_user::kUnmapAll) {
    if (request.address != 0 || request.size != 0) return EINVAL;
    unmap_all();
    return 0;
  }
  if (request.flags != 0) return EINVAL;
  const auto found = ranges_.find(request.address);
  if (found == ranges_.end() || found->second.range.bytes != request.size) return ENOENT;
  device_.dma_unmap(request.address, request.size);
  ranges_.erase(found);
  bytes_ -= request.size;
  return 0;
}

void DmaTable::unmap_all() {
  for (const auto& [iova, entry] : ranges_) device_.dma_unmap(iova, entry.range.bytes);
  ranges_.clear();
  bytes_ = 0;
}

bool DmaTable::by_message(uint64_t iova, uint64_t bytes, bool write) const {
  auto at = ranges_.upper_bound(iova);
  if (at == ranges_.begin()) return false;
  const DmaRange& range = (--at)->second.range;
  return inside(iova - range.iova, bytes, range.bytes) && range.memory == nullptr &&
         (write ? range.writable : range.readable);
}

}  // namespace swai::socket
