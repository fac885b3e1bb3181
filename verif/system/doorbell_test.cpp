// SPDX-License-Identifier: Apache-2.0
// A doorbell never overtakes what the host wrote before it: a program on the management processor looks at
// the data as soon as the bit is in its inbox.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "verif/kit/doctest_main.hpp"
#include "verif/system/bar_debug.hpp"
#include "verif/system/mpe_code.hpp"
#include "verif/system/rig.hpp"
#include "verif/system/traffic.hpp"

namespace swai::system {
namespace {

using namespace mpe_code;

// Waits for bits in the inbox (a0) and takes them; reads the two words that the mailbox (a1) names; says what
// it found, and how often it has (a2).
constexpr std::array kProgram = {
    ld(kT0, 0, kA0),   beqz(kT0, -4),   sd(kT0, 0, kA0), cbo_inval(kA1),   ld(kT1, 0, kA1),
    ld(kT2, 8, kA1),   cbo_inval(kT1),  cbo_inval(kT2),  ld(kT3, 0, kT1),  ld(kT4, 0, kT2),
    addi(kS0, kS0, 1), sd(kT0, 0, kA2), sd(kT3, 8, kA2), sd(kT4, 16, kA2), sd(kS0, 24, kA2),
    cbo_flush(kA2),    kFence,          jump(-68),
};
static_assert(kProgram.size() * 4 == 72);

constexpr uint64_t kCode = 0x8003'0000;
constexpr uint64_t kMailbox = 0x8003'0400;
constexpr uint64_t kFound = 0x8003'0440;
constexpr uint64_t kBlocksInSram = 0x8003'1000;  // below the rings
constexpr uint64_t kSramBlockBytes = 0x6000;

struct Found {
  uint64_t work;
  uint64_t last;
  uint64_t first;
  uint64_t count;
};

void start_program(link::Card& card) {
  card.post_block(kMemoryBar, sram_at(kCode), {reinterpret_cast<const uint8_t*>(kProgram.data()), 72});
  card.post_block(kMemoryBar, sram_at(kFound), std::vector<uint8_t>(64));
  card.read<uint64_t>(kMemoryBar, sram_at(kFound));
  Halted halted(card);
  auto& target = halted.target();
  target.write_register(65 + 0x300, 0);  // mstatus: no interrupts
  target.write_register(4161, 3);        // machine mode
  target.write_register(kA0, regs::inbox::work::kAddr);
  target.write_register(kA1, kMailbox);
  target.write_register(kA2, kFound);
  target.write_register(kS0, 0);
  target.write_register(32, kCode);
  target.sync_code();
}

}  // namespace

TEST_CASE("doorbells: the processor finds all that was written before") {
  const Rig rig;
  const auto card = rig.open();
  Traffic traffic(*card, test_seed());
  verif::Random& random = traffic.random;
  start_program(*card);
  uint64_t slowest = 0;
  for (uint64_t round = 1; round <= rounds(250); ++round) {
    // DMA in both directions beside it keeps ring, memory and wire busy.
    if (round % 50 == 1) {
      traffic.dma.finish();
      traffic.send();
      traffic.dma.start();
    }
    const bool sram = random.chance(40);
    const uint64_t room = sram ? kSramBlockBytes : 64 << 20;
    const uint64_t bytes = 16 + random.below(random.chance(50) ? 200 : 5000) / 8 * 8;
    const uint64_t offset = random.below((room - bytes) / 8) * 8;
    const uint64_t address = (sram ? kBlocksInSram : regs::kHbmRegion.base) + offset;
    const uint64_t bar = sram ? sram_at(address) : offset;
    std::vector<uint64_t> block(bytes / 8);
    for (auto& word : block) word = random.next();
    const unsigned number = static_cast<unsigned>(random.below(32));

    const std::array<uint64_t, 2> mailbox = {address + bytes - 8, address};
    card->post_block(kMemoryBar, sram_at(kMailbox), {reinterpret_cast<const uint8_t*>(mailbox.data()), 16});
    if (random.chance(30)) {  // something else that is slow
      card->post_block(kMemoryBar, (128 << 20) + random.below(1 << 20),
                       std::vector<uint8_t>(random.below(3000) + 1));
    }
    card->post_block(kMemoryBar, bar, {reinterpret_cast<const uint8_t*>(block.data()), bytes});
    card->post<uint64_t>(kRegisterBar, register_at(regs::pcie::doorbell::kAddr), number);
    const uint64_t rung = card->cycle();

    Found found{};
    for (int tries = 0; found.count != round && tries < 100; ++tries)
      card->read_block(kMemoryBar, sram_at(kFound), {reinterpret_cast<uint8_t*>(&found), sizeof found});
    slowest = std::max(slowest, card->cycle() - rung);
    INFO("round ", round, ", ", bytes, " bytes at ", address);
    REQUIRE(found.count == round);
    CHECK(found.work == uint64_t{1} << number);
    CHECK(found.last == block.back());
    CHECK(found.first == block.front());
  }
  MESSAGE("at most ", slowest, " cycles from doorbell to answer");
  traffic.dma.finish();
  traffic.prove();

  // The firmware comes back by a reset.
  card->post<uint64_t>(kRegisterBar, register_at(regs::pcie::reset_request::kAddr),
                       regs::pcie::reset_request::kKey.put(regs::pcie::reset_request::kKeyGo) |
                           regs::pcie::reset_request::kProcessor.put(1));
  card->run_until(0, 1000);
  for (int i = 0; i < 100 && !firmware_ready(*card); ++i) card->run_until(0, 10'000);
  CHECK(firmware_ready(*card));
}

}  // namespace swai::system
