// SPDX-License-Identifier: Apache-2.0
// The management processor and the core groups from outside, through BAR4, without the firmware's help.

#include <doctest/doctest.h>

#include <cstring>

#include "verif/kit/doctest_main.hpp"
#include "verif/system/bar_debug.hpp"
#include "verif/system/rig.hpp"
#include "verif/system/traffic.hpp"

namespace swai::system {
namespace {

using link::vendor::Cause;

constexpr unsigned kPc = 32;
constexpr unsigned kMstatus = 65 + 0x300;
constexpr uint64_t kBootCycles = 2'000'000;

bool in_firmware(uint64_t pc) {
  return pc - regs::kRomRegion.base < regs::kRomRegion.size ||
         pc - regs::kLocalRegion.base < regs::kSramBytes;
}

void ask_reset(link::Card& card, uint64_t parts) {
  card.post<uint64_t>(kRegisterBar, register_at(regs::pcie::reset_request::kAddr),
                      regs::pcie::reset_request::kKey.put(regs::pcie::reset_request::kKeyGo) | parts);
}
const uint64_t kProcessor = regs::pcie::reset_request::kProcessor.put(1);
const uint64_t kGroup0 = regs::pcie::reset_request::kGroups.put(1);

uint64_t reset_status(link::Card& card) {
  return card.read<uint64_t>(kRegisterBar, register_at(regs::pcie::reset_status::kAddr));
}

// Cycles until the firmware says that it is ready, again.
uint64_t boot(link::Card& card) {
  const uint64_t start = card.cycle();
  while (!firmware_ready(card) && card.cycle() - start < kBootCycles) card.run_until(0, 10'000);
  CHECK(firmware_ready(card));
  return card.cycle() - start;
}

// What a halted processor must look like, whatever it was doing.
void inspect(link::Card& card, Halted& halted, verif::Random& random) {
  CHECK(in_firmware(halted.reg(kPc)));
  CHECK(halted.target().read_register(kMstatus).has_value());
  CHECK(halted.target().stop_reason() == common::GdbTarget::StopReason::kHaltRequest);
  // Registers keep what is written; each its own.
  std::array<uint64_t, 32> saved{};
  for (unsigned i = 1; i < 32; i += 5) saved[i] = halted.reg(i);
  for (unsigned i = 1; i < 32; i += 5) halted.target().write_register(i, i * 0x0123'4567'89ab'cdefull);
  for (unsigned i = 1; i < 32; i += 5) CHECK(halted.reg(i) == i * 0x0123'4567'89ab'cdefull);
  for (unsigned i = 1; i < 32; i += 5) halted.target().write_register(i, saved[i]);
  // Memory that host and processor both see.
  const uint64_t place = 0x8003'1000 + random.below(1000) * 8;
  const uint64_t word = random.next();
  card.post<uint64_t>(kMemoryBar, sram_at(place), word);
  CHECK(card.read<uint64_t>(kMemoryBar, sram_at(place)) == word);
  halted.write(place + 8, ~word);
  CHECK(halted.read(regs::system::identity::kAddr) == regs::system::identity::kReset);
  uint64_t hbm = random.next();
  const uint64_t at = random.below(1 << 20) * 64;
  card.post<uint64_t>(kMemoryBar, at, hbm);
  CHECK(card.read<uint64_t>(kMemoryBar, at) == hbm);
  CHECK(halted.read(regs::kHbmRegion.base + at) == hbm);
  // What the ROM holds at the boot vector can be read.
  CHECK(halted.read(regs::kBootVector) != 0);
}

}  // namespace

TEST_CASE("out of band: halt, inspect, step and resume while the firmware sleeps") {
  const Rig rig;
  const auto card = rig.open();
  verif::Random random(test_seed());
  for (unsigned round = 0; round < rounds(3); ++round) {
    {
      Halted halted(*card);
      inspect(*card, halted, random);
      for (int step = 0; step < 3; ++step) {
        halted.target().step();
        CHECK(halted.reached());
        CHECK(halted.target().stop_reason() == common::GdbTarget::StopReason::kStep);
        CHECK(in_firmware(halted.reg(kPc)));
      }
    }
    CHECK(firmware_ready(*card));
    CHECK(card->run_until(0, 1'000'000).cause == Cause::kAsleep);  // it went back to sleep
  }
  Traffic(*card, test_seed()).prove();
}

TEST_CASE("out of band: the processor is reset while it sleeps, and halted while it runs") {
  const Rig rig;
  const auto card = rig.open();
  Traffic traffic(*card, test_seed());
  const auto counted = [&] {
    Halted halted(*card);
    const uint64_t word = halted.read(regs::system::reset_cause::kAddr);
    return std::pair(regs::system::reset_cause::kCause.get(word),
                     regs::system::reset_cause::kCount.get(word));
  };
  CHECK(counted() == std::pair<uint64_t, uint64_t>(regs::system::reset_cause::kCausePowerOn, 0));
  for (uint64_t round = 1; round <= rounds(3); ++round) {
    ask_reset(*card, kProcessor);
    CHECK(!firmware_ready(*card));
    CHECK(reset_status(*card) == 0);
    for (int i = 0; i < 2; ++i) {
      card->run_until(0, traffic.random.below(60'000));
      Halted halted(*card);
      inspect(*card, halted, traffic.random);
    }
    const uint64_t cycles = boot(*card);
    if (round == 1) MESSAGE("ready again after ", cycles, " cycles, with two stops");
    CHECK(counted() == std::pair<uint64_t, uint64_t>(regs::system::reset_cause::kCauseHost, round));
    traffic.prove();
  }
  // A wrong key does nothing.
  card->post<uint64_t>(kRegisterBar, register_at(regs::pcie::reset_request::kAddr), kProcessor | 0x1234);
  card->run_until(0, 10'000);
  CHECK(firmware_ready(*card));
  // Reset while it boots.
  for (unsigned round = 0; round < rounds(3); ++round) {
    ask_reset(*card, kProcessor);
    card->run_until(0, traffic.random.below(100'000));
  }
  boot(*card);
  traffic.prove();
}

TEST_CASE("out of band: a breakpoint at the first instruction") {
  const Rig rig;
  const auto card = rig.open();
  {
    Halted halted(*card);
    CHECK(halted.target().set_hardware_breakpoint(regs::kBootVector));
    halted.target().resume();
    ask_reset(*card, kProcessor);
    CHECK(halted.reached());
    CHECK(halted.reg(kPc) == regs::kBootVector);
    CHECK(halted.target().stop_reason() == common::GdbTarget::StopReason::kHardwareBreakpoint);
    CHECK(halted.target().clear_hardware_breakpoint(regs::kBootVector));
  }
  boot(*card);
}

TEST_CASE("out of band: the processor and its SRAM are reset under DMA traffic") {
  const Rig rig;
  const auto card = rig.open();
  Traffic traffic(*card, test_seed());
  traffic.prove();
  unsigned stopped = 0;
  for (unsigned round = 0; round < rounds(4, 2); ++round) {
    traffic.send();
    traffic.dma.start();
    card->run_until(0, traffic.random.below(6000));
    ask_reset(*card, kProcessor);
    // Descriptors lie in its SRAM: a channel may find the door closed.
    for (const auto& stop : traffic.dma.finish_or_stop(300'000)) {
      CHECK(stop.state == regs::dma::status::kStateError);
      CHECK(stop.cause == regs::dma::error::kCauseRingDenied);
      CHECK(stop.access == regs::dma::error::kAccessDescriptor);
      traffic.dma.reset(stop.channel);
      ++stopped;
    }
    traffic.prove();  // while it boots
    boot(*card);
    traffic.prove();
  }
  MESSAGE(stopped, " channels of 32 stopped");
}

TEST_CASE("out of band: a core group is reset under DMA traffic, and keeps its memory") {
  const Rig rig;
  const auto card = rig.open();
  Traffic traffic(*card, test_seed());
  unsigned stopped = 0;
  const unsigned count = rounds(10, 3);
  for (unsigned round = 0; round < count; ++round) {
    const bool nothing_under_way = round + 1 == count;
    const bool to_host = round % 2 != 0;
    traffic.send();
    traffic.dma.finish();
    if (nothing_under_way) {
      // Nothing is lost.
      ask_reset(*card, kGroup0);
    } else {
      const uint64_t half = 0x0F;
      if (to_host) {
        traffic.fetch();
      } else {
        traffic.send(half);
      }
      traffic.dma.start();
      card->run_until(0, traffic.random.below(to_host ? 3000 : 4000));
      ask_reset(*card, kGroup0);
      for (const auto& stop : traffic.dma.finish_or_stop(300'000)) {
        CHECK(stop.state == regs::dma::status::kStateError);
        CHECK(stop.cause == regs::dma::error::kCauseRingDenied);
        CHECK(stop.access == regs::dma::error::kAccessData);
        traffic.dma.reset(stop.channel);
        ++stopped;
      }
    }
    while (reset_status(*card) != 0) {
    }
    CHECK(firmware_ready(*card));
    // What had been written before is still there.
    const uint64_t untouched = nothing_under_way || to_host ? kAllChannels : 0xF0;
    traffic.fetch(untouched);
    traffic.dma.finish();
    traffic.check(untouched);
    traffic.prove();
  }
  MESSAGE(stopped, " channels stopped");
}

}  // namespace swai::system
