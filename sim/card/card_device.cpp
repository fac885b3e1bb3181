// SPDX-License-Identifier: Apache-2.0
#include "sim/card/card_device.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "abi/kernel_memory.hpp"
#include "build/gen/card_regs.hpp"
#include "host/transport/trace_command.hpp"
#include "host/transport/vendor_region.hpp"

namespace swai::card {
namespace {

namespace vendor = link::vendor;

constexpr uint32_t kVectors = 32;

// As rtl/pcie has them.
constexpr uint16_t kVendorId = 0x5357;
constexpr uint16_t kDeviceId = 0x4149;
constexpr uint64_t kBar0Bytes = uint64_t{128} << 30;
constexpr uint64_t kBar2Bytes = 64 << 10;
constexpr uint64_t kBar4Bytes = 256 << 10;
constexpr uint64_t kConfigBytes = 4096;
// Lines that are poisoned at once. They are whole again when their client leaves.
constexpr uint64_t kMostPoisoned = 1 << 16;
constexpr uint64_t kDoorbellAt = regs::pcie::doorbell::kAddr - regs::kCardRegion.base;

}  // namespace

CardDevice::CardDevice(Card& card, rootport::RootComplex& root, rootport::RootPort& port,
                       const std::string& configuration, unsigned cards, std::function<void()> woken)
    : card_(card),
      root_(root),
      port_(port),
      woken_(std::move(woken)),
      client_memory_([this]() -> socket::Host& { return tell(); }) {
  info_.configuration = configuration;
  info_.vendor_id = kVendorId;
  info_.device_id = kDeviceId;
  info_.card = port.card();
  info_.cards = cards;
  info_.regions[socket::kBar0].bytes = kBar0Bytes;
  info_.regions[socket::kBar2].bytes = kBar2Bytes;
  info_.regions[socket::kBar4].bytes = kBar4Bytes;
  info_.regions[socket::kConfig].bytes = kConfigBytes;
  info_.vectors = kVectors;
  port_.on_link([this](rootport::LinkState state) { on_link(state); });
  port_.on_packet([this](bool to_card, uint64_t cycle, const rootport::Tlp& packet) {
    on_packet(to_card, cycle);
    if (!to_card && packet.kind == rootport::TlpKind::kMemWrite && card_.events() != nullptr)
      card_.events()->host_data(cycle, packet.address + packet.first_byte() + packet.byte_span());
  });
  port_.on_interrupt([this](uint32_t vector) {
    if (card_.events() != nullptr) {
      const uint64_t now = root_.cycle();
      card_.events()->host_interrupt(now, now - port_.options().to_root.delay, vector);
    }
    if (vector < kVectors && host_ != nullptr) tell().interrupt(vector);
  });
}

// The root complex sees packets at its end of the wire.
void CardDevice::on_packet(bool to_card, uint64_t cycle) {
  uint64_t& first = to_card ? first_in_ : first_out_;
  if (first != 0) return;
  first = to_card ? cycle + port_.options().to_card.delay : cycle - port_.options().to_root.delay;
}

socket::Host& CardDevice::tell() {
  root_.stop();
  return *host_;
}

void CardDevice::on_link(rootport::LinkState state) {
  using enum rootport::LinkState;
  ready_ = false;
  if (state == kFailed && host_ != nullptr) tell().fatal_error();
  if (state != kReady) return;
  // Interrupts are set up as an operating system does it for a driver that wants them all.
  port_.enable_msix(kVectors, [this](bool good) {
    if (!good) return;
    ready_ = true;
    while (!waiting_.empty()) {
      const auto action = std::move(waiting_.front());
      waiting_.pop_front();
      action();
    }
    waiting_bytes_ = 0;
  });
}

void CardDevice::when_ready(std::function<void()> action) {
  woken_();
  if (ready_) {
    action();
  } else {
    waiting_.push_back(std::move(action));
  }
}

// -------------------------------------------------------------------------------------------------- accesses

int CardDevice::region_write(unsigned region, uint64_t offset, std::span<const uint8_t> data) {
  if (!ready_) waiting_bytes_ += data.size();
  when_ready([this, region, offset, copy = std::vector<uint8_t>(data.begin(), data.end())] {
    write_now(region, offset, copy);
  });
  return 0;
}

void CardDevice::write_now(unsigned region, uint64_t offset, std::span<const uint8_t> data) {
  if (region == socket::kConfig) {
    port_.config_write(static_cast<unsigned>(offset), data, [](rootport::RequestStatus) {});
  } else {
    if (region == socket::kBar4 && offset == kDoorbellAt && !data.empty() && card_.events() != nullptr) {
      card_.events()->host_doorbell(root_.cycle(),
                                    static_cast<unsigned>(regs::pcie::doorbell::kNumber.get(data[0])));
    }
    port_.mmio_write(region, offset, data);
  }
}

uint64_t CardDevice::write_room() const {
  const uint64_t waiting = waiting_bytes_ + port_.posted_packets() * port_.options().max_payload;
  return socket::kMaxAccess - std::min<uint64_t>(waiting, socket::kMaxAccess);
}

void CardDevice::start_read(unsigned region, uint64_t offset, uint32_t bytes) {
  when_ready([this, region, offset, bytes] { read_now(region, offset, bytes); });
}

void CardDevice::read_now(unsigned region, uint64_t offset, uint32_t bytes) {
  const auto done = [this, serial = ++read_serial_, bytes](rootport::RequestStatus status,
                                                           std::span<const uint8_t> data) {
    on_read(serial, bytes, status, data);
  };
  if (region == socket::kConfig) {
    port_.config_read(static_cast<unsigned>(offset), bytes, done);
  } else {
    port_.mmio_read(region, offset, bytes, done);
  }
}

void CardDevice::on_read(uint64_t serial, uint32_t bytes, rootport::RequestStatus status,
                         std::span<const uint8_t> data) {
  if (serial != read_serial_) return;
  if (status == rootport::RequestStatus::kOk) {
    tell().read_done(0, data);
  } else {
    const std::vector<uint8_t> ones(bytes, 0xFF);
    tell().read_done(0, ones);
  }
}

// -------------------------------------------------------------------------------------------- client's
// memory

int CardDevice::dma_map(const socket::DmaRange& range) {
  const rootport::Permissions permissions{.read = range.readable, .write = range.writable};
  const auto result = range.memory != nullptr
                          ? port_.iommu().map(range.iova, range.bytes, range.memory, permissions)
                          : port_.iommu().map(range.iova, range.bytes, client_memory_, permissions);
  return result == rootport::MapResult::kOk ? 0 : EINVAL;
}

void CardDevice::dma_unmap(uint64_t iova, uint64_t bytes) {
  woken_();
  port_.iommu().unmap(iova, bytes);
}

void CardDevice::host_done(uint32_t tag, bool good, std::span<const uint8_t> data) {
  client_memory_.answer(tag, good, data);
}

// ------------------------------------------------------------------------------------------------------
// reset

void CardDevice::reset() {
  ++read_serial_;
  waiting_.clear();
  waiting_bytes_ = 0;
  ready_ = false;
  woken_();
  port_.hot_reset();
}

void CardDevice::client_gone() {
  client_memory_.forget();
  port_.faults().clear();
  for (const uint64_t line : std::exchange(poisoned_, {})) heal(line);
  reset();
}

// ---------------------------------------------------------------------------------------------- test
// facilities

socket::ControlResult CardDevice::control(uint64_t command, std::span<const uint64_t, 4> arguments) {
  switch (static_cast<vendor::Command>(command)) {
    case vendor::Command::kTrace:
      return trace(arguments);
    case vendor::Command::kPoisonMemory:
      return poison(arguments, true);
    case vendor::Command::kClearPoison:
      return poison(arguments, false);
    case vendor::Command::kInject:
      return inject(arguments);
    case vendor::Command::kStatistic:
      return statistic(arguments[0]);
    case vendor::Command::kClearStatistics:
      port_.clear_counters();
      first_in_ = first_out_ = 0;
      return {};
    default:
      return {.error = ENOTSUP};
  }
}

// Into the file that the program was started with; returns how many records it could not take so far.
socket::ControlResult CardDevice::trace(std::span<const uint64_t, 4> arguments) {
  CardEvents* const events = card_.events();
  if (events == nullptr || !events->has_file()) return {.error = ENOTSUP};
  using vendor::Trace;
  const auto what = static_cast<Trace>(arguments[0]);
  switch (what) {
    case Trace::kOff:
    case Trace::kOn:
      events->record(what == Trace::kOn);
      break;
    case Trace::kKernel:
    case Trace::kKernelMore: {
      std::array<char, 2 * sizeof(uint64_t) + 1> part{};
      std::memcpy(part.data(), &arguments[2], part.size() - 1);
      events->name_kernel(arguments[1], part.data(), what == Trace::kKernel);
      break;
    }
    default:
      return {.error = EINVAL};
  }
  return {.value = events->file().dropped()};
}

socket::ControlResult CardDevice::poison(std::span<const uint64_t, 4> arguments, bool on) {
  constexpr uint64_t kLine = cg::HbmCells::kLineBytes;
  const uint64_t from = arguments[0] - regs::kHbmRegion.base;
  const uint64_t bytes = arguments[1];
  const uint64_t all = card_.groups() * cg::HbmCells::kGroupBytes;
  if (from >= all || bytes > all - from) return {.error = EINVAL};
  if (!on) {
    for (auto line = poisoned_.lower_bound(from / kLine * kLine);
         line != poisoned_.end() && *line < from + bytes;) {
      heal(*line);
      line = poisoned_.erase(line);
    }
    return {};
  }
  if (from < boot::kKernelMemoryBytes) return {.error = EACCES};
  const uint64_t lines = (from % kLine + bytes + kLine - 1) / kLine;
  if (lines + poisoned_.size() > kMostPoisoned) return {.error = ENOSPC};
  for (uint64_t at = from / kLine * kLine; at < from + bytes; at += kLine) {
    card_.hbm().poison(static_cast<unsigned>(at / cg::HbmCells::kGroupBytes), at % cg::HbmCells::kGroupBytes);
    poisoned_.insert(at);
  }
  return {};
}

void CardDevice::heal(uint64_t line) {
  card_.hbm().heal(static_cast<unsigned>(line / cg::HbmCells::kGroupBytes), line % cg::HbmCells::kGroupBytes);
}

socket::ControlResult CardDevice::inject(std::span<const uint64_t, 4> arguments) {
  static const std::map<vendor::Fault, rootport::Fault> kKnobs = {
      {vendor::Fault::kDropCompletion, rootport::Fault::kDropCompletion},
      {vendor::Fault::kPoisonCompletion, rootport::Fault::kPoisonCompletion},
      {vendor::Fault::kUnsupported, rootport::Fault::kUnsupportedRead},
      {vendor::Fault::kAbort, rootport::Fault::kAbortRead},
      {vendor::Fault::kPoisonWrite, rootport::Fault::kPoisonWrite},
  };
  const auto knob = kKnobs.find(static_cast<vendor::Fault>(arguments[0]));
  if (knob == kKnobs.end()) return {.error = ENOTSUP};
  port_.faults().count(knob->second, arguments[2], arguments[1]);
  return {};
}

socket::ControlResult CardDevice::statistic(uint64_t which) const {
  if (which >= static_cast<uint64_t>(vendor::Statistic::kWorkCycles)) return work_statistic(which);
  const rootport::PortCounters& counters = port_.counters();
  const auto packets = [](const rootport::DirectionCounters& direction) {
    uint64_t sum = 0;
    for (const uint64_t count : direction.packets) sum += count;
    return sum;
  };
  switch (static_cast<vendor::Statistic>(which)) {
    case vendor::Statistic::kCycles:
      return {.value = root_.cycle()};
    case vendor::Statistic::kTxWireBytes:
      return {.value = counters.to_root.wire_bytes};
    case vendor::Statistic::kTxPayloadBytes:
      return {.value = counters.to_root.payload_bytes};
    case vendor::Statistic::kRxWireBytes:
      return {.value = counters.to_card.wire_bytes};
    case vendor::Statistic::kRxPayloadBytes:
      return {.value = counters.to_card.payload_bytes};
    case vendor::Statistic::kTxPackets:
      return {.value = packets(counters.to_root)};
    case vendor::Statistic::kRxPackets:
      return {.value = packets(counters.to_card)};
    case vendor::Statistic::kIommuFaults:
      return {.value = port_.iommu().fault_count()};
    case vendor::Statistic::kTxFirstByteCycle:
      return {.value = first_out_};
    case vendor::Statistic::kRxFirstByteCycle:
      return {.value = first_in_};
    default:
      return {.error = ENOTSUP};
  }
}

socket::ControlResult CardDevice::work_statistic(uint64_t which) const {
  const array::Works* const works = card_.works();
  if (works == nullptr) return {.error = ENOTSUP};
  switch (static_cast<vendor::Statistic>(which)) {
    case vendor::Statistic::kWorkCycles:
      return {.value = works->any};
    case vendor::Statistic::kDmaCycles:
      return {.value = works->dma};
    case vendor::Statistic::kSystolicCycles:
      return {.value = works->systolic};
    case vendor::Statistic::kVectorCycles:
      return {.value = works->vector};
    case vendor::Statistic::kBarrierCycles:
      return {.value = works->barrier};
    default:
      return {.error = ENOTSUP};
  }
}

}  // namespace swai::card
