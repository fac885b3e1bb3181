// SPDX-License-Identifier: Apache-2.0
#include "sim/board/rootport/config_space.hpp"

#include <utility>

namespace swai::rootport {
namespace {

constexpr unsigned kConfigBytes = 4096;
constexpr unsigned kCommand = 0x04, kFirstBar = 0x10;

}  // namespace

void ConfigSpace::clear() {
  header_.clear();
  bars_ = {};
  bar_registers_ = {};
  command_ = 0;
}

unsigned ConfigSpace::capability(uint8_t id) const {
  if (header_.size() < 256 || (header_[6] & 0x10) == 0) return 0;
  unsigned at = header_[0x34] & ~3u;
  // A list that bites its own tail ends, too.
  for (unsigned seen = 0; at >= 0x40 && seen < 48; ++seen) {
    if (header_[at] == id) return at;
    at = header_[at + 1] & ~3u;
  }
  return 0;
}

bool ConfigSpace::is_inside(unsigned bar, uint64_t offset, uint64_t bytes) const {
  return bar < kBars && offset <= bars_[bar].size && bytes <= bars_[bar].size - offset;
}

void ConfigSpace::read(unsigned offset, unsigned bytes, ReadDone done) {
  if (!may_ask_()) return done(RequestStatus::kLinkDown, {});
  if (offset > kConfigBytes || bytes > kConfigBytes - offset) return done(RequestStatus::kUnsupported, {});
  requests_.read_config(offset, bytes, std::move(done));
}

void ConfigSpace::write(unsigned offset, std::span<const uint8_t> data, WriteDone done) {
  if (!may_ask_()) return done(RequestStatus::kLinkDown);
  if (offset > kConfigBytes || data.size() > kConfigBytes - offset) return done(RequestStatus::kUnsupported);
  std::vector<uint8_t> copy(data.begin(), data.end());
  const auto answered = [this, offset, copy, done = std::move(done)](RequestStatus status) {
    if (status == RequestStatus::kOk) snoop(offset, copy);
    done(status);
  };
  requests_.write_config(offset, copy, answered);
}

// What the card's registers hold after a write that it has taken.
void ConfigSpace::snoop(unsigned offset, std::span<const uint8_t> data) {
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
