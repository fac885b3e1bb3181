// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/pcie/dma/traffic.hpp"

#include <algorithm>

namespace swai::dma_test {

Traffic::Traffic(Engine& engine) : engine_(engine), random_(engine.random()) {
  engine.host().on_interrupt = [this](unsigned vector) { interrupt(vector); };
  engine.host().on_write = [this](uint64_t at, uint64_t size) { written(at, size, false); };
  engine.card().on_write = [this](uint64_t at, uint64_t size) { written(at, size, true); };
  engine.on_work() = [this](unsigned channel) { work(channel); };
  for (unsigned i = 0; i < kChannels; ++i) {
    fill(engine.host().memory, host_base(i) + kSource);
    fill(engine.card().memory, card_base(i) + kSource);
  }
}

void Traffic::fill(Memory& memory, uint64_t at) {
  std::vector<uint8_t> bytes(kArea);
  for (auto& byte : bytes) byte = static_cast<uint8_t>(random_.next());
  memory.write(at, bytes);
}

void Traffic::set_up(unsigned channel, bool announce) {
  Engine::Setup setup;
  setup.ring = ring_base(channel);
  setup.log2 = static_cast<unsigned>(random_.below(7));
  setup.record_on_card = random_.chance(50);
  setup.record = (setup.record_on_card ? card_base(channel) : host_base(channel)) + kRecords;
  setup.vector = channel + 8;
  setup.error_irq = setup.error_work = announce;
  engine_.set_up(channel, setup);
  auto& c = channels_[channel];
  c = {};
  std::erase_if(later_, [channel](const Later& later) { return later.channel == channel; });
  fill(engine_.host().memory, host_base(channel) + kTarget);
  fill(engine_.card().memory, card_base(channel) + kTarget);
  c.host_shadow = engine_.host().memory.read(host_base(channel) + kTarget, kArea);
  c.card_shadow = engine_.card().memory.read(card_base(channel) + kTarget, kArea);
}

bool Traffic::full(unsigned channel) const {
  const auto& c = channels_[channel];
  return c.items.size() - c.head >= (size_t{1} << engine_.setup(channel).log2);
}

static bool is_to_host(const Descriptor& d) { return (d.flags & dma::kToHost) != 0; }

void Traffic::return_last(unsigned channel, Descriptor& d) const {
  const auto& c = channels_[channel];
  if (c.items.empty() || is_to_host(c.items.back()) == is_to_host(d)) return;
  const Descriptor& last = c.items.back();
  const uint64_t from = is_to_host(d) ? last.card - card_base(channel) : last.host - host_base(channel);
  // Only while nobody writes there: in the same lap through the target area.
  if (from < kTarget || from + last.length > kTarget + (is_to_host(d) ? c.card_target : c.host_target))
    return;
  d.length = std::min(d.length, last.length);
  (is_to_host(d) ? d.card : d.host) = is_to_host(d) ? last.card : last.host;
  d.flags |= dma::kFence;
}

Descriptor Traffic::random_descriptor(unsigned channel) {
  auto& c = channels_[channel];
  Descriptor d{};
  uint64_t length;
  switch (random_.below(6)) {
    case 0:
      length = random_.below(100);
      break;
    case 1:
      length = 64 * random_.below(20);
      break;
    case 2:
      length = random_.below(max_length);
      break;
    default:
      length = random_.below(std::min<uint64_t>(max_length, 2000));
  }
  length = std::min(length, max_length);
  const bool to_host = direction >= 0 ? direction == 1 : random_.chance(50);
  uint64_t& target = to_host ? c.host_target : c.card_target;
  target += random_.chance(30) ? 0 : random_.chance(50) ? random_.below(100) : (64 - target % 64) % 64;
  if (target + length > kArea) return d;  // no room: the caller waits
  d.length = static_cast<uint32_t>(length);
  const uint64_t source = random_.below(kArea - length + 1);
  // Alignments that fit each other are common in life.
  const uint64_t aligned = random_.chance(40) ? source & ~uint64_t{63} : source;
  d.host = host_base(channel) + (to_host ? kTarget + target : kSource + aligned);
  d.card = card_base(channel) + (to_host ? kSource + aligned : kTarget + target);
  target += length;
  d.flags = (to_host ? dma::kToHost : 0) | (random_.chance(30) ? dma::kRecord : 0) |
            (random_.chance(30) ? dma::kInterrupt : 0) | (random_.chance(30) ? dma::kWork : 0) |
            (random_.chance(10) ? dma::kFence : 0);
  d.tag = static_cast<uint32_t>(random_.next());
  if (random_.chance(15)) return_last(channel, d);
  return d;
}

void Traffic::post(unsigned channel, Descriptor d) {
  auto& c = channels_[channel];
  // What another one still has to bring is in the shadows only.
  const auto source = [&](uint64_t at, Memory& memory, const std::vector<uint8_t>& shadow) {
    if (at < kTarget) return memory.read(is_to_host(d) ? d.card : d.host, d.length);
    const auto begin = shadow.begin() + static_cast<std::ptrdiff_t>(at - kTarget);
    return std::vector<uint8_t>(begin, begin + d.length);
  };
  const uint64_t host = d.host - host_base(channel);
  const uint64_t card = d.card - card_base(channel);
  const auto data = is_to_host(d) ? source(card, engine_.card().memory, c.card_shadow)
                                  : source(host, engine_.host().memory, c.host_shadow);
  auto& target = is_to_host(d) ? c.host_shadow : c.card_shadow;
  std::copy(data.begin(), data.end(),
            target.begin() + static_cast<std::ptrdiff_t>((is_to_host(d) ? host : card) - kTarget));
  post_unchecked(channel, d);
}

void Traffic::post_unchecked(unsigned channel, const Descriptor& d) {
  auto& c = channels_[channel];
  // No record of a descriptor before may be taken for one of this.
  const Record nothing{};
  const uint64_t record = record_address(channel, c.items.size());
  if (engine_.setup(channel).record_on_card) {
    engine_.card().memory.put(record, nothing);
  } else {
    engine_.host().memory.put(record, nothing);
  }
  c.items.push_back(d);
  engine_.post(channel, d);
  ++total_;
  bytes_ += d.length;
}

bool Traffic::post(unsigned channel) {
  if (full(channel)) return false;
  auto& c = channels_[channel];
  const Descriptor d = random_descriptor(channel);
  if (d.host == 0) {
    // The target areas are used again when nothing is under way.
    engine_.ring(channel);
    finish(channel);
    c.host_target = c.card_target = 0;
    return false;
  }
  post(channel, d);
  return true;
}

void Traffic::check_data(unsigned channel, size_t index, const char* when) {
  const auto& d = channels_[channel].items.at(index);
  const auto host = engine_.host().memory.read(d.host, d.length);
  const auto card = engine_.card().memory.read(d.card, d.length);
  const auto wrong = std::mismatch(host.begin(), host.end(), card.begin());
  check(wrong.first == host.end(),
        fmt::format("{}: channel {} descriptor {} ({} bytes {}, host {:#x}, card {:#x}): byte {} differs",
                    when, channel, index, d.length, (d.flags & dma::kToHost) != 0 ? "to host" : "to card",
                    d.host, d.card, wrong.first - host.begin()));
}

uint64_t Traffic::record_address(unsigned channel, size_t index) const {
  const auto& setup = engine_.setup(channel);
  return setup.record + 16 * (index & ((size_t{1} << setup.log2) - 1));
}

void Traffic::check_record(unsigned channel, size_t index) {
  const auto& d = channels_[channel].items.at(index);
  // An interrupt may take longer than the ring of descriptors takes to come around.
  if (channels_[channel].items.size() > index + (size_t{1} << engine_.setup(channel).log2)) return;
  const uint64_t at = record_address(channel, index);
  const auto record = engine_.setup(channel).record_on_card ? engine_.card().memory.get<Record>(at)
                                                            : engine_.host().memory.get<Record>(at);
  check(record.tag == d.tag && record.index == static_cast<uint16_t>(index) && record.channel == channel &&
            record.status == dma::kDone && record.length == d.length && record.reserved == 0,
        fmt::format("channel {} descriptor {}: wrong record (index {}, status {})", channel, index,
                    record.index, record.status));
}

// Moves `at` on to the next descriptor with the flag.
static size_t next_with(const std::vector<Descriptor>& items, size_t at, uint32_t flag) {
  while (at < items.size() && (items[at].flags & flag) == 0) ++at;
  return at;
}

void Traffic::interrupt(unsigned vector) {
  const unsigned channel = vector - 8;
  check(channel < kChannels, fmt::format("interrupt {}", vector));
  auto& c = channels_[channel];
  const size_t index = next_with(c.items, c.interrupts, dma::kInterrupt);
  if (index >= c.items.size() && on_extra_interrupt) return on_extra_interrupt(channel);
  check(index < c.items.size(), fmt::format("channel {}: an interrupt too many", channel));
  c.interrupts = index + 1;
  check_data(channel, index, "interrupt");
  if ((c.items[index].flags & dma::kRecord) != 0) check_record(channel, index);
}

void Traffic::work(unsigned channel) {
  auto& c = channels_[channel];
  const size_t index = next_with(c.items, c.works, dma::kWork);
  if (index >= c.items.size() && on_extra_work) return on_extra_work(channel);
  check(index < c.items.size(), fmt::format("channel {}: a work bit too many", channel));
  c.works = index + 1;
  if ((c.items[index].flags & dma::kToHost) == 0) check_data(channel, index, "work bit");
  later_.push_back({engine_.host().handed_over(), channel, index});
}

void Traffic::written(uint64_t address, uint64_t size, bool on_card) {
  if (!on_card) {
    while (!later_.empty() && later_.front().arrived <= engine_.host().arrived()) {
      const Later later = later_.front();
      later_.pop_front();
      check_data(later.channel, later.index, "posted writes before");
    }
  }
  for (unsigned channel = 0; channel < kChannels; ++channel) {
    if (engine_.setup(channel).record_on_card != on_card) continue;
    if (address - engine_.setup(channel).record >= 0x1'0000) continue;
    auto& c = channels_[channel];
    const size_t index = next_with(c.items, c.records, dma::kRecord);
    check(index < c.items.size() && address == record_address(channel, index) && size == sizeof(Record),
          fmt::format("channel {}: a record of {} bytes at {:#x}", channel, size, address));
    c.records = index + 1;
    if (on_card && (c.items[index].flags & dma::kToHost) != 0) {
      later_.push_back({engine_.host().handed_over(), channel, index});
    } else {
      check_data(channel, index, "record");
    }
    check_record(channel, index);
  }
}

void Traffic::look_at_head(unsigned channel) {
  auto& c = channels_[channel];
  const uint16_t now = engine_.head(channel);
  while (static_cast<uint16_t>(c.head) != now) {
    check(c.head < c.items.size(), fmt::format("channel {}: the head is {}", channel, now));
    const size_t index = c.head++;
    if ((c.items[index].flags & dma::kToHost) == 0) check_data(channel, index, "head");
    later_.push_back({engine_.host().handed_over(), channel, index});
  }
}

void Traffic::finish(unsigned channel) {
  auto& c = channels_[channel];
  engine_.wait_head(channel, static_cast<uint16_t>(c.items.size()));
  engine_.bench().until([this] { return engine_.host().quiet(); }, 400'000, "the host to be quiet");
  look_at_head(channel);
  check(next_with(c.items, c.interrupts, dma::kInterrupt) == c.items.size(), "an interrupt is missing");
  check(next_with(c.items, c.works, dma::kWork) == c.items.size(), "a work bit is missing");
  check(next_with(c.items, c.records, dma::kRecord) == c.items.size(), "a record is missing");
  compare(channel);
  // What was to be looked at later has been seen now.
  std::erase_if(later_, [channel](const Later& later) { return later.channel == channel; });
}

void Traffic::compare(unsigned channel) {
  const auto& c = channels_[channel];
  const auto host = engine_.host().memory.read(host_base(channel) + kTarget, kArea);
  const auto card = engine_.card().memory.read(card_base(channel) + kTarget, kArea);
  for (size_t i = 0; i < kArea; ++i) {
    check(host[i] == c.host_shadow[i],
          fmt::format("channel {}: byte {:#x} of the host's target", channel, i));
    check(card[i] == c.card_shadow[i],
          fmt::format("channel {}: byte {:#x} of the card's target", channel, i));
  }
}

void Traffic::pump(unsigned channels) {
  const auto channel = static_cast<unsigned>(random_.below(kChannels));
  const bool ours = (channels >> channel & 1) != 0;
  switch (random_.below(4)) {
    case 0:
      for (uint64_t i = random_.below(4) + 1; ours && i > 0 && post(channel);) --i;
      break;
    case 1:
      if (ours) engine_.ring(channel);
      break;
    case 2:
      if (ours) look_at_head(channel);
      break;
    default:
      for (uint64_t i = random_.below(100); i > 0; --i) engine_.step();
  }
}

void Traffic::forget_from_head(unsigned channel) {
  std::erase_if(later_, [channel](const Later& later) { return later.channel == channel; });
  auto& c = channels_[channel];
  for (size_t i = c.head; i < c.items.size(); ++i) {
    const auto& d = c.items[i];
    if ((d.flags & dma::kToHost) != 0) {
      engine_.host().memory.read(d.host,
                                 {c.host_shadow.data() + (d.host - host_base(channel) - kTarget), d.length});
    } else {
      engine_.card().memory.read(d.card,
                                 {c.card_shadow.data() + (d.card - card_base(channel) - kTarget), d.length});
    }
  }
  channels_[channel].items.resize(channels_[channel].head);
}

}  // namespace swai::dma_test
