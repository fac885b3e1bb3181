// SPDX-License-Identifier: Apache-2.0
// Channels stopped at random moments, by themselves and all together by a function-level reset: nothing of
// them moves on, what they had completed is complete, nothing else was touched, the others do not notice, and
// they work again.

#include "verif/rtl/pcie/dma/tests.hpp"
#include "verif/rtl/pcie/dma/traffic.hpp"

namespace swai::dma_test {

namespace {

// The channel has stopped: what it says must be true, and its targets as they were where no descriptor wrote.
void settle(Engine& engine, Traffic& traffic, unsigned channel) {
  auto& host = engine.host();
  const uint64_t handed_over = host.handed_over();
  engine.bench().until([&] { return host.arrived() >= handed_over; }, 50'000, "packets on the wire");
  traffic.look_at_head(channel);
  traffic.forget_from_head(channel);
  traffic.compare(channel);
}

}  // namespace

void test_aborts(uint64_t seed, uint64_t cycles) {
  Engine engine(seed);
  Traffic traffic(engine);
  auto& random = engine.random();
  engine.host().max_delay = random.chance(50) ? 50 : 600;
  for (unsigned i = 0; i < kChannels; ++i) traffic.set_up(i);
  unsigned stops = 0, resets = 0;
  while (engine.cycle() < cycles) {
    for (uint64_t i = random.below(60); i > 0; --i) traffic.pump(0xff);
    for (uint64_t i = random.below(200); i > 0; --i) engine.step();
    const auto channel = static_cast<unsigned>(random.below(kChannels));
    const unsigned others = 0xff & ~(1U << channel);
    if (random.chance(80)) {
      ++stops;
      const bool through_abort = random.chance(60);
      const bool stuck = random.chance(20);
      engine.ring(channel);
      engine.card().hold = stuck;
      if (through_abort) {
        engine.abort(channel);
        if (stuck) {
          for (unsigned i = 0; i < 200; ++i) engine.step();
          engine.card().hold = false;
        }
        for (const uint64_t end = engine.cycle() + 50'000;
             engine.state(channel) != reg::status::kStateAborted;) {
          check(engine.cycle() < end,
                fmt::format("channel {} is not aborted; state {}", channel, engine.state(channel)));
          traffic.pump(others);
        }
        const uint16_t head = engine.head(channel);
        settle(engine, traffic, channel);
        for (uint64_t i = random.below(20); i > 0; --i) traffic.pump(others);
        check(engine.head(channel) == head, "the head of an aborted channel moves");
        traffic.compare(channel);
      }
      // The counts are gone after a reset; what they were is seen before it only.
      if (!through_abort) traffic.look_at_head(channel);
      engine.clear(channel);
      engine.card().hold = false;
      engine.wait_state(channel, reg::status::kStateIdle);
      check(engine.head(channel) == 0 && engine.read(reg::bytes_in::addr(channel)) == 0,
            "counts after a reset");
      const uint64_t handed_over = engine.host().handed_over();
      engine.bench().until([&] { return engine.host().arrived() >= handed_over; }, 50'000,
                           "packets on the wire");
      traffic.set_up(channel);
    } else {
      ++resets;
      for (unsigned i = 0; i < kChannels; ++i) traffic.look_at_head(i);
      engine.host().config.flr = true;
      engine.host().pause_streams(random.chance(50));
      engine.step();
      engine.bench().until([&] { return !engine.top().busy_o; }, 20'000, "the end of a function-level reset");
      engine.host().pause_streams(false);
      for (uint64_t i = random.below(200); i > 0; --i) {
        engine.step();
        check(!engine.top().busy_o, "busy again during a function-level reset");
      }
      engine.host().config.flr = false;
      for (unsigned i = 0; i < kChannels; ++i) {
        check(engine.state(i) == reg::status::kStateIdle && engine.read(reg::ring_base::addr(i)) == 0,
              "registers after a reset");
        engine.bench().until([&] { return engine.host().arrived() == engine.host().handed_over(); }, 50'000,
                             "packets");
        traffic.set_up(i);
      }
    }
  }
  for (unsigned i = 0; i < kChannels; ++i) {
    engine.ring(i);
    traffic.finish(i);
  }
  engine.wait_idle();
  fmt::print("{} descriptors, {} stops, {} resets, {} cycles\n", traffic.posted(), stops, resets,
             engine.cycle());
}

}  // namespace swai::dma_test
