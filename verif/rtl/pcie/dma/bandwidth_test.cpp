// SPDX-License-Identifier: Apache-2.0
// How fast the engine is with an honest wire: 32 bytes per cycle each way, 250 cycles one way, host memory
// 150 cycles, ring 60. Prints a JSON object; fails below what the engine promises.

#include <ctime>

#include "verif/rtl/pcie/dma/engine.hpp"
#include "verif/rtl/pcie/dma/tests.hpp"

namespace swai::dma_test {

namespace {

constexpr uint64_t kHost = 0x4'0000'0000, kCard = 0x80'0000'0000;

enum Way { kIn = 1, kOut = 2, kBoth = 3 };

struct Case {
  const char* name;
  Way way;
  unsigned channels;
  uint64_t bytes;  // of each channel
  uint64_t piece;  // of each descriptor
  uint64_t host_offset;
  uint64_t card_offset;
  double at_least;
};

// Payload over what the wire can carry beside all headers.
struct Efficiency {
  double in = 1;
  double out = 1;
};

constexpr double kPerCycle = 32, kHeaderIn = 12 + 8, kHeaderOut = 16 + 8, kPacket = 256, kRead = 512;

Efficiency measure(uint64_t seed, const Case& c) {
  Engine engine(seed);
  engine.host().timed = engine.card().timed = true;
  uint64_t last_in = 0, last_out = 0;
  uint64_t in = 0, out = 0;
  for (unsigned i = 0; i < c.channels; ++i) {
    const bool to_host = c.way == kOut || (c.way == kBoth && i % 2 == 1);
    engine.set_up(i, {.ring = 0x8000'0000 + i * 0x4000, .log2 = 9});
    for (uint64_t at = 0; at < c.bytes; at += c.piece) {
      Descriptor d{kHost + i * 0x1000'0000 + at + c.host_offset,
                   kCard + i * 0x100'0000 + at + c.card_offset,
                   static_cast<uint32_t>(c.piece),
                   to_host ? dma::kToHost : 0,
                   0,
                   0};
      if (at + c.piece >= c.bytes) d.flags |= dma::kWork;
      engine.post(i, d);
    }
    (to_host ? out : in) += c.bytes;
  }
  unsigned left = c.channels;
  engine.on_work() = [&](unsigned channel) {
    --left;
    (c.way == kOut || (c.way == kBoth && channel % 2 == 1) ? last_out : last_in) = engine.cycle();
  };
  const uint64_t start = engine.cycle();
  const std::clock_t clock = std::clock();
  for (unsigned i = 0; i < c.channels; ++i) engine.ring(i);
  engine.bench().until([&] { return left == 0; }, 10'000'000, "all transfers");
  const double seconds = (static_cast<double>(std::clock() - clock) / CLOCKS_PER_SEC);
  Efficiency result;
  if (in != 0) {
    const double cycles = static_cast<double>(last_in - start);
    result.in = static_cast<double>(in) / (cycles * kPerCycle * kPacket / (kPacket + kHeaderIn));
  }
  if (out != 0) {
    const double cycles = static_cast<double>(last_out - start);
    const double requests = static_cast<double>(in) / kRead * kHeaderOut;
    result.out =
        static_cast<double>(out) / ((cycles * kPerCycle - requests) * kPacket / (kPacket + kHeaderOut));
  }
  fmt::print("  \"{}\": {{", c.name);
  if (in != 0) fmt::print("\"h2d\": {:.4f}, ", result.in);
  if (out != 0) fmt::print("\"d2h\": {:.4f}, ", result.out);
  fmt::print("\"cycles\": {}, \"khz\": {:.0f}}},\n", engine.cycle() - start,
             static_cast<double>(engine.cycle() - start) / seconds / 1000);
  check(result.in >= c.at_least && result.out >= c.at_least, fmt::format("{}: below {}", c.name, c.at_least));
  return result;
}

// From the doorbell's write to the first beat on the wire, for a ring that answers after `latency` cycles.
uint64_t start_of(uint64_t seed, bool to_host, uint64_t latency) {
  Engine engine(seed);
  engine.host().timed = engine.card().timed = true;
  engine.card().latency = latency;
  engine.set_up(0, {.ring = 0x8000'0000});
  uint64_t first = 0;
  engine.host().on_first_beat = [&](uint64_t) {
    if (first == 0) first = engine.cycle();
  };
  engine.post(0, {kHost, kCard, 4096, to_host ? dma::kToHost : 0, 0, 0});
  const uint64_t start = engine.cycle();
  engine.ring(0);
  engine.bench().until([&] { return first != 0; }, 10'000, "the first beat");
  return first - start;
}

// What an idle engine costs the simulator: cycles per millisecond.
double idle_khz(uint64_t seed) {
  Engine engine(seed);
  engine.host().timed = engine.card().timed = true;
  engine.bench().steps(10);
  const std::clock_t clock = std::clock();
  constexpr unsigned kCycles = 300'000;
  for (unsigned i = 0; i < kCycles; ++i) engine.bench().tick();
  return kCycles / 1000.0 / (static_cast<double>(std::clock() - clock) / CLOCKS_PER_SEC);
}

}  // namespace

void test_bandwidth(uint64_t seed, uint64_t) {
  constexpr uint64_t kMib = 1 << 20;
  const Case cases[] = {
      {"8 channels in", kIn, 8, kMib, 65536, 0, 0, 0.95},
      {"8 channels out", kOut, 8, kMib, 65536, 0, 0, 0.95},
      {"8 channels both", kBoth, 8, kMib, 65536, 0, 0, 0.95},
      {"8 channels in, pages", kIn, 8, kMib / 4, 4096, 0, 0, 0.95},
      {"8 channels out, pages", kOut, 8, kMib / 4, 4096, 0, 0, 0.95},
      {"8 channels in, card off by 5", kIn, 8, kMib / 4, 65536, 0, 5, 0.95},
      {"8 channels out, card off by 5", kOut, 8, kMib / 4, 65536, 0, 5, 0.95},
      {"8 channels both, card off by 5", kBoth, 8, kMib / 4, 65536, 0, 5, 0.80},
      {"8 channels in, host off by 3", kIn, 8, kMib / 4, 65536, 3, 0, 0.94},
      {"8 channels out, host off by 3", kOut, 8, kMib / 4, 65536, 3, 0, 0.94},
      {"4 channels in", kIn, 4, kMib / 2, 65536, 0, 0, 0.94},
      {"1 channel in", kIn, 1, kMib, 65536, 0, 0, 0.35},
      {"1 channel in, pages", kIn, 1, kMib, 4096, 0, 0, 0.35},
      {"1 channel out", kOut, 1, kMib, 65536, 0, 0, 0.95},
      {"1 channel out, pages", kOut, 1, kMib, 4096, 0, 0, 0.95},
  };
  fmt::print("{{\n");
  for (const auto& c : cases) measure(seed, c);
  for (const uint64_t latency : {1, 12}) {
    fmt::print("  \"start, ring {}\": {{\"h2d\": {}, \"d2h\": {}}},\n", latency,
               start_of(seed, false, latency), start_of(seed, true, latency));
  }
  fmt::print("  \"idle_khz\": {:.0f},\n", idle_khz(seed));
  fmt::print("  \"seed\": {}\n}}\n", seed);
}

}  // namespace swai::dma_test
