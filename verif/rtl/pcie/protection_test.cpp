// SPDX-License-Identifier: Apache-2.0
// What the host may not do: memory that it may not touch through BAR0, a DMA engine that it may not command.

#include <fmt/format.h>

#include "card_regs.hpp"
#include "verif/rtl/pcie/bench.hpp"
#include "verif/rtl/pcie/tests.hpp"

namespace swai::pcie {

using verif::check;

namespace {

// Who may write the DMA engine's registers is the firmware's to say; both may always read them.
void check_dma_access(EndpointBench& bench, uint64_t rounds) {
  auto& random = bench.random;
  const uint64_t refused_at = regs::pcie::errors_unsupported_posted::kOffset;
  uint64_t refused = bench.read_register(refused_at);
  bool closed = false;
  for (uint64_t round = 0; round < rounds; ++round) {
    if (random.chance(20)) {
      closed = random.chance(60);
      check(bench.mpe_access(true, regs::pcie::dma_access::kAddr, closed ? 1 : 0).status == kOk, "the lock");
    } else if (random.chance(20)) {
      bench.write(kBar4 + regs::pcie::dma_access::kOffset, closed ? 0 : 1);
      ++refused;
    }
    const auto word = static_cast<unsigned>(random.below(64));
    const uint64_t value = random.next();
    const bool host = random.chance(70);
    const unsigned count = host && random.chance(30) ? 1 : 8;
    uint64_t expected = bench.dma_registers[word];
    if (!host || !closed) expected = count == 8 ? value : (expected & ~uint64_t{0xff}) | (value & 0xff);
    if (host) {
      bench.write(kBar4 + 0x1'0000 + 8 * word, value, count);
      refused += closed ? 1 : 0;
    } else {
      check(bench.mpe_access(true, regs::pcie::kBase + 0x1'0000 + 8 * word, value).status == kOk,
            "the firmware's write");
    }
    bench.quiet();
    expect(bench.dma_registers[word], expected, "a register of the DMA engine");
    expect(bench.read_register(0x1'0000 + 8 * word), expected, "the same, read by the host");
    expect(bench.mpe_read(regs::pcie::kBase + 0x1'0000 + 8 * word), expected, "the same, over the ring");
    expect(bench.mpe_read(regs::pcie::dma_access::kAddr), closed ? 1 : 0, "the lock");
  }
  expect(bench.read_register(refused_at), refused, "writes refused");
  // The other devices of BAR4 stay open.
  bench.mpe_access(true, regs::pcie::dma_access::kAddr, 1);
  bench.write(kBar4 + regs::pcie::shared::kOffset, 7);
  bench.write(kBar4 + regs::debug::breakpoint0::kAddr - regs::pcie::kBase, 9);
  expect(bench.read_register(regs::pcie::shared::kOffset), 7, "a shared word");
  expect(bench.read_register(regs::debug::breakpoint0::kAddr - regs::pcie::kBase), 9, "the debug port");
  expect(bench.read_register(refused_at), refused, "writes refused");
}

}  // namespace

// What the host may touch through BAR0 is the firmware's to say.
void test_protection(uint64_t seed, uint64_t cycles) {
  EndpointBench bench(seed);
  auto& random = bench.random;
  bench.enumerate();
  const uint64_t regs = regs::pcie::kBase;
  // The host cannot change it.
  const uint64_t before = bench.read_register(regs::pcie::deny0_limit::kOffset);
  bench.write(kBar4 + regs::pcie::deny0_limit::kOffset, ~uint64_t{0});
  bench.write(kBar4 + regs::pcie::sram_base::kOffset, 0);
  bench.write(kBar4 + regs::pcie::sram_fixed::kOffset, 0);
  bench.quiet();
  expect(bench.read_register(regs::pcie::deny0_limit::kOffset), before, "a limit that the host has written");
  expect(bench.read_register(regs::pcie::sram_base::kOffset), regs::pcie::sram_base::kReset,
         "a base that the host has written");
  expect(bench.read_register(regs::pcie::sram_fixed::kOffset), regs::pcie::sram_fixed::kReset,
         "where the host may not write, as the host has written it");
  expect(bench.read_register(regs::pcie::errors_unsupported_posted::kOffset), 3, "writes refused");
  uint64_t denied = 0;
  for (uint64_t round = 0; round < std::max<uint64_t>(cycles / 2000, 3); ++round) {
    struct Range {
      uint64_t base, limit;
    };
    Range ranges[5];
    for (unsigned i = 0; i < 5; ++i) {
      const uint64_t from = i == 0 ? kSram : kHbm;
      ranges[i].base = from + 0x1000 * random.below(i == 0 ? 64 : 30);
      ranges[i].limit = ranges[i].base + 0x1000 * random.below(i == 0 ? 40 : 6);
      const uint64_t at =
          i == 0 ? regs::pcie::sram_base::kOffset : regs::pcie::deny0_base::kOffset + 16 * (i - 1);
      check(bench.mpe_access(true, regs + at, ranges[i].base).status == kOk, "a base");
      check(bench.mpe_access(true, regs + at + 8, ranges[i].limit).status == kOk, "a limit");
    }
    const uint64_t fixed = kSram + 0x1000 * random.below(70);
    check(bench.mpe_access(true, regs + regs::pcie::sram_fixed::kOffset, fixed).status == kOk,
          "what is fixed");
    for (unsigned i = 0; i < 40; ++i) {
      const bool sram = random.chance(40);
      const uint64_t offset = 0x1000 * random.below(sram ? 70 : 32) + random.below(4096 - 64);
      const uint64_t addr = (sram ? kSram : kHbm) + offset;
      const uint64_t page = addr & ~uint64_t{0xfff};
      bool allowed = !sram || (page >= ranges[0].base && page < ranges[0].limit);
      for (unsigned k = 1; k < 5; ++k)
        allowed = allowed && !(page >= ranges[k].base && page < ranges[k].limit);
      const bool nobody = sram && offset >= kSramBytes;
      const bool writable = allowed && !(sram && page >= fixed);
      const uint64_t window = kBar0 + (sram ? kSramWindow : 0) + offset;
      if (!nobody) denied += (allowed ? 0 : 1) + (writable ? 0 : 1);
      expect(bench.read(window, 8).status, allowed && !nobody ? kSuccess : kUnsupported,
             fmt::format("status at {:#x}", addr));
      const uint8_t old = bench.ring.memory.get(addr);
      bench.write(window, static_cast<uint8_t>(~old), 1);
      bench.quiet();
      expect(bench.ring.memory.get(addr), writable && !nobody ? static_cast<uint8_t>(~old) : old,
             fmt::format("byte at {:#x}", addr));
    }
    expect(bench.read_register(regs::pcie::errors_denied::kOffset), denied, "accesses denied");
  }
  check_dma_access(bench, std::max<uint64_t>(cycles / 100, 300));
  check_credits(bench);
}

}  // namespace swai::pcie
