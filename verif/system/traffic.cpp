// SPDX-License-Identifier: Apache-2.0
#include "verif/system/traffic.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

namespace swai::system {

Traffic::Traffic(link::Card& the_card, uint64_t seed, uint64_t card_at)
    : card(the_card),
      random(seed),
      records(card.pin(kRecordsAt, 64 << 10)),
      buffer(card.pin(kBufferAt, 2 * dma::kChannels * kSlice)),
      dma(card, records),
      card_at_(card_at) {}

void Traffic::fill(uint8_t* at, uint64_t bytes) {
  for (uint64_t i = 0; i + 8 <= bytes; i += 8) {
    const uint64_t word = random.next();
    std::memcpy(at + i, &word, 8);
  }
}

void Traffic::move(unsigned channel, uint64_t host, bool to_host) {
  for (uint64_t at = 0; at < kSlice;) {
    const uint64_t wish = 1 + random.below(random.chance(30) ? 100 : 8 << 10);
    const uint64_t length = std::min(wish, kSlice - at);
    dma.add(channel, host + at, card_at(channel) + at, static_cast<uint32_t>(length), to_host);
    at += length;
  }
}

void Traffic::send(uint64_t channels) {
  for (unsigned c = 0; c < dma::kChannels; ++c) {
    if ((channels >> c & 1) == 0) continue;
    fill(sent(c), kSlice);
    shift_[c] = random.below(kSlice);
    move(c, sent_at(c), false);
  }
}

void Traffic::fetch(uint64_t channels) {
  for (unsigned c = 0; c < dma::kChannels; ++c) {
    if ((channels >> c & 1) == 0) continue;
    std::memset(fetched(c), 0xA5, kSlice);
    move(c, fetched_at(c), true);
  }
}

void Traffic::check(uint64_t channels) {
  for (unsigned c = 0; c < dma::kChannels; ++c) {
    if ((channels >> c & 1) == 0) continue;
    CHECK_MESSAGE(std::memcmp(sent(c), fetched(c), kSlice) == 0, "channel ", c);
  }
}

void Traffic::prove(uint64_t channels) {
  send(channels);
  dma.finish();
  fetch(channels);
  dma.finish();
  check(channels);
}

bool firmware_ready(link::Card& card) {
  const auto word = card.read<uint64_t>(kRegisterBar, register_at(regs::pcie::boot_status::kAddr));
  return regs::system::status::kStage.get(word) == regs::system::status::kStageReady;
}

}  // namespace swai::system
