// SPDX-License-Identifier: Apache-2.0
// A channel with huge transfers cannot keep the others from theirs; and channels that are all busy get the
// same.

#include "verif/rtl/pcie/dma/engine.hpp"
#include "verif/rtl/pcie/dma/tests.hpp"

namespace swai::dma_test {

namespace {

constexpr uint64_t kHost = 0x4'0000'0000, kCard = 0x80'0000'0000;

void post(Engine& engine, unsigned channel, bool to_host, uint32_t length) {
  engine.post(channel, {kHost + channel * 0x100'0000, kCard + channel * 0x100'0000, length,
                        to_host ? dma::kToHost : 0, 0, 0});
  engine.ring(channel);
}

// All channels have the same to do and get the same, whenever one looks.
void equal_shares(uint64_t seed, unsigned out) {
  Engine engine(seed);
  engine.host().timed = engine.card().timed = true;
  for (unsigned i = 0; i < kChannels; ++i) {
    engine.set_up(i, {.ring = 0x8000'0000 + i * 0x1000});
    post(engine, i, (out >> i & 1) != 0, 1 << 20);
  }
  engine.bench().steps(5000);
  for (unsigned round = 0; round < 10; ++round) {
    engine.bench().steps(500 + engine.random().below(3000));
    std::array<uint64_t, 2> least{~uint64_t{0}, ~uint64_t{0}}, most{};
    for (unsigned i = 0; i < kChannels; ++i) {
      const unsigned way = out >> i & 1;
      const uint64_t bytes = engine.read(way != 0 ? reg::bytes_out::addr(i) : reg::bytes_in::addr(i));
      least[way] = std::min(least[way], bytes);
      most[way] = std::max(most[way], bytes);
    }
    for (unsigned way = 0; way < 2; ++way) {
      if (most[way] == 0) continue;
      check(most[way] - least[way] <= 5 * 512,
            fmt::format("shares between {} and {} bytes", least[way], most[way]));
    }
  }
}

// How long a small transfer takes while seven others move without end.
uint64_t small_one(uint64_t seed, bool to_host, bool alone) {
  Engine engine(seed);
  engine.host().timed = engine.card().timed = true;
  for (unsigned i = 0; i < kChannels; ++i) engine.set_up(i, {.ring = 0x8000'0000 + i * 0x1000});
  for (unsigned i = 1; i < kChannels && !alone; ++i) post(engine, i, i % 2 == 0, 16 << 20);
  engine.bench().steps(5000);
  uint64_t worst = 0;
  for (unsigned i = 0; i < 20; ++i) {
    engine.bench().steps(engine.random().below(100));
    const uint64_t start = engine.cycle();
    post(engine, 0, to_host, 64);
    engine.wait_head(0, engine.posted(0), 20'000);
    worst = std::max(worst, engine.cycle() - start);
  }
  return worst;
}

}  // namespace

void test_fair(uint64_t seed, uint64_t) {
  equal_shares(seed, 0x00);
  equal_shares(seed, 0xff);
  equal_shares(seed, 0xaa);
  for (const bool to_host : {false, true}) {
    const uint64_t alone = small_one(seed, to_host, true);
    const uint64_t crowded = small_one(seed, to_host, false);
    fmt::print("64 bytes {}: {} cycles alone, {} among seven that never end\n", to_host ? "out" : "in", alone,
               crowded);
    // Reads: all 64 tags are taken; the next free one comes within a few packets, and then there are those
    // before us on the wire. Writes: 32 packets of 256 bytes may be ahead.
    check(crowded <= alone + (to_host ? 32 * 10 : 64 * 18 + 8 * 18), "a small transfer is held up");
  }
}

}  // namespace swai::dma_test
