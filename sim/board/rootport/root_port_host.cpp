// SPDX-License-Identifier: Apache-2.0
// What host software does through a root port: memory-mapped and configuration requests.
#include <algorithm>

#include "sim/board/rootport/root_port.hpp"

namespace swai::rootport {
namespace {

constexpr uint16_t kRootId = 0;

}  // namespace

void RootPort::mmio_read(unsigned bar, uint64_t offset, unsigned bytes, ReadDone done) {
  if (!can_ask()) return done(RequestStatus::kLinkDown, {});
  if (!config_.is_inside(bar, offset, bytes)) return done(RequestStatus::kUnsupported, {});
  requests_.read_memory(config_.bar(bar).address + offset, bytes, std::move(done));
}

bool RootPort::mmio_write(unsigned bar, uint64_t offset, std::span<const uint8_t> data) {
  if (!can_ask() || !config_.is_inside(bar, offset, data.size())) return false;
  for (uint64_t address = config_.bar(bar).address + offset; !data.empty();) {
    const size_t bytes =
        std::min<uint64_t>(data.size(), options_.max_payload - address % options_.max_payload);
    Tlp tlp = memory_write(address, data.first(bytes), kRootId);
    tlp.poisoned = faults_.next(Fault::kPoisonWrite);
    send(tlp);
    data = data.subspan(bytes);
    address += bytes;
  }
  return true;
}

ReadHandle RootPort::mmio_read(unsigned bar, uint64_t offset, unsigned bytes) {
  auto result = std::make_shared<ReadResult>();
  mmio_read(bar, offset, bytes, [result](RequestStatus status, std::span<const uint8_t> data) {
    result->data.assign(data.begin(), data.end());
    result->status = status;
  });
  return result;
}

ReadHandle RootPort::config_read(unsigned offset, unsigned bytes) {
  auto result = std::make_shared<ReadResult>();
  config_.read(offset, bytes, [result](RequestStatus status, std::span<const uint8_t> data) {
    result->data.assign(data.begin(), data.end());
    result->status = status;
  });
  return result;
}

WriteHandle RootPort::config_write(unsigned offset, std::span<const uint8_t> data) {
  auto result = std::make_shared<WriteResult>();
  config_.write(offset, data, [result](RequestStatus status) { result->status = status; });
  return result;
}

}  // namespace swai::rootport
