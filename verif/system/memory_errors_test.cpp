// SPDX-License-Identifier: Apache-2.0
// Damaged and forbidden memory, as a host meets it through BAR0 and through DMA.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "abi/kernel_memory.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/system/bar_debug.hpp"
#include "verif/system/rig.hpp"
#include "verif/system/traffic.hpp"

namespace swai::system {
namespace {

using link::vendor::Command;
using link::vendor::Fault;

constexpr uint64_t kOnes = ~uint64_t{0};
constexpr uint64_t kLine = 64;

}  // namespace

TEST_CASE("memory errors: poisoned packets to the card are dropped and counted") {
  const Rig rig;
  const auto card = rig.open();
  Traffic traffic(*card, test_seed());
  const uint64_t at = traffic.random.below(1 << 20) * 256;
  std::vector<uint8_t> old(1000);
  traffic.fill(old.data(), old.size());
  card->post_block(kMemoryBar, at, old);
  std::vector<uint8_t> expected(1000);
  traffic.fill(expected.data(), expected.size());
  const uint64_t count = traffic.pcie(regs::pcie::errors_poisoned::kAddr);
  const unsigned bad = static_cast<unsigned>(traffic.random.below(3));
  traffic.inject(Fault::kPoisonWrite, 1, bad);
  card->post_block(kMemoryBar, at, expected);
  std::copy_n(old.begin() + 256 * bad, 256, expected.begin() + 256 * bad);
  std::vector<uint8_t> got(1000);
  card->read_block(kMemoryBar, at, got);
  CHECK(got == expected);
  CHECK(traffic.pcie(regs::pcie::errors_poisoned::kAddr) == count + 1);
  CHECK(card->read<uint32_t>(link::Card::kConfig, kAerUncorrectable) == kAerPoisoned);
  card->write<uint32_t>(link::Card::kConfig, kAerUncorrectable, kAerPoisoned);
  CHECK(card->read<uint32_t>(link::Card::kConfig, kAerUncorrectable) == 0);

  // A register: the shared words keep what they had.
  const uint64_t shared = register_at(regs::pcie::shared::kAddr);
  card->post<uint64_t>(kRegisterBar, shared, 1);
  traffic.inject(Fault::kPoisonWrite, 1, 0);
  card->post<uint64_t>(kRegisterBar, shared, 2);
  CHECK(card->read<uint64_t>(kRegisterBar, shared) == 1);
  traffic.prove();
}

TEST_CASE("memory errors: damaged lines are reported by whoever reads them, and healed by writing") {
  const Rig rig;
  const auto card = rig.open();
  Traffic traffic(*card, test_seed());
  Dma& dma = traffic.dma;
  traffic.prove();
  for (int round = 0; round < 3; ++round) {
    const unsigned victim = static_cast<unsigned>(traffic.random.below(dma::kChannels));
    const uint64_t base = regs::kHbmRegion.base;
    const uint64_t line = (traffic.card_at(victim) / kLine + 10 + traffic.random.below(50)) * kLine;
    card->command(Command::kPoisonMemory, {line, 1});

    // Through BAR0: the answer is marked as damaged, which a host sees as ones. Its neighbours are well.
    const uint64_t sent = traffic.pcie(regs::pcie::errors_poison_sent::kAddr);
    CHECK(card->read<uint64_t>(kMemoryBar, line - base + 8) == kOnes);
    CHECK(traffic.pcie(regs::pcie::errors_poison_sent::kAddr) == sent + 1);
    for (const uint64_t beside : {line - 8, line + kLine}) {
      uint64_t want = 0;
      std::memcpy(&want, traffic.sent(victim) + beside - traffic.card_at(victim), 8);
      CHECK(card->read<uint64_t>(kMemoryBar, beside - base) == want);
    }

    // Through DMA: the channel stops, the others do not.
    const uint64_t others = kAllChannels & ~(uint64_t{1} << victim);
    traffic.fetch(kAllChannels);
    const auto stops = dma.finish_or_stop();
    traffic.check(others);
    REQUIRE(stops.size() == 1);
    CHECK(stops[0].channel == victim);
    CHECK(stops[0].cause == regs::dma::error::kCauseRingPoison);
    CHECK(stops[0].address == line);

    // The group has counted and remembers the first, the processor has been told.
    {
      Halted processor(*card);
      CHECK(processor.read(regs::cg::poison::kAddr) == 1);
      CHECK(processor.read(regs::cg::poison_address::kAddr) == line);
      CHECK(processor.read(regs::cg::poison_reads::kAddr) >= 2u * (round + 1));
      CHECK((processor.read(regs::inbox::work::kAddr) >> 48 & 1) == 1);
      processor.write(regs::cg::poison::kAddr, 1);
      processor.write(regs::inbox::work::kAddr, uint64_t{1} << 48);
      CHECK(processor.read(regs::cg::poison::kAddr) == 0);
      CHECK((processor.read(regs::inbox::work::kAddr) >> 48 & 1) == 0);
    }

    // A part of the line does not heal it, all of it does.
    card->post<uint64_t>(kMemoryBar, line - base, 0);
    CHECK(card->read<uint64_t>(kMemoryBar, line - base) == kOnes);
    dma.reset(victim);
    dma.add(victim, traffic.sent_at(victim), line, kLine, false);
    CHECK(dma.finish_or_stop().empty());
    uint64_t want = 0;
    std::memcpy(&want, traffic.sent(victim), 8);
    CHECK(card->read<uint64_t>(kMemoryBar, line - base) == want);
    traffic.prove();
    Halted(*card).write(regs::cg::poison::kAddr, 1);
  }
  CHECK(firmware_ready(*card));
}

TEST_CASE("memory errors: so many lines can be damaged, not the kernel's, until the client leaves") {
  constexpr uint64_t kMost = 65'536;
  constexpr uint64_t kFrom = regs::kHbmRegion.base + boot::kKernelMemoryBytes;
  const Rig rig;
  {
    const auto card = rig.open();
    const auto refused = [&](uint64_t at, uint64_t bytes) {
      try {
        card->command(Command::kPoisonMemory, {at, bytes});
      } catch (const link::Error& error) {
        return error.code();
      }
      return 0;
    };
    CHECK(refused(kFrom - kLine, kLine) == EACCES);
    CHECK(refused(kFrom, kMost * kLine + 1) == ENOSPC);
    CHECK(refused(kFrom + kLine - 1, kMost * kLine) == ENOSPC);
    CHECK(refused(kFrom, kMost * kLine) == 0);
    CHECK(refused(kFrom + kMost * kLine, 1) == ENOSPC);
    CHECK(card->read<uint64_t>(kMemoryBar, boot::kKernelMemoryBytes) == kOnes);
    card->command(Command::kClearPoison, {kFrom, 1});
    CHECK(refused(kFrom + kMost * kLine, 1) == 0);
    CHECK(card->read<uint64_t>(kMemoryBar, boot::kKernelMemoryBytes + kMost * kLine) == kOnes);
  }
  const auto card = rig.open();
  for (const uint64_t line : {uint64_t{0}, uint64_t{1}, kMost})
    CHECK(card->read<uint64_t>(kMemoryBar, boot::kKernelMemoryBytes + line * kLine) != kOnes);
}

TEST_CASE("memory errors: what is protected or not there") {
  const Rig rig;
  const auto card = rig.open();
  Traffic traffic(*card, test_seed());
  const auto counter = [&](uint64_t address) { return traffic.pcie(address); };
  namespace pcie = regs::pcie;

  const uint64_t groups = traffic.pcie(pcie::card::kAddr) & 0xF;
  const uint64_t beyond_hbm = (groups << 34) + traffic.random.below(1 << 30) * 8;
  uint64_t failed = counter(pcie::errors_write_failed::kAddr);
  if (groups < 4) {
    CHECK(card->read<uint64_t>(kMemoryBar, beyond_hbm) == kOnes);
    card->post<uint64_t>(kMemoryBar, beyond_hbm, 1);
    CHECK(counter(pcie::errors_write_failed::kAddr) == failed + 1);
  }

  // Beyond the SRAM nobody is meant.
  const uint64_t beyond_sram = kSramAt + regs::kSramBytes + traffic.random.below(1 << 20) * 8;
  uint64_t posted = counter(pcie::errors_unsupported_posted::kAddr);
  uint64_t nonposted = counter(pcie::errors_unsupported_nonposted::kAddr);
  uint64_t denied = counter(pcie::errors_denied::kAddr);
  CHECK(card->read<uint64_t>(kMemoryBar, beyond_sram) == kOnes);
  card->post<uint64_t>(kMemoryBar, beyond_sram, 1);
  CHECK(counter(pcie::errors_unsupported_nonposted::kAddr) == nonposted + 1);
  CHECK(counter(pcie::errors_unsupported_posted::kAddr) == posted + 1);
  CHECK(counter(pcie::errors_denied::kAddr) == denied);

  // The firmware's own memory.
  for (int round = 0; round < 10; ++round) {
    const uint64_t at = kSramAt + traffic.random.below(0x30000 / 8) * 8;
    CHECK(card->read<uint64_t>(kMemoryBar, at) == kOnes);
    CHECK(counter(pcie::errors_denied::kAddr) == denied + 1);
    card->post<uint64_t>(kMemoryBar, at, 0x0bad'0bad'0bad'0bad);
    CHECK(counter(pcie::errors_denied::kAddr) == denied + 2);
    const uint64_t address = regs::kLocalRegion.base + at - kSramAt;
    CHECK(Halted(*card).read(address) != 0x0bad'0bad'0bad'0bad);
    denied += 2;
  }
  // Who may touch what is not the host's to say.
  const uint64_t base = counter(pcie::sram_base::kAddr);
  card->post<uint64_t>(kRegisterBar, register_at(pcie::sram_base::kAddr), regs::kLocalRegion.base);
  CHECK(counter(pcie::sram_base::kAddr) == base);
  traffic.prove();
  CHECK(firmware_ready(*card));
}

}  // namespace swai::system
