// SPDX-License-Identifier: Apache-2.0
// MSI-X, as an operating system uses it.
#include <array>
#include <memory>
#include <vector>

#include "sim/board/rootport/root_port.hpp"

namespace swai::rootport {
namespace {

constexpr uint8_t kMsixCapability = 0x11;
constexpr uint16_t kEnable = 0x8000, kMaskAll = 0x4000;
constexpr uint32_t kInterruptAddress = 0xFEE0'0000;

using Done = std::function<void(bool)>;

unsigned half(std::span<const uint8_t> bytes, unsigned offset) {
  return bytes[offset] | bytes[offset + 1] << 8;
}

uint32_t word(std::span<const uint8_t> bytes, unsigned offset) {
  return half(bytes, offset) | uint32_t{half(bytes, offset + 2)} << 16;
}

void write_word(RootPort& port, unsigned bar, uint64_t offset, uint32_t value) {
  const std::array<uint8_t, 4> data = {static_cast<uint8_t>(value), static_cast<uint8_t>(value >> 8),
                                       static_cast<uint8_t>(value >> 16), static_cast<uint8_t>(value >> 24)};
  port.mmio_write(bar, offset, data);
}

void write_control(RootPort& port, unsigned capability, unsigned value, WriteDone done) {
  const std::array<uint8_t, 2> data = {static_cast<uint8_t>(value), static_cast<uint8_t>(value >> 8)};
  port.config_write(capability + 2, data, std::move(done));
}

void write_table(RootPort& port, unsigned bar, uint64_t table, unsigned entries, unsigned vectors) {
  for (unsigned i = 0; i < entries; ++i) {
    const uint64_t entry = table + i * 16;
    write_word(port, bar, entry, kInterruptAddress);
    write_word(port, bar, entry + 4, 0);
    write_word(port, bar, entry + 8, i);
    write_word(port, bar, entry + 12, i < vectors ? 0 : 1);  // masked
  }
}

}  // namespace

void RootPort::enable_msix(unsigned vectors, Done done) {
  const unsigned at = capability(kMsixCapability);
  if (link() != LinkState::kReady || at == 0) return done(false);
  config_read(at, 8, [this, at, vectors, done](RequestStatus status, std::span<const uint8_t> data) {
    if (status != RequestStatus::kOk) return done(false);
    const unsigned control = half(data, 2) & ~(kEnable | kMaskAll);
    const unsigned bar = word(data, 4) & 7;
    const uint64_t table = word(data, 4) & ~7u;
    const unsigned entries = (control & 0x7FF) + 1;
    if (vectors > entries || !config_.is_inside(bar, table, entries * 16)) return done(false);
    const auto unmask = [this, at, control, done](RequestStatus) {
      write_control(*this, at, control | kEnable, [done](RequestStatus s) { done(s == RequestStatus::kOk); });
    };
    const auto fill = [this, bar, table, entries, vectors, unmask, done](RequestStatus s) {
      if (s != RequestStatus::kOk) return done(false);
      write_table(*this, bar, table, entries, vectors);
      unmask(s);
    };
    write_control(*this, at, control | kEnable | kMaskAll, fill);
  });
}

void RootPort::disable_msix(Done done) {
  const unsigned at = capability(kMsixCapability);
  if (link() != LinkState::kReady || at == 0) return done(false);
  config_read(at, 4, [this, at, done](RequestStatus status, std::span<const uint8_t> data) {
    if (status != RequestStatus::kOk) return done(false);
    write_control(*this, at, half(data, 2) & ~(kEnable | kMaskAll),
                  [done](RequestStatus s) { done(s == RequestStatus::kOk); });
  });
}

}  // namespace swai::rootport
