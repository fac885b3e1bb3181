// SPDX-License-Identifier: Apache-2.0
// Interrupt gathering, address decode and sleep, each against a model of a few lines.

#include <fmt/format.h>

#include "Vtb_units.h"
#include "card_regs.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::soc {
namespace {

using verif::check;

using Bench = verif::Bench<Vtb_units>;

// ------------------------------------------------------------------------------------------------ interrupts

// Everything is compared in every cycle, with accesses and source changes at random.
class IrqTest {
 public:
  explicit IrqTest(uint64_t seed) : bench_(seed) {
    bench_.top().sources_i = 0;
    bench_.top().reg_valid_i = 0;
    bench_.reset();
    bench_.settle();
    level_ = bench_.top().level_sources_o;
    edges_ = bench_.top().edge_sources_o;
  }

  void run(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; ++i) cycle();
    check(taken_ > cycles / 100, "hardly any interrupts were seen");
  }

 private:
  void cycle() {
    auto& pins = bench_.top();
    auto& random = bench_.random();
    uint64_t sources = last_;
    if (random.chance(40))
      sources =
          random.chance(50) ? random.next() & random.next() : last_ ^ uint64_t { 1 } << random.below(64);
    if (random.chance(5)) sources = 0;
    constexpr uint64_t kOffsets[] = {regs::irq::pending::kOffset,   regs::irq::raise::kOffset,
                                     regs::irq::enable_m::kOffset,  regs::irq::enable_s::kOffset,
                                     regs::irq::pending_m::kOffset, regs::irq::pending_s::kOffset};
    const uint64_t offset = kOffsets[random.below(std::size(kOffsets))];
    const unsigned size = 1U << random.below(4);
    const unsigned at = size * static_cast<unsigned>(random.below(8 / size));
    const uint64_t lanes = (size == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * size)) - 1) << (8 * at);
    const uint64_t data = random.chance(50) ? random.next() : uint64_t{1} << random.below(64);
    const bool write = random.chance(30);
    pins.sources_i = sources;
    pins.reg_valid_i = random.chance(80);
    pins.reg_write_i = write;
    pins.reg_addr_i = static_cast<uint32_t>(regs::irq::kBase + offset + at);
    pins.reg_wstrb_i = static_cast<uint8_t>(((1U << size) - 1) << at);
    pins.reg_wdata_i = data;
    bench_.settle();

    const uint64_t pending = (sources & level_) | edge_;
    check((pins.irq_m_o != 0) == irq_m_ && (pins.irq_s_o != 0) == irq_s_, "interrupt lines");
    if (pins.reg_valid_i != 0 && !write) {
      const uint64_t want = offset == regs::irq::pending::kOffset     ? pending
                            : offset == regs::irq::enable_m::kOffset  ? enable_m_
                            : offset == regs::irq::enable_s::kOffset  ? enable_s_
                            : offset == regs::irq::pending_m::kOffset ? pending & enable_m_
                            : offset == regs::irq::pending_s::kOffset ? pending & enable_s_
                                                                      : 0;
      check(pins.reg_rdata_o == want, fmt::format("register {:#x} reads {:#x} instead of {:#x}", offset,
                                                  static_cast<uint64_t>(pins.reg_rdata_o), want));
    }

    irq_m_ = (pending & enable_m_) != 0;
    irq_s_ = (pending & enable_s_) != 0;
    taken_ += irq_m_ ? 1 : 0;
    uint64_t set = sources & ~last_;
    last_ = sources;
    if (pins.reg_valid_i != 0 && write) {
      const uint64_t written = data & lanes;
      if (offset == regs::irq::pending::kOffset) edge_ &= ~written;
      if (offset == regs::irq::raise::kOffset) set |= written;
      if (offset == regs::irq::enable_m::kOffset) enable_m_ = (enable_m_ & ~lanes) | written;
      if (offset == regs::irq::enable_s::kOffset) enable_s_ = (enable_s_ & ~lanes) | written;
    }
    edge_ |= set & edges_;
    bench_.tick();
  }

  Bench bench_;
  uint64_t level_ = 0;
  uint64_t edges_ = 0;
  uint64_t last_ = 0;
  uint64_t edge_ = 0;
  uint64_t enable_m_ = 0;
  uint64_t enable_s_ = 0;
  bool irq_m_ = false;
  bool irq_s_ = false;
  uint64_t taken_ = 0;
};

