// SPDX-License-Identifier: Apache-2.0
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

// Of the descriptor before this one.
uint64_t last_entry(uint16_t tail) { return static_cast<uint16_t>(tail - 1) % Dma::kEntries; }

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
  add(channel, {.host = host,
                .card = card,
                .length = length,
                .flags = to_host ? dma::kToHost : 0,
                .tag = 0,
                .reserved = 0});
}

void Dma::add(unsigned channel, const dma::Descriptor& descriptor) {
  channels_.at(channel).waiting.push_back(descriptor);
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
  // Numbers begin anew after a reset: an old record must not look like the one that is waited for.
  std::memset(records_.data() + records_of(c) + last_entry(channel.tail) * sizeof(dma::Record), 0,
              sizeof(dma::Record));
}

void Dma::ring(unsigned c) { write(regs::dma::tail::kAddr, c, channels_.at(c).tail); }

bool Dma::complete(unsigned c) const {
  const Channel& channel = channels_[c];
  const uint16_t last = static_cast<uint16_t>(channel.tail - 1);
  dma::Record record;
  std::memcpy(&record, records_.data() + records_of(c) + last_entry(channel.tail) * sizeof record,
              sizeof record);
  return channel.tail != channel.done && record.status == dma::kDone && record.index == last &&
         record.tag == last;
}

void Dma::collect(unsigned c) {
  Channel& channel = channels_[c];
  if (!complete(c)) {
    const uint64_t state = read(regs::dma::status::kAddr, c);
    const uint64_t error = read(regs::dma::error::kAddr, c);
    throw std::runtime_error(fmt::format(
        "DMA channel {}: no record of descriptor {}, state {}, error {:#x} at {:#x}", c,
        static_cast<uint16_t>(channel.tail - 1), state, error, read(regs::dma::error_address::kAddr, c)));
  }
  channel.done = channel.tail;
}

std::optional<Dma::Stop> Dma::stopped(unsigned c) {
  uint64_t state = 0;
  do {
    state = read(regs::dma::status::kAddr, c);
  } while (state == regs::dma::status::kStateStopping);
  if (state != regs::dma::status::kStateError && state != regs::dma::status::kStateAborted) return {};
  const uint64_t error = read(regs::dma::error::kAddr, c);
  return Stop{.channel = c,
              .state = state,
              .cause = regs::dma::error::kCause.get(error),
              .access = regs::dma::error::kAccess.get(error),
              .index = regs::dma::error::kIndex.get(error),
              .address = read(regs::dma::error_address::kAddr, c)};
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

void Dma::forget(unsigned c) {
  channels_[c].waiting.clear();
  channels_[c].done = channels_[c].tail;
}

Dma::Stop Dma::abort(unsigned channel) {
  write(regs::dma::control::kAddr, channel,
        read(regs::dma::control::kAddr, channel) | regs::dma::control::kStop.put(1));
  const auto stop = stopped(channel);
  if (!stop) throw std::runtime_error(fmt::format("DMA channel {} works on after its abort", channel));
  forget(channel);
  return *stop;
}

bool Dma::busy() const {
  return std::ranges::any_of(channels_, [](const Channel& channel) {
    return !channel.waiting.empty() || channel.tail != channel.done;
  });
}

uint64_t Dma::finish(uint64_t limit) {
  const uint64_t start_cycle = card_.cycle();
  uint64_t end_cycle = start_cycle;
  while (busy()) {
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

std::vector<Dma::Stop> Dma::finish_or_stop(uint64_t limit) {
  std::vector<Stop> stops;
  while (busy()) {
    start();
    const auto result = card_.run_until(kAllChannels, limit);
    if (result.vectors == 0) throw std::runtime_error(describe(result));
    for (unsigned c = 0; c < dma::kChannels; ++c) {
      Channel& channel = channels_[c];
      if ((result.vectors >> c & 1) == 0 || channel.tail == channel.done) continue;
      if (complete(c)) {
        channel.done = channel.tail;
      } else if (const auto stop = stopped(c)) {
        stops.push_back(*stop);
        forget(c);
      }
    }
  }
  return stops;
}

}  // namespace swai::system
