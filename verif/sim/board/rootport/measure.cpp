// SPDX-License-Identifier: Apache-2.0
// What the wire costs in CPU time: per idle cycle, and per packet at full rate each way. Prints JSON.
#include <fmt/format.h>

#include <ctime>
#include <vector>

#include "sim/board/rootport/root_complex.hpp"

using namespace swai::rootport;

namespace {

double nanoseconds(auto function) {
  // CPU time: other processes do not count.
  const std::clock_t start = std::clock();
  function();
  return static_cast<double>(std::clock() - start) * 1e9 / CLOCKS_PER_SEC;
}

// A card that is nothing but pins: full-length writes or reads, one beat per cycle.
class Pins {
 public:
  Pins(RootPort& port, bool writes) : port_(port) {
    port.attach(store_.pins());
    store_.rx_limit = Credits{.posted_header = 96, .posted_data = 1536, .nonposted_header = 16}.pack();
    const std::vector<uint8_t> data(256);
    const Tlp tlp =
        writes ? memory_write(0x1'0000'0000, data, 0x100) : memory_read(0x1'0000'0000, 512, 0x100, 0);
    beats_ = writes ? 4 : 1;
    need_ = credits_of(tlp);
    const TlpHeader header = encode(tlp);
    for (unsigned i = 0; i < 4; ++i) store_.tx_beat[kBeatHeaderWord + 3 - i] = header[i];
  }
  void run(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; ++i) {
      if (store_.rx_valid != 0 && (store_.rx_beat[kBeatFlagsWord] & kBeatEop) != 0) ++completions_;
      if (on && (store_.tx_valid == 0 || store_.tx_ready != 0)) next();
      port_.clock();
    }
  }
  bool on = false;

 private:
  void next() {
    store_.tx_valid = 0;
    if (beat_ == 0) {
      // 64 reads, two completions each.
      if (beats_ == 1 && packets_ * 2 - completions_ >= 128) return;
      Credits used = used_;
      used.add(need_);
      if (!enough(Credits::unpack(store_.tx_limit), used)) return;
      used_ = used;
      ++packets_;
    }
    store_.tx_valid = 1;
    store_.tx_beat[kBeatFlagsWord] = (beat_ == 0 ? kBeatSop : 0) | (beat_ + 1 == beats_ ? kBeatEop : 0);
    beat_ = beat_ + 1 == beats_ ? 0 : beat_ + 1;
  }

  RootPort& port_;
  PinStore store_;
  uint64_t packets_ = 0;
  uint64_t completions_ = 0;
  Credits used_;
  Credits need_;
  unsigned beats_ = 1;
  unsigned beat_ = 0;
};

struct Result {
  double idle_cycle;
  double step_cycle;
  double busy_cycle;
  double packet;
  uint64_t packets;
};

Result measure(bool writes) {
  constexpr uint64_t kCycles = 20'000'000, kBusy = 4'000'000;
  RootComplex root;
  RootPort& port = root.add({.enumerate = false});
  Pins card(port, writes);
  root.set_run(0, [&](uint64_t cycles) { card.run(cycles); });
  std::vector<uint8_t> memory(4096);
  port.iommu().map(0x1'0000'0000, memory.size(), memory.data(), {});
  port.link_up();
  root.advance(1000);
  Result result{};
  result.idle_cycle = nanoseconds([&] { root.advance(kCycles); }) / kCycles;
  result.step_cycle = nanoseconds([&] {
                        for (uint64_t i = 0; i < kCycles; ++i) {
                          root.step();
                          card.run(1);
                        }
                      }) /
                      kCycles;
  card.on = true;
  result.busy_cycle = nanoseconds([&] { root.advance(kBusy); }) / kBusy;
  const PortCounters& counters = port.counters();
  for (size_t kind = 0; kind < kTlpKinds; ++kind) {
    result.packets += counters.to_card.packets[kind] + counters.to_root.packets[kind];
  }
  result.packet = (result.busy_cycle - result.idle_cycle) * kBusy / static_cast<double>(result.packets);
  return result;
}

}  // namespace

int main() {
  const Result write = measure(true);
  const Result read = measure(false);
  fmt::print(
      "{{\"rootport.idle_cycle_ns\": {:.2f}, \"rootport.step_cycle_ns\": {:.2f}, "
      "\"rootport.write_packet_ns\": {:.1f}, "
      "\"rootport.read_packet_ns\": {:.1f}}}\n",
      write.idle_cycle, write.step_cycle, write.packet, read.packet);
  fmt::print(stderr, "packets: {} writes, {} reads and completions; busy cycle {:.1f} and {:.1f} ns\n",
             write.packets, read.packets, write.busy_cycle, read.busy_cycle);
}
