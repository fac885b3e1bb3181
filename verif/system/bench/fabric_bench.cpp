// SPDX-License-Identifier: Apache-2.0
// How fast the card is simulated when everything moves at once: DMA on all channels in both directions, and
// the management processor walking through HBM. Prints a flat JSON object.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <exception>

#include "verif/system/bar_debug.hpp"
#include "verif/system/dma.hpp"
#include "verif/system/rig.hpp"

namespace swai::system {
namespace {

constexpr uint64_t kBytes = 4 << 20;
constexpr uint64_t kCode = Dma::kRings - 0x1000;
constexpr uint64_t kWalk = regs::kHbmRegion.base + (uint64_t{1} << 32);
constexpr uint64_t kWalkBytes = 1 << 20;
constexpr uint64_t kCachedBytes = 4 << 10;

// Adds 1 to a word in every line from a2 to a1, for ever: each is a miss, and later a write-back.
constexpr std::array<uint32_t, 7> kWalker = {
    0x00053283,  // loop: ld   t0, 0(a0)
    0x00128293,  //       addi t0, t0, 1
    0x00553023,  //       sd   t0, 0(a0)
    0x04050513,  //       addi a0, a0, 64
    0xFEB568E3,  //       bltu a0, a1, loop
    0x00060513,  //       mv   a0, a2
    0xFE9FF06F,  //       j    loop
};
// Numbers of registers as gdb has them.
constexpr unsigned kA0 = 10;
constexpr unsigned kPc = 32;
constexpr unsigned kCsr = 65;
constexpr unsigned kSatp = kCsr + 0x180;
constexpr unsigned kSie = kCsr + 0x104;

void start_walker(link::Card& card, uint64_t bytes) {
  Halted mpe(card);
  if (!mpe.reached()) throw std::runtime_error("the management processor does not halt");
  std::array<uint8_t, sizeof kWalker> code;
  std::memcpy(code.data(), kWalker.data(), code.size());
  auto& target = mpe.target();
  const auto set = [&](bool good, const char* what) {
    if (!good) throw std::runtime_error(fmt::format("the debug port cannot set {}", what));
  };
  set(target.write_physical(kCode, code), "memory");
  set(target.write_register(kSatp, 0), "satp");
  set(target.write_register(kSie, 0), "sie");
  set(target.write_register(kA0, kWalk), "a0");
  set(target.write_register(kA0 + 1, kWalk + bytes), "a1");
  set(target.write_register(kA0 + 2, kWalk), "a2");
  set(target.write_register(kPc, kCode), "pc");
  target.sync_code();
}

double khz(uint64_t cycles, std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  return static_cast<double>(cycles) / time.count();
}

double processor_khz() {
  const Rig rig;
  const auto card = rig.open();
  start_walker(*card, kCachedBytes);
  card->run_until(0, 50'000);
  double best = 0;
  for (int i = 0; i < 3; ++i) {
    constexpr uint64_t kCycles = 1'000'000;
    const auto start = std::chrono::steady_clock::now();
    card->run_until(0, kCycles);
    best = std::max(best, khz(kCycles, start));
  }
  return best;
}

double fabric_khz() {
  const Rig rig;
  const auto card = rig.open();
  link::PinnedMemory records = card->pin(kRecordsAt, 64 << 10);
  const link::PinnedMemory buffer = card->pin(kBufferAt, 2 * kBytes);
  Dma dma(*card, records);
  start_walker(*card, kWalkBytes);
  double best = 0;
  for (int i = 0; i < 3; ++i) {
    constexpr unsigned kEachWay = dma::kChannels / 2;
    constexpr auto kShare = static_cast<uint32_t>(kBytes / kEachWay);
    for (unsigned c = 0; c < dma::kChannels; ++c) {
      const uint64_t offset = uint64_t{c} * kShare;
      dma.add(c, kBufferAt + offset, regs::kHbmRegion.base + offset, kShare, c % 2 == 1);
    }
    const auto start = std::chrono::steady_clock::now();
    const uint64_t cycles = dma.finish();
    best = std::max(best, khz(cycles, start));
  }
  const auto walked = card->read<uint64_t>(kMemoryBar, kWalk - regs::kHbmRegion.base);
  if (walked == 0) throw std::runtime_error("the management processor did not walk");
  return best;
}

}  // namespace
}  // namespace swai::system

int main() {
  try {
    fmt::print("{{\"sim.fabric_khz\": {:.0f}, \"sim.card_khz\": {:.0f}}}\n", swai::system::fabric_khz(),
               swai::system::processor_khz());
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "fabric-bench: {}\n", error.what());
    return 1;
  }
}
