#include "verif/system/dma.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace swai::system {
namespace {

constexpr uint64_t kAllChannels = (uint64_t{1} << dma::kChannels) - 1;

uint64_t ring_of(unsigned channel) {
  return Dma::kRings + uint64_t{channel} * Dma::kEntries * sizeof(dma::Descriptor);
}

uint64_t records_of(unsigned channel) { return uint64_t{channel} * Dma::kEntries * sizeof(dma::Record); }

}  // namespace

Dma::Dma(link::Card& card, link::PinnedMemory& records) : card_(card), records_(records) {
  card_.interrupts();
  for (unsigned channel = 0; channel < dma::kChannels; ++channel) reset(channel);
}

void Dma::reset(unsigned channel) {
  write(regs::dma::control::kAddr, channel, regs::dma::control::kClear.put(1));
  while (read(regs::dma::status::kAddr, channel) != regs::dma::status::kStateIdle) {
  }
  channels_[channel] = {};
  set_up(channel);
}

void Dma::set_up(unsigned channel) {
  write(regs::dma::ring_base::kAddr, channel, ring_of(channel));
  write(regs::dma::ring_size::kAddr, channel, kLog2Entries);
  write(regs::dma::writeback::kAddr, channel, records_.iova() + records_of(channel));
  write(regs::dma::vector::kAddr, channel, channel);
  write(regs::dma::control::kAddr, channel,
        regs::dma::control::kEnable.put(1) | regs::dma::control::kErrorIrq.put(1));
}

void Dma::add(unsigned channel, uint64_t host, uint64_t card, uint32_t length, bool to_host) {
  channels_.at(channel).waiting.push_back({.host = host,
                                           .card = card,
                                           .length = length,
                                           .flags = to_host ? dma::kToHost : 0,
                                           .tag = 0,
                                           .reserved = 0});
}

void Dma::start() {
  for (unsigned c = 0; c < dma::kChannels; ++c) {
    // One burst of descriptors is under way at a time, so that the interrupt at its end says that all are
    // done.
    if (channels_[c].waiting.empty() || channels_[c].tail != channels_[c].done) continue;
    put(c);
    ring(c);
  }
}

void Dma::put(unsigned c) {
  Channel& channel = channels_.at(c);
  const size_t count = std::min<size_t>(channel.waiting.size(), kEntries);
  for (size_t i = 0; i < count; ++i) {
    dma::Descriptor descriptor = channel.waiting.front();
    channel.waiting.pop_front();
    if (i + 1 == count) descriptor.flags |= dma::kRecord | dma::kInterrupt;
    descriptor.tag = static_cast<uint16_t>(channel.tail + i);
    const uint64_t entry = (channel.tail + i) % kEntries;
    card_.post_block(kMemoryBar, sram_at(ring_of(c)) + entry * sizeof descriptor,
                     {reinterpret_cast<const uint8_t*>(&descriptor), sizeof descriptor});
  }
  channel.tail = static_cast<uint16_t>(channel.tail + count);
}

void Dma::ring(unsigned c) { write(regs::dma::tail::kAddr, c, channels_.at(c).tail); }

void Dma::collect(unsigned c) {
  Channel& channel = channels_[c];
  const uint16_t last = static_cast<uint16_t>(channel.tail - 1);
  dma::Record record;
  std::memcpy(&record, records_.data() + records_of(c) + last % kEntries * sizeof record, sizeof record);
  if (channel.tail == channel.done || record.status != dma::kDone || record.index != last ||
      record.tag != last) {
    const uint64_t state = read(regs::dma::status::kAddr, c);
    const uint64_t error = read(regs::dma::error::kAddr, c);
    throw std::runtime_error(
        fmt::format("DMA channel {}: no record of descriptor {}, state {}, error {:#x} at {:#x}", c, last,
                    state, error, read(regs::dma::error_address::kAddr, c)));
  }
  channel.done = channel.tail;
}

std::string Dma::describe(const link::vendor::RunResult& result) {
  std::string text = fmt::format("no interrupt of a DMA channel until cycle {} ({})", result.cycle,
                                 result.cause == link::vendor::Cause::kAsleep ? "the card sleeps" : "limit");
  for (unsigned c = 0; c < dma::kChannels; ++c) {
    text += fmt::format("; channel {}: state {} head {} tail {} done {} error {:#x}", c,
                        read(regs::dma::status::kAddr, c), read(regs::dma::head::kAddr, c), channels_[c].tail,
                        channels_[c].done, read(regs::dma::error::kAddr, c));
  }
  return text;
}

uint64_t Dma::finish(uint64_t limit) {
  const auto busy = [](const Channel& channel) {
    return !channel.waiting.empty() || channel.tail != channel.done;
  };
  const uint64_t start_cycle = card_.cycle();
  uint64_t end_cycle = start_cycle;
  while (std::ranges::any_of(channels_, busy)) {
    start();
    const auto result = card_.run_until(kAllChannels, limit);
    end_cycle = result.cycle;
    if (result.vectors == 0) throw std::runtime_error(describe(result));
    for (unsigned c = 0; c < dma::kChannels; ++c) {
      if ((result.vectors >> c & 1) != 0) collect(c);
    }
  }
  return end_cycle - start_cycle;
}

}  // namespace swai::system
