// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/cards/virtual_card.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "card_regs.hpp"
#include "host/runtime/bars.hpp"

namespace swai::serve {
namespace {

namespace word = protocol::word;
using protocol::Operation;
using protocol::Status;

constexpr uint64_t kWord = sizeof(uint64_t);
// A client has so many bytes of bus addresses, from 0 up.
constexpr uint64_t kWindowBytes = uint64_t{1} << 40;
constexpr uint64_t kShared = regs::pcie::shared::kOffset;

// The words of requests and replies are the client's own; those before tell what the firmware is.
constexpr unsigned kFirstOwnWord = word::kRequest;

uint64_t word_at(std::span<const uint8_t> data, uint64_t at = 0) {
  uint64_t value;
  std::memcpy(&value, data.data() + at, kWord);
  return value;
}

bool is_own_word(uint64_t number) {
  return number >= kFirstOwnWord && number < word::kValues + word::kValueCount;
}

// How many words of a request are the client's to choose, the one with its context included; 0: it may not
// ask for that. What is not listed needs a card of one's own, or is not known here.
constexpr unsigned words_of(Operation operation) {
  switch (operation) {
    case Operation::kAttach:
    case Operation::kMemoryInfo:
    case Operation::kPointerInfo:
    case Operation::kFree:
    case Operation::kQueueClose:
    case Operation::kQueueReset:
    case Operation::kModuleInfo:
      return 2;
    case Operation::kDetach:
    case Operation::kQueueOpen:
      return 1;
    case Operation::kAllocate:
    case Operation::kResume:
      return 3;
    case Operation::kProgramTell:
      return 4;
    case Operation::kProgramStart:
      return 5;
    default:
      return 0;
  }
}
// Of the options of kAttach; the others are the daemon's.
constexpr uint64_t kOwnOptions = protocol::kDebugMemory;

}  // namespace

VirtualCard::VirtualCard(SharedCard& shared)
    : shared_(shared), number_(shared.join(*this)), window_(uint64_t{number_ + 1} * kWindowBytes) {
  const link::Description& real = shared.describe();
  info_.configuration = real.configuration;
  std::array<uint16_t, 2> identity;
  shared.read(socket::kConfig, 0, {reinterpret_cast<uint8_t*>(identity.data()), sizeof identity});
  info_.vendor_id = identity[0];
  info_.device_id = identity[1];
  info_.card = real.card;
  info_.cards = real.cards;
  info_.vectors = real.vectors;
  for (unsigned i = 0; i < socket::kDeviceRegions && i < real.regions.size(); ++i)
    info_.regions[i] = {real.regions[i].bytes, real.regions[i].readable, real.regions[i].writable};
}

// --- Registers and memory

int VirtualCard::region_write(unsigned region, uint64_t offset, std::span<const uint8_t> data) {
  if (region == sdaa::kControlBar) return write_control(offset, data);
  if (region == sdaa::kMemoryBar) return write_memory(offset, data);
  return EACCES;
}

void VirtualCard::start_read(unsigned region, uint64_t offset, uint32_t bytes) {
  std::vector<uint8_t> data(bytes);
  int error = 0;
  if (region == sdaa::kControlBar) {
    error = read_control(offset, data);
  } else if (region == sdaa::kMemoryBar) {
    error = read_memory(offset, data);
  } else if (region == socket::kConfig) {
    shared_.read(region, offset, data);
  } else {
    error = EACCES;
  }
  host_->read_done(error, error == 0 ? std::span<const uint8_t>(data) : std::span<const uint8_t>());
}

int VirtualCard::write_control(uint64_t offset, std::span<const uint8_t> data) {
  if (offset % kWord != 0 || data.size() % kWord != 0) return EINVAL;
  if (offset == regs::pcie::doorbell::kOffset && data.size() == kWord) return ring(word_at(data));
  if (offset == regs::pcie::reset_request::kOffset && data.size() == kWord) return restart(word_at(data));
  for (uint64_t at = 0; at < data.size(); at += kWord) {
    const uint64_t number = (offset + at - kShared) / kWord;
    if (offset < kShared || !is_own_word(number)) return EACCES;
    words_[number] = word_at(data, at);
  }
  return 0;
}

int VirtualCard::read_control(uint64_t offset, std::span<uint8_t> to) {
  if (offset % kWord != 0 || to.size() % kWord != 0) return EINVAL;
  if (offset >= kShared && offset < kShared + words_.size() * kWord) {
    const uint64_t first = (offset - kShared) / kWord;
    const uint64_t end = first + to.size() / kWord;
    if (end > words_.size()) return EACCES;
    if (end <= kFirstOwnWord) {
      shared_.read(sdaa::kControlBar, offset, to);
      return 0;
    }
    if (first < kFirstOwnWord) return EACCES;
    if (end > word::kReply && waits_) shared_.look_for_reply();
    std::memcpy(to.data(), &words_[first], to.size());
    return 0;
  }
  const bool harmless = offset == regs::pcie::boot_status::kOffset || offset == regs::pcie::card::kOffset;
  if (!harmless || to.size() != kWord) return EACCES;
  shared_.read(sdaa::kControlBar, offset, to);
  return 0;
}

bool VirtualCard::in_own_queue(uint64_t offset, uint64_t bytes) const {
  const uint64_t begin = sdaa::kSram + shared_.info().queue_offset;
  if (offset < begin) return false;
  const uint64_t queue = (offset - begin) / protocol::kQueueBytes;
  return owns(queue) && (offset - begin) % protocol::kQueueBytes + bytes <= protocol::kQueueBytes;
}

int VirtualCard::write_memory(uint64_t offset, std::span<const uint8_t> data) {
  if (!in_own_queue(offset, data.size())) return EACCES;
  shared_.post(sdaa::kMemoryBar, offset, data);
  return 0;
}

int VirtualCard::read_memory(uint64_t offset, std::span<uint8_t> to) {
  // Behind the queues lies what the firmware tells everybody; the hardware hides the rest of the SRAM.
  const uint64_t told =
      sdaa::kSram + shared_.info().queue_offset + uint64_t{shared_.info().queues} * protocol::kQueueBytes;
  if (offset < told && !in_own_queue(offset, to.size())) return EACCES;
  shared_.read(sdaa::kMemoryBar, offset, to);
  return 0;
}

// Who is alone may; when the firmware has ended, everybody. Who is not attached could otherwise keep all
// others from ever being it.
int VirtualCard::restart(uint64_t request) {
  namespace reset = regs::pcie::reset_request;
  if (reset::kKey.get(request) != reset::kKeyGo) return EINVAL;
  if (shared_.firmware_lives()) {
    if (shared_.has_others(number_)) return EBUSY;
    if (context_ == 0) return EACCES;
  }
  shared_.restart_firmware();
  return 0;
}

// --- Requests

int VirtualCard::ring(uint64_t doorbell) {
  if (doorbell == protocol::kRequestDoorbell) {
    make_request();
    return 0;
  }
  if (!owns(doorbell)) return EACCES;
  shared_.post(sdaa::kControlBar, regs::pcie::doorbell::kOffset,
               {reinterpret_cast<const uint8_t*>(&doorbell), sizeof doorbell});
  return 0;
}

void VirtualCard::make_request() {
  // One at a time: another one waits until this one is answered.
  rang_ = waits_;
  if (waits_) return;
  const uint64_t asked = std::exchange(words_[word::kRequest], 0);
  if (asked == 0) return;
  SharedCard::Request request{
      .client = this, .tag = protocol::tag(asked), .operation = protocol::operation(asked), .arguments = {}};
  const Status refused = complete(request);
  if (refused != Status::kOk) {
    take(request, {refused, {}});
    return;
  }
  waits_ = true;
  shared_.ask(std::move(request));
}

// Whatever the firmware believes of a request is written here; from the client comes only what is its own.
Status VirtualCard::complete(SharedCard::Request& request) const {
  const std::span<const uint64_t> said(&words_[word::kArguments], word::kArgumentCount);
  auto& arguments = request.arguments;
  arguments.assign(word::kArgumentCount, 0);
  std::ranges::copy(said.first(words_of(request.operation)), arguments.begin());
  if (words_of(request.operation) == 0) return Status::kBadOperation;
  if (request.operation == Operation::kAttach) {
    if (context_ != 0) return Status::kBadOperation;
    if (shared_.user_has_enough(number_)) return Status::kNoContext;
    if (arguments[1] > kWindowBytes - sizeof(protocol::StatusPage)) return Status::kBadRange;
    arguments[2] = (said[2] & kOwnOptions) | protocol::kShared;
    arguments[3] = window_;
    arguments[4] = kWindowBytes;
    arguments[5] = shared_.key();
    return Status::kOk;
  }
  return context_ != 0 && arguments[0] == context_ ? Status::kOk : Status::kNotAttached;
}

void VirtualCard::take(const SharedCard::Request& request, const SharedCard::Reply& reply) {
  if (reply.status == Status::kOk) {
    const uint64_t queue = request.arguments[1];
    switch (request.operation) {
      case Operation::kAttach:
        context_ = reply.values[0];
        queues_ = 0;
        break;
      case Operation::kDetach:
        context_ = 0;
        queues_ = 0;
        break;
      case Operation::kQueueOpen:
        queues_ |= uint64_t{1} << reply.values[0];
        break;
      case Operation::kQueueClose:
        queues_ &= ~(uint64_t{1} << queue);
        break;
      default:
        break;
    }
  }
  waits_ = false;
  std::ranges::copy(reply.values, words_.begin() + word::kValues);
  words_[word::kReply] = protocol::reply(reply.status, request.tag);
  if (rang_) make_request();
}

void VirtualCard::forget() {
  context_ = 0;
  queues_ = 0;
  waits_ = false;
  rang_ = false;
}

void VirtualCard::reset() {
  shared_.part_with(*this);
  words_ = {};
}

// --- Memory of the client

int VirtualCard::dma_map(const socket::DmaRange& range) {
  // Accesses as messages would have to pass through this process.
  if (range.memory == nullptr) return ENOTSUP;
  if (range.iova >= kWindowBytes || range.bytes > kWindowBytes - range.iova) return EINVAL;
  return shared_.map({.iova = window_ + range.iova,
                      .memory = {range.memory, range.bytes},
                      .readable = range.readable,
                      .writable = range.writable,
                      .fd = range.fd,
                      .offset = range.offset});
}

void VirtualCard::dma_unmap(uint64_t iova, uint64_t bytes) { shared_.unmap(window_ + iova, bytes); }

socket::ControlResult VirtualCard::control(uint64_t /*command*/, std::span<const uint64_t, 4> /*arguments*/) {
  return {ENOTSUP, 0};
}

}  // namespace swai::serve
