// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/card_device.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "host/transport/vendor_region.hpp"
#include "sim/board/rootport/enumeration.hpp"
#include "sim/fast/snapshot.hpp"

namespace swai::fast {
namespace {

namespace vendor = link::vendor;

// As an operating system sets interrupts up: message n says n.
constexpr uint64_t kInterruptAddress = 0xFEE0'0000;
constexpr uint64_t kMsixEnable = uint64_t{1} << 31;
constexpr unsigned kCommand = 0x04, kBar0 = 0x10, kMsix = 0x50, kDeviceControl = 0x68;
constexpr uint32_t kMemoryMasterNoIntx = 0x0406;

}  // namespace

CardDevice::CardDevice(const DeviceOptions& options, card::FlashStore& flash,
                       std::function<void(uint8_t)> console, std::function<void()> woken)
    : woken_(std::move(woken)),
      card_(options.card, flash,
            {.console = std::move(console),
             .message = [this](const Msix::Message& it) { message(it); },
             .function_reset = [this] { link_down(); }}),
      client_memory_([this]() -> socket::Host& { return tell(); }) {
  info_.configuration = options.configuration;
  info_.vendor_id = ConfigSpace::kVendorId;
  info_.device_id = ConfigSpace::kDeviceId;
  info_.card = options.card.number;
  info_.cards = options.cards;
  info_.regions[socket::kBar0].bytes = ConfigSpace::kBar0Bytes;
  info_.regions[socket::kBar2].bytes = ConfigSpace::kBar2Bytes;
  info_.regions[socket::kBar4].bytes = ConfigSpace::kBar4Bytes;
  info_.regions[socket::kConfig].bytes = ConfigSpace::kBytes;
  info_.vectors = Msix::kVectors;
  // The largest first, each at a multiple of its size.
  uint64_t at = rootport::kWideBarBase + options.card.number * rootport::kWideBarWindow;
  for (const unsigned bar : {socket::kBar0, socket::kBar4, socket::kBar2}) {
    bars_[bar] = at;
    at += info_.regions[bar].bytes;
  }
  link_up_at_ = wire_.settle_cycles;
}

void CardDevice::save(const std::string& path) {
  const bool attached =
      card_.host_memory().iommu().mappings() != 0 || !requests_.empty() || !answers_.empty();
  save_snapshot(path, card_, attached ? Client::kAttached : Client::kNone);
}

void CardDevice::restore(const std::string& path) {
  restore_snapshot(path, card_);
  link_up_at_ = card_.endpoint().config().link_up() ? kNever : cycle() + wire_.settle_cycles;
}

socket::Host& CardDevice::tell() {
  told_ = true;
  card_.stop();
  return *host_;
}

// ----------------------------------------------------------------------------------------------------- time

uint64_t CardDevice::due() const {
  uint64_t first = link_up_at_;
  // Until the link is there what the client wants waits for it.
  if (link_up_at_ == kNever && !requests_.empty()) first = std::min(first, requests_.front().due);
  if (!answers_.empty()) first = std::min(first, answers_.front().due);
  return first;
}

bool CardDevice::asleep() { return due() == kNever && card_.asleep(); }

void CardDevice::do_due() {
  if (link_up_at_ <= cycle()) link_up();
  while (link_up_at_ == kNever && !requests_.empty() && requests_.front().due <= cycle()) {
    Request request = std::move(requests_.front());
    requests_.pop_front();
    request_bytes_ -= request.data.size();
    execute(request);
    // Now there is more: the server looks again.
    if (request.write && asked_for_room_) told_ = true;
  }
  while (!answers_.empty() && answers_.front().due <= cycle()) {
    const Answer answer = std::move(answers_.front());
    answers_.pop_front();
    if (host_ == nullptr) continue;
    if (answer.read) {
      tell().read_done(0, answer.data);
    } else {
      tell().interrupt(answer.vector);
    }
  }
}

bool CardDevice::run(uint64_t until) {
  told_ = false;
  while (!told_ && cycle() < until && !asleep()) {
    do_due();
    if (told_) break;
    const uint64_t next = std::min(until, due());
    card_.run(next);
    // A card that sleeps waits for what is on the wire.
    if (!told_ && cycle() < next && card_.asleep() && due() != kNever) card_.wait(next);
  }
  return std::exchange(told_, false);
}

// -------------------------------------------------------------------------------------------------- the link

// What firmware and operating system of a host do when they find the card.
void CardDevice::link_up() {
  link_up_at_ = kNever;
  ConfigSpace& config = card_.endpoint().config();
  config.set_link(true);
  for (const unsigned bar : {socket::kBar0, socket::kBar2, socket::kBar4}) {
    config.write(kBar0 + 4 * bar, static_cast<uint32_t>(bars_[bar]), ~uint32_t{0});
    config.write(kBar0 + 4 * bar + 4, static_cast<uint32_t>(bars_[bar] >> 32), ~uint32_t{0});
  }
  constexpr uint32_t kPayload256Read512 = 1 << 5 | 2 << 12;
  config.write(kDeviceControl, config.read(kDeviceControl) | kPayload256Read512, 0xFFFF);
  config.write(kCommand, kMemoryMasterNoIntx, 0xFFFF);
  Msix& msix = card_.endpoint().msix();
  for (unsigned vector = 0; vector < Msix::kVectors; ++vector) {
    const std::array<uint32_t, 4> entry = {static_cast<uint32_t>(kInterruptAddress), 0, vector, 0};
    for (unsigned i = 0; i < entry.size(); ++i) msix.write(16 * vector + 4 * i, entry[i], ~uint32_t{0});
  }
  config.write(kMsix, kMsixEnable, kMsixEnable);
}

void CardDevice::link_down() {
  card_.lose_link();
  link_up_at_ = cycle() + wire_.reset_cycles + wire_.settle_cycles;
}

// -------------------------------------------------------------------------------------------------- accesses

void CardDevice::send(Request request) {
  woken_();
  const uint64_t bytes = request.write ? request.data.size() : 0;
  const uint64_t before = requests_.empty() ? cycle() + wire_.to_card.delay : requests_.back().due;
  request.due = std::max(before, cycle() + wire_.to_card.delay) + bytes / wire_.to_card.bytes_per_cycle + 1;
  request_bytes_ += request.data.size();
  requests_.push_back(std::move(request));
}

int CardDevice::region_write(unsigned region, uint64_t offset, std::span<const uint8_t> data) {
  asked_for_room_ = false;
  send({.write = true, .region = region, .offset = offset, .data = {data.begin(), data.end()}});
  return 0;
}

uint64_t CardDevice::write_room() const {
  asked_for_room_ = true;
  return socket::kMaxAccess - std::min<uint64_t>(request_bytes_, socket::kMaxAccess);
}

void CardDevice::start_read(unsigned region, uint64_t offset, uint32_t bytes) {
  send({.write = false, .region = region, .offset = offset, .data = std::vector<uint8_t>(bytes)});
}

void CardDevice::execute(Request& request) {
  Endpoint& endpoint = card_.endpoint();
  if (request.region == socket::kConfig) {
    if (request.write) return endpoint.config_write(request.offset, request.data);
    endpoint.config_read(request.offset, request.data);
  } else {
    const uint64_t address = bars_[request.region] + request.offset;
    if (request.write) return endpoint.host_write(address, request.data);
    if (!endpoint.host_read(address, request.data)) std::ranges::fill(request.data, uint8_t{0xFF});
  }
  const uint64_t cycles = request.data.size() / wire_.to_root.bytes_per_cycle;
  answer({.due = cycle() + wire_.to_root.delay + cycles, .read = true, .data = std::move(request.data)});
}

void CardDevice::answer(Answer answer) {
  if (!answers_.empty()) answer.due = std::max(answer.due, answers_.back().due);
  answers_.push_back(std::move(answer));
  card_.stop();
}

void CardDevice::message(const Msix::Message& message) {
  const uint64_t due = cycle() + wire_.to_root.delay;
  if (message.address == kInterruptAddress && message.data < Msix::kVectors) {
    return answer({.due = due, .vector = message.data});
  }
  // Whoever has changed the table gets what it says: a write.
  HostMemory::Access access;
  std::array<uint8_t, 4> bytes;
  for (unsigned i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(message.data >> (8 * i));
  card_.host_memory().begin(access, true, message.address, bytes);
}

bool CardDevice::owns(uint64_t address) const {
  return address - bars_[socket::kBar0] < info_.regions[socket::kBar0].bytes;
}

bool CardDevice::routed(bool write, uint64_t address, std::span<uint8_t> bytes) {
  woken_();
  if (!write) return card_.endpoint().host_read(address, bytes);
  card_.endpoint().host_write(address, bytes);
  return true;
}

// ------------------------------------------------------------------------------------------ client's memory

int CardDevice::dma_map(const socket::DmaRange& range) {
  const rootport::Permissions permissions{.read = range.readable, .write = range.writable};
  rootport::Iommu& iommu = card_.host_memory().iommu();
  const auto result = range.memory != nullptr
                          ? iommu.map(range.iova, range.bytes, range.memory, permissions)
                          : iommu.map(range.iova, range.bytes, client_memory_, permissions);
  return result == rootport::MapResult::kOk ? 0 : EINVAL;
}

void CardDevice::dma_unmap(uint64_t iova, uint64_t bytes) {
  woken_();
  card_.host_memory().iommu().unmap(iova, bytes);
}

void CardDevice::host_done(uint32_t tag, bool good, std::span<const uint8_t> data) {
  client_memory_.answer(tag, good, data);
}

// ---------------------------------------------------------------------------------------------------- reset

void CardDevice::reset() {
  card_.allocations().clear();
  requests_.clear();
  answers_.clear();
  request_bytes_ = 0;
  woken_();
  link_down();
}

void CardDevice::client_gone() {
  client_memory_.forget();
  reset();
}

// ------------------------------------------------------------------------------------------ test facilities

// What this tier can say; what is of the wire, and what damages memory, only the card in RTL has.
socket::ControlResult CardDevice::control(uint64_t command, std::span<const uint64_t, 4> arguments) {
  iss::cpe::Allocations& allocations = card_.allocations();
  switch (static_cast<vendor::Command>(command)) {
    case vendor::Command::kAllocated:
      return {.error = allocations.add(arguments[0], arguments[1]) ? 0 : EINVAL};
    case vendor::Command::kFreed:
      return {.error = allocations.remove(arguments[0]) ? 0 : ENOENT};
    case vendor::Command::kAllFreed:
      allocations.clear();
      return {};
    case vendor::Command::kStatistic:
      break;
    default:
      return {.error = ENOTSUP};
  }
  switch (static_cast<vendor::Statistic>(arguments[0])) {
    case vendor::Statistic::kCycles:
      return {.value = cycle()};
    case vendor::Statistic::kIommuFaults:
      return {.value = card_.host_memory().iommu().fault_count()};
    default:
      return {.error = ENOTSUP};
  }
}

}  // namespace swai::fast
