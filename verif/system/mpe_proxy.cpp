// SPDX-License-Identifier: Apache-2.0
#include "verif/system/mpe_proxy.hpp"

#include <array>
#include <stdexcept>
#include <vector>

#include "verif/system/bar_debug.hpp"
#include "verif/system/dma.hpp"
#include "verif/system/mpe_code.hpp"

namespace swai::system {
namespace {

using namespace mpe_code;

// What the host asks for, and what came of it, in lines of their own.
struct Errand {
  uint64_t address;
  uint64_t value;
  uint64_t write;
};
struct Result {
  uint64_t value;
  uint64_t count;
};

constexpr uint64_t kCode = 0x8003'0000;
constexpr uint64_t kErrand = 0x8003'0400;
constexpr uint64_t kResult = 0x8003'0440;

// Waits for doorbell 0 in the inbox (a0), does the errand (a1), says how it went and how many it has done
// (a2).
constexpr std::array kProgram = {
    ld(kT0, 0, kA0), andi(kT0, kT0, 1), beqz(kT0, -8),    sd(kT0, 0, kA0), cbo_inval(kA1),
    ld(kT1, 0, kA1), ld(kT2, 8, kA1),   ld(kT3, 16, kA1), bnez(kT3, 12),   ld(kT2, 0, kT1),
    jump(8),         sd(kT2, 0, kT1),   kFence,           kFence,          addi(kS0, kS0, 1),
    sd(kT2, 0, kA2), sd(kS0, 8, kA2),   cbo_flush(kA2),   kFence,          jump(-76),
};
static_assert(kProgram.size() == 20);

// Where BAR0 shows an address of the card.
uint64_t in_bar(uint64_t address) {
  return address >= regs::kHbmRegion.base ? address - regs::kHbmRegion.base : sram_at(address);
}

}  // namespace

MpeProxy::MpeProxy(link::Card& card) : card_(card) {
  card_.post_block(kMemoryBar, sram_at(kCode),
                   {reinterpret_cast<const uint8_t*>(kProgram.data()), sizeof kProgram});
  card_.post_block(kMemoryBar, sram_at(kResult), std::vector<uint8_t>(64));
  card_.read<uint64_t>(kMemoryBar, sram_at(kResult));
  Halted halted(card_);
  auto& target = halted.target();
  target.write_register(65 + 0x300, 0);  // mstatus: no interrupts
  target.write_register(4161, 3);        // machine mode
  target.write_register(kA0, regs::inbox::work::kAddr);
  target.write_register(kA1, kErrand);
  target.write_register(kA2, kResult);
  target.write_register(kS0, 0);
  target.write_register(32, kCode);
  target.sync_code();
}

uint64_t MpeProxy::errand(uint64_t address, uint64_t value, bool write) {
  const Errand errand = {address, value, write};
  card_.post_block(kMemoryBar, sram_at(kErrand), {reinterpret_cast<const uint8_t*>(&errand), sizeof errand});
  card_.post<uint64_t>(kRegisterBar, register_at(regs::pcie::doorbell::kAddr), 0);
  ++errands_;
  for (int tries = 0; tries < 200; ++tries) {
    Result result{};
    card_.read_block(kMemoryBar, sram_at(kResult), {reinterpret_cast<uint8_t*>(&result), sizeof result});
    if (result.count == errands_) return result.value;
  }
  throw std::runtime_error("the management processor does not come back from an errand");
}

uint64_t MpeProxy::read(uint64_t address) { return errand(address, 0, false); }
void MpeProxy::write(uint64_t address, uint64_t value) { errand(address, value, true); }

void MpeProxy::store(uint64_t address, uint64_t value) {
  card_.post<uint64_t>(kMemoryBar, in_bar(address), value);
}
void MpeProxy::copy(uint64_t address, std::span<const uint8_t> bytes) {
  card_.post_block(kMemoryBar, in_bar(address), bytes);
}
void MpeProxy::zero(uint64_t address, uint64_t bytes) { copy(address, std::vector<uint8_t>(bytes)); }
void MpeProxy::fetch(uint64_t address, std::span<uint8_t> to) {
  card_.read_block(kMemoryBar, in_bar(address), to);
}

}  // namespace swai::system
