// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/config_space.hpp"

#include <algorithm>

namespace swai::fast {
namespace {

constexpr uint32_t kClass = 0x1200'0001;  // processing accelerator, revision 1
constexpr uint32_t kSubsystem = 0x0001'5357;
constexpr uint32_t kCapabilities = 1 << 20;
constexpr uint32_t kCommandBits = 0x0546;
// BARs of 64 bits; the first is prefetchable.
constexpr uint32_t kBar0Type = 0xC;
constexpr uint32_t kBarType = 0x4;
constexpr uint32_t kFunctionReset = 1 << 15;
// Relaxed ordering, tags of 8 bits, no snoop, and what is reported.
constexpr uint32_t kDeviceControlBits = 0x091F;
constexpr uint32_t kPayload = 7 << 5;
constexpr uint32_t kRead = 7 << 12;

constexpr uint32_t merge(uint32_t old, uint32_t data, uint32_t mask) { return (old & ~mask) | (data & mask); }

constexpr uint32_t half(uint64_t bar, bool high) { return static_cast<uint32_t>(high ? bar >> 32 : bar); }

// The part of a BAR that is an address; the rest reads 0, which tells its size.
void set_half(uint64_t& bar, bool high, uint32_t data, uint32_t mask, uint64_t bytes) {
  const uint64_t word = merge(half(bar, high), data, mask);
  bar = high ? (bar & 0xFFFF'FFFF) | word << 32 : (bar & ~uint64_t{0xFFFF'FFFF}) | word;
  bar &= ~(bytes - 1);
}

}  // namespace

uint32_t ConfigSpace::read(uint64_t offset) const {
  switch (offset) {
    case 0x00:
      return uint32_t{kDeviceId} << 16 | kVendorId;
    case 0x04:
      return kCapabilities | command_;
    case 0x08:
      return kClass;
    case 0x0C:
      return cache_line_;
    case 0x10:
      return half(bar0_, false) | kBar0Type;
    case 0x14:
      return half(bar0_, true);
    case 0x18:
      return half(bar2_, false) | kBarType;
    case 0x1C:
      return half(bar2_, true);
    case 0x20:
      return half(bar4_, false) | kBarType;
    case 0x24:
      return half(bar4_, true);
    case 0x2C:
      return kSubsystem;
    case 0x34:
      return 0x40;
    case 0x3C:
      return irq_line_;
    case 0x40:  // power management: version 3, no events
      return 0x0003'5001;
    case 0x44:
      return 0x8 | (d3_ ? 3 : 0);
    case 0x50:  // MSI-X: 32 vectors, table and pending bits in BAR2
      return msix_ | 31 << 16 | 0x6011;
    case 0x54:
      return 0x0000'0002;
    case 0x58:
      return 0x0000'8002;
    case 0x60:  // PCI Express: endpoint, version 2
      return 0x0002'0010;
    case 0x64:
      return 0x1000'8021;
    case 0x68:
      return device_control_;
    case 0x6C:
      return 0x0000'0104;
    case 0x70:
      return link_up_ ? 0x0104'0000 : 0;
    case 0x84:
      return 0x11;
    case 0x88:
      return device_control2_;
    case 0x8C:
      return 0x1E;
    case 0x90:
      return target_speed_;
    default:
      return 0;
  }
}

bool ConfigSpace::write(uint64_t offset, uint32_t data, uint32_t mask) {
  switch (offset) {
    case 0x04:
      command_ = merge(command_, data, mask & kCommandBits);
      break;
    case 0x0C:
      cache_line_ = static_cast<uint8_t>(merge(cache_line_, data, mask));
      break;
    case 0x10:
    case 0x14:
      set_half(bar0_, offset == 0x14, data, mask, kBar0Bytes);
      break;
    case 0x18:
    case 0x1C:
      set_half(bar2_, offset == 0x1C, data, mask, kBar2Bytes);
      break;
    case 0x20:
    case 0x24:
      set_half(bar4_, offset == 0x24, data, mask, kBar4Bytes);
      break;
    case 0x3C:
      irq_line_ = static_cast<uint8_t>(merge(irq_line_, data, mask));
      break;
    case 0x44:
      // Only D0 and D3hot exist.
      if ((mask & 3) == 3 && (data >> 1 & 1) == (data & 1)) d3_ = (data & 1) != 0;
      break;
    case 0x50:
      msix_ = merge(msix_, data, mask & (kMsixEnable | kMsixMask));
      break;
    case 0x68: {
      const uint32_t value = merge(device_control_, data, mask);
      device_control_ = (value & kDeviceControlBits) | std::min<uint32_t>(value & kPayload, 1 << 5) |
                        std::min<uint32_t>(value & kRead, 2 << 12);
      return (data & mask & kFunctionReset) != 0;
    }
    case 0x88:
      device_control2_ = merge(device_control2_, data, mask & 0x1F);
      break;
    case 0x90:
      target_speed_ = merge(target_speed_, data, mask & 0xF);
      break;
    default:
      break;
  }
  return false;
}

// The payload size stays.
void ConfigSpace::reset_function() {
  const uint32_t payload = device_control_ & kPayload;
  const uint32_t speed = target_speed_;
  const bool up = link_up_;
  *this = {};
  link_up_ = up;
  target_speed_ = speed;
  device_control_ |= payload;
}

void ConfigSpace::reset_link() {
  reset_function();
  device_control_ &= ~kPayload;
}

}  // namespace swai::fast
