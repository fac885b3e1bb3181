// SPDX-License-Identifier: Apache-2.0
// What host software does through a root port: memory-mapped and configuration requests.
#include <algorithm>

#include "sim/rootport/root_port.hpp"

namespace swai::rootport {
namespace {

constexpr uint16_t kRootId = 0;
constexpr unsigned kConfigBytes = 4096;
constexpr unsigned kCommand = 0x04, kFirstBar = 0x10;

}  // namespace

unsigned RootPort::capability(uint8_t id) const {
  if (config_.size() < 256 || (config_[6] & 0x10) == 0) return 0;
  unsigned at = config_[0x34] & ~3u;
  // A list that bites its own tail ends, too.
  for (unsigned seen = 0; at >= 0x40 && seen < 48; ++seen) {
    if (config_[at] == id) return at;
    at = config_[at + 1] & ~3u;
  }
  return 0;
}

bool RootPort::inside_bar(unsigned bar, uint64_t offset, uint64_t bytes) const {
  return bar < kBars && offset <= bars_[bar].size && bytes <= bars_[bar].size - offset;
}

void RootPort::mmio_read(unsigned bar, uint64_t offset, unsigned bytes, ReadDone done) {
  if (!can_ask()) return done(RequestStatus::kLinkDown, {});
  if (!inside_bar(bar, offset, bytes)) return done(RequestStatus::kUnsupported, {});
  requests_.read_memory(bars_[bar].address + offset, bytes, std::move(done));
}

bool RootPort::mmio_write(unsigned bar, uint64_t offset, std::span<const uint8_t> data) {
  if (!can_ask() || !inside_bar(bar, offset, data.size())) return false;
  for (uint64_t address = bars_[bar].address + offset; !data.empty();) {
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

void RootPort::config_read(unsigned offset, unsigned bytes, ReadDone done) {
  if (!can_ask()) return done(RequestStatus::kLinkDown, {});
  if (offset > kConfigBytes || bytes > kConfigBytes - offset) return done(RequestStatus::kUnsupported, {});
  requests_.read_config(offset, bytes, std::move(done));
}

void RootPort::config_write(unsigned offset, std::span<const uint8_t> data, WriteDone done) {
  if (!can_ask()) return done(RequestStatus::kLinkDown);
  if (offset > kConfigBytes || data.size() > kConfigBytes - offset) return done(RequestStatus::kUnsupported);
  std::vector<uint8_t> copy(data.begin(), data.end());
  const auto answered = [this, offset, copy, done = std::move(done)](RequestStatus status) {
    if (status == RequestStatus::kOk) snoop(offset, copy);
    done(status);
  };
  requests_.write_config(offset, copy, answered);
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
  config_read(offset, bytes, [result](RequestStatus status, std::span<const uint8_t> data) {
    result->data.assign(data.begin(), data.end());
    result->status = status;
  });
  return result;
}

WriteHandle RootPort::config_write(unsigned offset, std::span<const uint8_t> data) {
  auto result = std::make_shared<WriteResult>();
  config_write(offset, data, [result](RequestStatus status) { result->status = status; });
  return result;
}

// What the card's registers hold after a write that it has taken.
void RootPort::snoop(unsigned offset, std::span<const uint8_t> data) {
  for (size_t i = 0; i < data.size(); ++i) {
    const size_t at = offset + i;
    const unsigned shift = at % 4 * 8;
    if (at == kCommand) command_ = static_cast<uint16_t>((command_ & 0xFF00) | data[i]);
    if (at == kCommand + 1) command_ = static_cast<uint16_t>((command_ & 0x00FF) | data[i] << 8);
    if (at < kFirstBar || at >= kFirstBar + 4 * kBars) continue;
    uint32_t& word = bar_registers_[(at - kFirstBar) / 4];
    word = (word & ~(0xFFu << shift)) | uint32_t{data[i]} << shift;
  }
  for (unsigned i = 0; i < kBars; ++i) {
    Bar& bar = bars_[i];
    if (bar.size == 0) continue;
    const uint64_t high = bar.wide ? uint64_t{bar_registers_[i + 1]} << 32 : 0;
    bar.address = (high | bar_registers_[i]) & ~(bar.size - 1);
  }
}

}  // namespace swai::rootport
