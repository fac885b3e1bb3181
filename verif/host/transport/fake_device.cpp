// SPDX-License-Identifier: Apache-2.0
#include "verif/host/transport/fake_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>

#include "host/transport/vendor_region.hpp"
#include "host/transport/vfio_user.hpp"

namespace swai::socket {

using link::vfio_user::inside;

namespace {

constexpr uint64_t kWriteCycles = 250;
constexpr uint64_t kPieceCycles = 10;
constexpr uint64_t kQueueBytes = 2 << 20;
constexpr uint64_t kBytesPerCycle = 32;
// No cycle is later, so that sums of cycles do not wrap: an event in the past would repeat for ever.
constexpr uint64_t kEndOfTime = uint64_t{1} << 62;

}  // namespace

FakeDevice::FakeDevice(FakeClock& clock, uint32_t card, uint32_t cards) : clock_(clock) {
  clock.devices_.push_back(this);
  info_.configuration = "fake";
  info_.vendor_id = kFakeVendor;
  info_.device_id = kFakeDeviceId;
  info_.card = card;
  info_.cards = cards;
  info_.vectors = 32;
  info_.regions[kBar0].bytes = kFakeBar0Bytes;
  info_.regions[kBar2].bytes = 0x1000;
  info_.regions[kBar4].bytes = 0x1000;
  info_.regions[kRom] = {0x800, true, false};
  info_.regions[kConfig].bytes = 0x1000;
  reset();
  trace_.clear();
}

uint64_t FakeDevice::cycle() const { return clock_.cycle(); }

void FakeDevice::note(const std::string& line) {
  if (tracing_) trace_.push_back(fmt::format("{} card {} {}", cycle(), info_.card, line));
}

void FakeDevice::at(uint64_t cycle, std::function<void()> what) { events_.emplace(cycle, std::move(what)); }

uint64_t FakeDevice::get(uint64_t offset) const {
  uint64_t value;
  std::memcpy(&value, regions_[kBar4].data() + offset, sizeof value);
  return value;
}

void FakeDevice::set(uint64_t offset, uint64_t value) {
  std::memcpy(regions_[kBar4].data() + offset, &value, sizeof value);
}

void FakeDevice::reset() {
  ++resets_;
  note("reset");
  events_.clear();
  copies_.clear();
  asked_.clear();
  queued_ = 0;
  wire_free_ = 0;
  for (unsigned i = 0; i < kDeviceRegions; ++i) regions_[i].assign(info_.regions[i].bytes, 0);
  const uint16_t ids[] = {kFakeVendor, kFakeDeviceId};
  std::memcpy(regions_[kConfig].data(), ids, sizeof ids);
  std::iota(regions_[kRom].begin(), regions_[kRom].end(), uint8_t{0});
}

void FakeDevice::client_gone() {
  reset();
  ++departures_;
}

// Accesses go one behind the other over a wire of 32 bytes per cycle.
int FakeDevice::region_write(unsigned region, uint64_t offset, std::span<const uint8_t> data) {
  if (region == kBar2 && offset % 4 != 0) return EFAULT;  // a refusal of the device's own
  queued_ += data.size();
  wire_free_ = std::max(wire_free_, cycle()) + 1 + data.size() / kBytesPerCycle;
  at(wire_free_ + kWriteCycles,
     [this, region, offset, bytes = std::vector<uint8_t>(data.begin(), data.end())] {
       queued_ -= bytes.size();
       apply_write(region, offset, bytes);
     });
  return 0;
}

uint64_t FakeDevice::write_room() const { return kQueueBytes - std::min(kQueueBytes, queued_); }

void FakeDevice::start_read(unsigned region, uint64_t offset, uint32_t bytes) {
  ++reads_;
  if (std::exchange(swallow_, false)) return;
  if (std::exchange(no_memory_, false)) throw std::bad_alloc();
  if (at_once_) {
    const auto from = regions_[region].begin() + static_cast<ptrdiff_t>(offset);
    return host_->read_done(0, std::vector<uint8_t>(from, from + bytes));
  }
  wire_free_ = std::max(wire_free_, cycle()) + 1;
  at(wire_free_ + kWriteCycles, [this, region, offset, bytes] {
    const auto from = regions_[region].begin() + static_cast<ptrdiff_t>(offset);
    std::vector<uint8_t> data(from, from + bytes);
    at(cycle() + kFakeReadCycles - kWriteCycles + bytes / kBytesPerCycle, [this, region, offset, data] {
      note(fmt::format("read {} {:#x} {}", region, offset, data.size()));
      clock_.called_ = true;
      host_->read_done(0, data);
    });
  });
}

void FakeDevice::apply_write(unsigned region, uint64_t offset, const std::vector<uint8_t>& data) {
  note(fmt::format("write {} {:#x} {}", region, offset, data.size()));
  std::copy(data.begin(), data.end(), regions_[region].begin() + static_cast<ptrdiff_t>(offset));
  if (region != kBar4) return;
  for (const uint64_t doorbell : {kFakeGo, kFakeTimer, kFakeFatal}) {
    if (offset < doorbell + 8 && doorbell < offset + data.size()) register_written(doorbell);
  }
}

void FakeDevice::register_written(uint64_t offset) {
  if (offset == kFakeTimer) {
    start_timer();
  } else if (offset == kFakeFatal) {
    clock_.called_ = true;
    host_->fatal_error();
  } else {
    const uint64_t go = get(kFakeGo);
    const uint64_t bytes = get(kFakeBytes);
    if ((go & 0xff) < 1 || (go & 0xff) > 3 || !inside(get(kFakeAt), bytes, kFakeBar0Bytes)) return;
    if ((go & 0xff) == 3) return post_piece(go >> 8 & 0xff);
    copies_.push_back(
        {(go & 0xff) == 2, get(kFakeIova), get(kFakeAt), bytes, static_cast<unsigned>(go >> 8 & 0xff), 0});
    if (copies_.size() == 1) at(cycle() + kPieceCycles, [this] { copy_some(); });
  }
}

void FakeDevice::start_timer() {
  at(cycle() + std::clamp<uint64_t>(get(kFakeTimer), 1, kEndOfTime), [this] {
    note("timer");
    clock_.called_ = true;
    host_->interrupt(1);
    if (get(kFakeRepeat) == 0) return;
    set(kFakeRepeat, get(kFakeRepeat) - 1);
    start_timer();
  });
}

const DmaRange* FakeDevice::range_of(uint64_t iova, uint64_t bytes, bool write) const {
  auto found = ranges_.upper_bound(iova);
  if (found == ranges_.begin()) return nullptr;
  const DmaRange& range = (--found)->second;
  const bool fits = inside(iova - range.iova, bytes, range.bytes);
  return fits && (write ? range.writable : range.readable) ? &range : nullptr;
}

void FakeDevice::copy_some() {
  Copy& copy = copies_.front();
  while (copy.left != 0 && copy.in_flight < kInFlight) {
    const uint64_t some = std::min<uint64_t>(copy.left, kPiece - copy.iova % kPiece);
    const DmaRange* range = range_of(copy.iova, some, copy.to_host);
    uint8_t* card = regions_[kBar0].data() + copy.at;
    ++copy.in_flight;
    if (range == nullptr) {
      at(cycle() + kPieceCycles, [this] { piece_done(false); });
    } else if (range->memory != nullptr) {
      uint8_t* host = range->memory + (copy.iova - range->iova);
      std::memcpy(copy.to_host ? host : card, copy.to_host ? card : host, some);
      at(cycle() + kPieceCycles, [this] { piece_done(true); });
    } else {
      const uint32_t tag = next_tag_++;
      asked_[tag] = {copy.at};
      clock_.called_ = true;
      if (copy.to_host) {
        host_->host_write(tag, copy.iova, {card, some});
      } else {
        host_->host_read(tag, copy.iova, static_cast<uint32_t>(some));
      }
    }
    copy.iova += some;
    copy.at += some;
    copy.left -= some;
  }
  if (copy.left == 0 && copy.in_flight == 0) piece_done(true);  // nothing to copy
}

void FakeDevice::post_piece(unsigned vector) {
  const uint64_t bytes = std::min<uint64_t>(get(kFakeBytes), kMaxHostBytes);
  asked_[next_tag_] = {0, true};
  clock_.called_ = true;
  host_->host_write(next_tag_++, get(kFakeIova), {regions_[kBar0].data() + get(kFakeAt), bytes});
  host_->interrupt(vector);
}

void FakeDevice::host_done(uint32_t tag, bool good, std::span<const uint8_t> data) {
  const auto piece = asked_.extract(tag);
  if (!piece || piece.mapped().posted) return;
  if (good)
    std::copy(data.begin(), data.end(), regions_[kBar0].begin() + static_cast<ptrdiff_t>(piece.mapped().at));
  at(cycle() + kPieceCycles, [this, good] { piece_done(good); });
}

void FakeDevice::piece_done(bool good) {
  Copy& copy = copies_.front();
  if (!good) set(kFakeFaults, get(kFakeFaults) + 1);
  if (copy.in_flight != 0) --copy.in_flight;
  if (copy.left != 0) return copy_some();
  if (copy.in_flight != 0) return;
  set(kFakeDone, get(kFakeDone) + 1);
  const unsigned vector = copy.vector;
  note(fmt::format("copied, vector {}", vector));
  copies_.erase(copies_.begin());
  if (!copies_.empty()) at(cycle() + kPieceCycles, [this] { copy_some(); });
  clock_.called_ = true;
  host_->interrupt(vector);
}

int FakeDevice::dma_map(const DmaRange& range) {
  if (range.iova >> 60 != 0) return ERANGE;  // a limit of the device's own
  ranges_[range.iova] = range;
  return 0;
}

void FakeDevice::dma_unmap(uint64_t iova, uint64_t) { ranges_.erase(iova); }

ControlResult FakeDevice::control(uint64_t command, std::span<const uint64_t, 4> arguments) {
  switch (static_cast<link::vendor::Command>(command)) {
    case link::vendor::Command::kTrace:
      tracing_ = arguments[0] != 0;
      return {};
    case link::vendor::Command::kStatistic:
      return {0, arguments[0] + arguments[1] + arguments[2] + arguments[3]};
    default:
      return {ENOTSUP, 0};
  }
}

bool FakeClock::asleep() const {
  return std::all_of(devices_.begin(), devices_.end(),
                     [](const FakeDevice* device) { return device->events_.empty(); });
}

void FakeClock::run(uint64_t limit) {
  limit = std::min(limit, kEndOfTime);
  ++runs_;
  called_ = false;
  while (!asleep()) {
    uint64_t next = UINT64_MAX;
    for (const FakeDevice* device : devices_) {
      if (!device->events_.empty()) next = std::min(next, device->events_.begin()->first);
    }
    if (next > limit) {
      cycle_ = std::max(cycle_, limit);
      return;
    }
    cycle_ = std::max(cycle_, next);
    for (FakeDevice* device : devices_) {
      while (!device->events_.empty() && device->events_.begin()->first <= cycle_) {
        device->events_.extract(device->events_.begin()).mapped()();
      }
    }
    if (called_) return;
  }
}

}  // namespace swai::socket
