// SPDX-License-Identifier: Apache-2.0
// One transfer after the other, one channel, all sizes and alignments: the test to look at first.

#include "verif/rtl/pcie/dma/engine.hpp"
#include "verif/rtl/pcie/dma/tests.hpp"

namespace swai::dma_test {

namespace {

constexpr uint64_t kRing = 0x8000'0000, kCard = 0x80'0010'0000, kHost = 0x1'2345'0000;

void transfer(Engine& engine, bool to_host, uint64_t host, uint64_t card, uint32_t length) {
  constexpr uint64_t kGuard = 64;
  auto& source = to_host ? engine.card().memory : engine.host().memory;
  auto& target = to_host ? engine.host().memory : engine.card().memory;
  const uint64_t from = to_host ? card : host;
  const uint64_t to = to_host ? host : card;
  std::vector<uint8_t> want(length + 2 * kGuard), data(length);
  for (auto& byte : want) byte = static_cast<uint8_t>(engine.random().next());
  for (auto& byte : data) byte = static_cast<uint8_t>(engine.random().next());
  target.write(to - kGuard, want);
  source.write(from, data);
  std::copy(data.begin(), data.end(), want.begin() + kGuard);
  const uint16_t index = engine.post(0, {host, card, length, to_host ? dma::kToHost : 0, 0, 0});
  engine.ring(0);
  engine.wait_head(0, static_cast<uint16_t>(index + 1));
  engine.wait_idle();
  const auto got = target.read(to - kGuard, want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    check(got[i] == want[i],
          fmt::format("{} of {} bytes, host {:#x}, card {:#x}: byte {} is {:#x}, not {:#x}",
                      to_host ? "write" : "read", length, host, card,
                      static_cast<int64_t>(i) - static_cast<int64_t>(kGuard), got[i], want[i]));
  }
}

}  // namespace

void test_first(uint64_t seed, uint64_t cycles) {
  Engine engine(seed);
  engine.set_up(0, {.ring = kRing});
  for (const bool to_host : {false, true}) {
    for (const uint32_t length : {64U, 1U, 256U, 512U, 4096U, 10'000U})
      transfer(engine, to_host, kHost, kCard, length);
  }
  auto& random = engine.random();
  while (engine.cycle() < cycles) {
    const uint64_t host = (random.chance(30) ? 0x1000'0000 : kHost) + random.below(8192);
    const auto length = static_cast<uint32_t>(random.chance(70) ? random.below(700) : random.below(9000));
    transfer(engine, random.chance(50), host, kCard + random.below(4096), length);
  }
}

}  // namespace swai::dma_test
