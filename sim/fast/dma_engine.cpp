// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/dma_engine.hpp"

#include <algorithm>
#include <cstring>

#include "card_regs.hpp"

namespace swai::fast {
namespace {

namespace control = regs::dma::control;
namespace status = regs::dma::status;
namespace error = regs::dma::error;

constexpr uint64_t kChannelRegisters = regs::dma::timeout::kOffset;
constexpr uint64_t kChannelBytes = 0x100;
constexpr uint64_t kAddressSpace = uint64_t{1} << regs::kAddressBits;

// The wire as docs/hardware/dma.md measured it: 256 bytes take 8.6 cycles, a transfer of 64 bytes alone so
// long.
constexpr uint64_t kCyclesPer10Bytes256 = 86;
constexpr uint64_t kLatencyToCard = 790;
constexpr uint64_t kLatencyToHost = 138;
// What one channel has outstanding is less than the way to the host and back is long: 0.402 of the wire.
constexpr uint64_t kOneChannelSlower = 5;
constexpr uint64_t kOneChannelOf = 2;

uint64_t wire_cycles(uint64_t bytes) { return (bytes * kCyclesPer10Bytes256 + 2559) / 2560; }

bool to_host(const dma::Descriptor& descriptor) { return (descriptor.flags & dma::kToHost) != 0; }

// Unused bits must be 0; a transfer may not run over the end of an address space.
bool sound(const dma::Descriptor& one) {
  return (one.flags & ~dma::kFlags) == 0 && one.reserved == 0 && one.card < kAddressSpace &&
         one.length <= kAddressSpace - one.card &&
         (one.length == 0 || one.host + (one.length - 1) >= one.host);
}

}  // namespace

DmaEngine::DmaEngine(CardMemory& memory, HostMemory& host, Outside outside)
    : RegisterBlock("dma"), memory_(memory), host_(host), outside_(std::move(outside)) {}

void DmaEngine::reset(bool power_on) {
  RegisterBlock::reset(power_on);
  for (Channel& channel : channels_) {
    host_.cancel(channel.access);
    channel = {};
  }
}

void DmaEngine::abandon() { reset(true); }

// ------------------------------------------------------------------------------------------------- registers

uint64_t DmaEngine::load(uint64_t offset, uint64_t value) {
  if (offset >= kChannelRegisters) return value;
  const auto number = static_cast<unsigned>(offset / kChannelBytes);
  const Channel& channel = channels_[number];
  switch (offset % kChannelBytes) {
    case status::kOffset: {
      const bool running = !channel.jobs.empty();
      return channel.state == status::kStateIdle && running ? status::kStateRunning : channel.state;
    }
    case regs::dma::head::kOffset:
      return channel.head;
    default:
      return value;
  }
}

void DmaEngine::stored(uint64_t offset, uint64_t data, uint64_t mask) {
  if (offset >= kChannelRegisters) return;
  const auto number = static_cast<unsigned>(offset / kChannelBytes);
  Channel& channel = channels_[number];
  if (offset % kChannelBytes == control::kOffset) {
    if (control::kClear.get(data) != 0) return clear(number);
    if (control::kStop.get(data) != 0 && channel.state == status::kStateIdle) {
      host_.cancel(channel.access);
      channel.jobs.clear();
      channel.state = status::kStateAborted;
    }
  } else if (offset % kChannelBytes == regs::dma::tail::kOffset && mask != 0 &&
             channel.state == status::kStateIdle) {
    const auto tail = static_cast<uint16_t>(at(offset));
    const uint64_t size = uint64_t{1}
                          << regs::dma::ring_size::kLog2.get(of(number, regs::dma::ring_size::kOffset));
    if (static_cast<uint16_t>(tail - channel.head) > size) {
      fail(number, error::kCauseBadTail, error::kAccessDescriptor, tail, 0);
    }
  }
  fetch(number);
}

void DmaEngine::clear(unsigned number) {
  Channel& channel = channels_[number];
  host_.cancel(channel.access);
  channel = {};
  for (const uint64_t one :
       {control::kOffset, regs::dma::tail::kOffset, error::kOffset, regs::dma::error_address::kOffset,
        regs::dma::bytes_in::kOffset, regs::dma::bytes_out::kOffset}) {
    at(base(number) + one) = 0;
  }
}

// ----------------------------------------------------------------------------------------------- descriptors

void DmaEngine::fetch(unsigned number) {
  Channel& channel = channels_[number];
  const uint64_t slots = regs::dma::limits::kDescriptors.get(at(regs::dma::limits::kOffset));
  const uint64_t log2 = regs::dma::ring_size::kLog2.get(of(number, regs::dma::ring_size::kOffset));
  const auto tail = static_cast<uint16_t>(of(number, regs::dma::tail::kOffset));
  while (channel.state == status::kStateIdle && control::kEnable.get(of(number, control::kOffset)) != 0 &&
         channel.fetched != tail && channel.jobs.size() < slots) {
    const uint64_t entry = channel.fetched & ((uint64_t{1} << log2) - 1);
    const uint64_t address = of(number, regs::dma::ring_base::kOffset) + entry * sizeof(dma::Descriptor);
    const uint8_t* const at = memory_.at(address, sizeof(dma::Descriptor));
    if (at == nullptr) {
      return fail(number, error::kCauseRingNobody, error::kAccessDescriptor, channel.fetched, address);
    }
    outside_.reads(address, sizeof(dma::Descriptor));
    Job job{.index = channel.fetched++};
    std::memcpy(&job.descriptor, at, sizeof job.descriptor);
    job.bad = !sound(job.descriptor);
    schedule(channel, job);
    channel.jobs.push_back(job);
  }
}

// A descriptor begins when the wire has taken the one before it (with a fence: when that one is complete).
// All channels share the wire; a channel alone fills only a part of it towards the card.
void DmaEngine::schedule(Channel& channel, Job& job) {
  const bool out = to_host(job.descriptor);
  uint64_t& wire = wire_free_[out ? 1 : 0];
  uint64_t begin = std::max(outside_.now(), channel.wire_free);
  if ((job.descriptor.flags & dma::kFence) != 0) begin = std::max(begin, channel.last_done);
  const uint64_t cycles = job.bad ? 0 : wire_cycles(job.descriptor.length);
  wire = std::max(wire, begin) + cycles;
  const uint64_t alone = begin + (out ? cycles : cycles * kOneChannelSlower / kOneChannelOf);
  channel.wire_free = std::max(wire, alone);
  job.done = std::max(channel.last_done, channel.wire_free + (out ? kLatencyToHost : kLatencyToCard));
  channel.last_done = job.done;
}

uint64_t DmaEngine::due() const {
  uint64_t first = kNever;
  for (const Channel& channel : channels_) {
    if (!channel.jobs.empty()) first = std::min(first, channel.jobs.front().done);
  }
  return first;
}

void DmaEngine::run() {
  for (unsigned number = 0; number < channels_.size(); ++number) {
    Channel& channel = channels_[number];
    while (!channel.jobs.empty() && channel.jobs.front().done <= outside_.now()) {
      if (!complete(number)) break;
    }
  }
}

bool DmaEngine::complete(unsigned number) {
  Channel& channel = channels_[number];
  Job& job = channel.jobs.front();
  if (job.bad) {
    fail(number, error::kCauseBadDescriptor, error::kAccessDescriptor, job.index,
         job.descriptor.card & (kAddressSpace - 1));
    return true;
  }
  switch (move(number, job)) {
    case Moved::kWaits:
      return false;
    case Moved::kFailed:
      return true;
    default:
      break;
  }
  const Job ended = job;
  if ((ended.descriptor.flags & dma::kRecord) != 0 && !record(number, ended)) return true;
  channel.jobs.pop_front();
  ++channel.head;
  if ((ended.descriptor.flags & dma::kInterrupt) != 0) {
    outside_.interrupt(static_cast<unsigned>(of(number, regs::dma::vector::kOffset)));
  }
  if ((ended.descriptor.flags & dma::kWork) != 0) outside_.work(number);
  fetch(number);
  return true;
}

// In pieces as they travel: a piece never crosses a multiple of its largest size in host memory.
DmaEngine::Moved DmaEngine::move(unsigned number, Job& job) {
  constexpr uint32_t kPieceToCard = 512;
  constexpr uint32_t kPieceToHost = 256;
  const dma::Descriptor& descriptor = job.descriptor;
  const uint32_t most = to_host(descriptor) ? kPieceToHost : kPieceToCard;
  while (job.moved < descriptor.length) {
    const uint64_t host = descriptor.host + job.moved;
    const auto bytes =
        static_cast<uint32_t>(std::min<uint64_t>(most - host % most, descriptor.length - job.moved));
    const Moved result = move_piece(number, job, bytes);
    if (result != Moved::kAll) return result;
    job.moved += bytes;
    uint64_t& count = at(
        base(number) + (to_host(descriptor) ? regs::dma::bytes_out::kOffset : regs::dma::bytes_in::kOffset));
    count = regs::dma::bytes_in::kCount.put(count + bytes);
  }
  return Moved::kAll;
}

DmaEngine::Moved DmaEngine::move_piece(unsigned number, Job& job, uint32_t bytes) {
  Channel& channel = channels_[number];
  const uint64_t host = job.descriptor.host + job.moved;
  const uint64_t card = job.descriptor.card + job.moved;
  const bool out = to_host(job.descriptor);
  uint8_t* const memory = memory_.at(card, bytes);
  const auto failed = [&](uint64_t cause, uint64_t address) {
    fail(number, cause, error::kAccessData, job.index, address);
    return Moved::kFailed;
  };
  if (out && memory == nullptr) return failed(error::kCauseRingNobody, missing_line(card, bytes));
  HostMemory::State state = HostMemory::State::kIdle;
  if (channel.access.open()) {
    state = host_.go_on(channel.access);
  } else {
    if (!outside_.bus_master()) return failed(error::kCauseNoBusMaster, host);
    // What travels is a copy: neither side sees a piece that is half done.
    channel.buffer.resize(bytes);
    if (out) {
      outside_.reads(card, bytes);
      std::memcpy(channel.buffer.data(), memory, bytes);
    }
    state = host_.begin(channel.access, out, host, channel.buffer);
  }
  if (state == HostMemory::State::kWaiting) return Moved::kWaits;
  // A write is posted: nobody tells the card that it went nowhere.
  if (out) return Moved::kAll;
  if (state == HostMemory::State::kFault) return failed(error::kCauseUnsupported, host);
  if (memory == nullptr) return failed(error::kCauseRingNobody, missing_line(card, bytes));
  std::memcpy(memory, channel.buffer.data(), bytes);
  return Moved::kAll;
}

// The first line of these bytes that is not there.
uint64_t DmaEngine::missing_line(uint64_t address, uint64_t bytes) const {
  constexpr uint64_t kLine = 64;
  uint64_t line = address & ~(kLine - 1);
  while (line + kLine < address + bytes && memory_.at(line, kLine) != nullptr) line += kLine;
  return line;
}

bool DmaEngine::record(unsigned number, const Job& job) {
  const dma::Record record{.tag = job.descriptor.tag,
                           .index = job.index,
                           .channel = static_cast<uint8_t>(number),
                           .status = dma::kDone,
                           .length = job.descriptor.length,
                           .reserved = 0};
  const uint64_t place = of(number, regs::dma::writeback::kOffset);
  const uint64_t log2 = regs::dma::ring_size::kLog2.get(of(number, regs::dma::ring_size::kOffset));
  const uint64_t address = (place & regs::dma::writeback::kAddress.mask()) +
                           (job.index & ((uint64_t{1} << log2) - 1)) * sizeof record;
  if (regs::dma::writeback::kOnCard.get(place) != 0) {
    const uint64_t card = address & (kAddressSpace - 1);
    uint8_t* const memory = memory_.at(card, sizeof record);
    if (memory != nullptr) {
      std::memcpy(memory, &record, sizeof record);
      return true;
    }
    fail(number, error::kCauseRingNobody, error::kAccessRecord, job.index, missing_line(card, sizeof record));
    return false;
  }
  std::array<uint8_t, sizeof record> bytes;
  std::memcpy(bytes.data(), &record, sizeof record);
  // Memory that is reached by messages has copied the bytes when this returns, and answers in order.
  HostMemory::Access access;
  host_.begin(access, true, address, bytes);
  return true;
}

void DmaEngine::fail(unsigned number, uint64_t cause, uint64_t access, uint16_t index, uint64_t address) {
  Channel& channel = channels_[number];
  channel.jobs.clear();
  channel.state = status::kStateError;
  at(base(number) + error::kOffset) =
      error::kCause.put(cause) | error::kAccess.put(access) | error::kIndex.put(index);
  at(base(number) + regs::dma::error_address::kOffset) = address;
  const uint64_t settings = of(number, control::kOffset);
  if (control::kErrorIrq.get(settings) != 0) {
    outside_.interrupt(static_cast<unsigned>(of(number, regs::dma::vector::kOffset)));
  }
  if (control::kErrorWork.get(settings) != 0) outside_.work(number);
}

}  // namespace swai::fast