// ------------------------------------------------------------------------------------------------- addresses

constexpr unsigned kTargetRom = 0;
constexpr unsigned kTargetSram = 1;
constexpr unsigned kTargetDevices = 2;
constexpr unsigned kTargetNobody = 3;

unsigned target(uint64_t address, uint64_t sram_bytes) {
  if (regs::kRomRegion.contains(address)) return kTargetRom;
  if (address - regs::kLocalRegion.base < sram_bytes) return kTargetSram;
  if (regs::kIoRegion.contains(address)) return kTargetDevices;
  return kTargetNobody;
}

void check_address(Bench& bench, uint64_t address) {
  auto& pins = bench.top();
  pins.addr_i = address;
  bench.settle();
  const regs::Pma want = regs::pma(address);
  check((pins.vacant_o != 0) == want.vacant && (pins.memory_o != 0) == want.memory &&
            (pins.io_o != 0) == want.io,
        fmt::format("attributes of {:#x}", address));
  check(pins.target_o == target(address, regs::kSramBytes),
        fmt::format("{:#x} goes to target {}", address, pins.target_o));
  check(pins.target_odd_o == target(address, 192 * 1024),
        fmt::format("{:#x} goes to target {} with 192 KiB", address, pins.target_odd_o));
}

void test_decode(uint64_t seed, uint64_t cycles) {
  Bench bench(seed);
  constexpr uint64_t kAddressMask = (uint64_t{1} << regs::kAddressBits) - 1;
  for (const regs::Region* region : regs::kRegions) {
    for (const uint64_t edge : {region->base, region->base + region->size, region->base + regs::kSramBytes,
                                region->base + 192 * 1024}) {
      for (uint64_t distance = 0; distance <= 8; ++distance) {
        check_address(bench, (edge + distance) & kAddressMask);
        check_address(bench, (edge - distance) & kAddressMask);
      }
    }
  }
  for (unsigned bit = 0; bit < regs::kAddressBits; ++bit) check_address(bench, uint64_t{1} << bit);
  for (uint64_t i = 0; i < 10 * cycles; ++i) check_address(bench, bench.random().number() & kAddressMask);
}

// ----------------------------------------------------------------------------------------------------- sleep

void test_sleep(uint64_t seed, uint64_t cycles) {
  Bench bench(seed);
  auto& pins = bench.top();
  auto& random = bench.random();
  pins.core_sleep_i = 0;
  pins.busy_i = 0;
  pins.wakes_i = 0;
  bench.reset();
  uint64_t quiet = 0;  // cycles in which nothing spoke against sleeping, up to now
  uint64_t slept = 0;
  unsigned last = 0;
  for (uint64_t i = 0; i < cycles; ++i) {
    check((pins.sleep_o != 0) == (quiet >= 8),
          fmt::format("sleep is {} after {} quiet cycles", pins.sleep_o, quiet));
    slept += pins.sleep_o;
    pins.core_sleep_i = random.chance(95);
    pins.busy_i = random.chance(5);
    const unsigned wakes = random.chance(5) ? static_cast<unsigned>(random.below(32)) : last;
    pins.wakes_i = static_cast<uint8_t>(wakes);
    quiet = pins.core_sleep_i != 0 && pins.busy_i == 0 && wakes == last ? quiet + 1 : 0;
    last = wakes;
    bench.tick();
  }
  check(slept > 10, "never slept");
}

}  // namespace
}  // namespace swai::soc

int main(int argc, char** argv) {
  using namespace swai::soc;
  return swai::verif::test_main(argc, argv,
                                {{"irq", [](uint64_t seed, uint64_t cycles) { IrqTest(seed).run(cycles); }},
                                 {"decode", test_decode},
                                 {"sleep", test_sleep}});
}
