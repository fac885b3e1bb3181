// SPDX-License-Identifier: Apache-2.0
// Everything at random: descriptors on all channels, both directions, delays, orders, stalls.

#include "verif/rtl/pcie/dma/tests.hpp"
#include "verif/rtl/pcie/dma/traffic.hpp"

namespace swai::dma_test {

void test_random(uint64_t seed, uint64_t cycles) {
  Engine engine(seed);
  Traffic traffic(engine);
  auto& random = engine.random();
  engine.host().config.mps = 7 + static_cast<unsigned>(random.below(2));
  engine.host().config.mrrs = 7 + static_cast<unsigned>(random.below(3));
  engine.host().config.bus_dev_fn = static_cast<uint16_t>(random.next());
  engine.host().max_delay = random.chance(50) ? 50 : 600;
  engine.card().max_delay = random.chance(50) ? 10 : 250;
  if (random.chance(30)) traffic.max_length = 300;
  for (unsigned i = 0; i < kChannels; ++i) traffic.set_up(i);
  const unsigned channels = random.chance(20) ? 1 : 0xff;
  while (engine.cycle() < cycles) traffic.pump(channels);
  for (unsigned i = 0; i < kChannels; ++i) {
    engine.ring(i);
    traffic.finish(i);
  }
  engine.wait_idle();
  check(engine.host().quiet() && engine.card().quiet(), "something is under way at the end");
  fmt::print("{} descriptors, {} bytes, {} cycles\n", traffic.posted(), traffic.bytes(), engine.cycle());
}

}  // namespace swai::dma_test
