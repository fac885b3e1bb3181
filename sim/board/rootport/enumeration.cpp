// SPDX-License-Identifier: Apache-2.0
#include "sim/board/rootport/enumeration.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

namespace swai::rootport {
namespace {

constexpr unsigned kCommand = 0x04, kHeaderType = 0x0E, kBar0 = 0x10;
constexpr uint16_t kMemoryAndMaster = 0x0006, kNoIntx = 0x0400;
constexpr uint8_t kPcieCapability = 0x10;

uint32_t word(std::span<const uint8_t> bytes, unsigned offset) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + offset, 4);
  return value;
}

std::array<uint8_t, 2> bytes16(unsigned value) {
  return {static_cast<uint8_t>(value), static_cast<uint8_t>(value >> 8)};
}

// 128 is 0, 256 is 1, and so on.
unsigned size_code(unsigned bytes) { return static_cast<unsigned>(std::bit_width(bytes)) - 8; }

}  // namespace

void Enumeration::write(unsigned offset, std::span<const uint8_t> data, Step next) {
  config_.write(offset, data, [self = shared_from_this(), next](RequestStatus status) {
    if (self->cancelled_) return;
    if (status != RequestStatus::kOk) return self->fail();
    (*self.*next)();
  });
}

template <typename Function>
void Enumeration::read(unsigned offset, unsigned bytes, Function next) {
  config_.read(offset, bytes,
               [self = shared_from_this(), next](RequestStatus status, std::span<const uint8_t> data) {
                 if (self->cancelled_) return;
                 if (status != RequestStatus::kOk) return self->fail();
                 (*self.*next)(data);
               });
}

void Enumeration::fail() { done_(false); }

void Enumeration::start() { read(0, 256, &Enumeration::header_read); }

void Enumeration::header_read(std::span<const uint8_t> header) {
  if (word(header, 0) == 0xFFFF'FFFF || (header[kHeaderType] & 0x7F) != 0) return fail();
  config_.set_header(header);
  write(kCommand, bytes16(0), &Enumeration::size_bars);
}

void Enumeration::size_bars() {
  std::array<uint8_t, 4 * kBars> ones;
  ones.fill(0xFF);
  write(kBar0, ones, &Enumeration::read_sizes);
}

void Enumeration::read_sizes() { read(kBar0, 4 * kBars, &Enumeration::sizes_read); }

void Enumeration::sizes_read(std::span<const uint8_t> registers) {
  Bars bars;
  for (unsigned i = 0; i < kBars; ++i) {
    Bar& bar = bars[i];
    bar = {};
    const uint32_t low = word(registers, 4 * i);
    if (low == 0 || (low & 1) != 0) continue;  // none, or ports, which this host has not
    bar.wide = (low & 6) == 4 && i + 1 < kBars;
    uint64_t mask = low & ~uint64_t{0xF};
    mask |= bar.wide ? uint64_t{word(registers, 4 * i + 4)} << 32 : 0xFFFF'FFFF'0000'0000;
    bar.size = mask & (~mask + 1);
    if (bar.wide) bars[++i] = {};
  }
  const bool fit = place(bars);
  config_.set_bars(bars);
  if (!fit) return fail();
  std::array<uint8_t, 4 * kBars> out{};
  for (unsigned i = 0; i < kBars; ++i) {
    const Bar& bar = bars[i];
    if (bar.size != 0) std::memcpy(out.data() + 4 * i, &bar.address, bar.wide ? 8 : 4);
  }
  write(kBar0, out, &Enumeration::set_sizes);
}

// The largest first, so that all lie at multiples of their sizes without gaps.
bool Enumeration::place(Bars& all) const {
  std::vector<Bar*> bars;
  for (Bar& bar : all) {
    if (bar.size != 0) bars.push_back(&bar);
  }
  std::stable_sort(bars.begin(), bars.end(), [](const Bar* a, const Bar* b) { return a->size > b->size; });
  uint64_t wide = 0;
  uint64_t narrow = 0;
  for (Bar* bar : bars) {
    uint64_t& used = bar->wide ? wide : narrow;
    const uint64_t window = bar->wide ? kWideBarWindow : kNarrowBarWindow;
    if (bar->size > window - used) return false;
    bar->address = (bar->wide ? kWideBarBase : kNarrowBarBase) + card_ * window + used;
    used += bar->size;
  }
  return true;
}

void Enumeration::set_sizes() {
  const unsigned capability = config_.capability(kPcieCapability);
  if (capability == 0) return switch_on();
  const unsigned payload = size_code(options_.max_payload);
  if ((config_.header()[capability + 4] & 7u) < payload) return fail();
  // Keeps what the card says after reset about ordering and errors; tags of 8 bits.
  unsigned control = word(config_.header(), capability + 8) & 0xFFFF;
  control = (control & ~0x70E0u) | payload << 5 | size_code(options_.max_read) << 12 | 0x100;
  write(capability + 8, bytes16(control), &Enumeration::switch_on);
}

void Enumeration::switch_on() { write(kCommand, bytes16(kMemoryAndMaster | kNoIntx), &Enumeration::succeed); }

void Enumeration::succeed() { done_(true); }

}  // namespace swai::rootport
