// SPDX-License-Identifier: Apache-2.0
// The engine's registers against their description: reset values, what can be written, and nobody elsewhere.

#include <map>

#include "card_regs_table.hpp"
#include "verif/rtl/pcie/dma/engine.hpp"
#include "verif/rtl/pcie/dma/tests.hpp"

namespace swai::dma_test {

void test_registers(uint64_t seed, uint64_t cycles) {
  Engine engine(seed);
  auto& random = engine.random();
  std::vector<regs::RegisterInfo> infos;
  std::map<uint64_t, uint64_t> values;
  for (const auto& info : regs::kRegisters) {
    if (info.base != reg::kBase) continue;
    infos.push_back(info);
    const uint64_t got = engine.read(info.base + info.offset);
    check(got == info.reset, fmt::format("{} is {:#x} after reset, not {:#x}", info.name, got, info.reset));
    values[info.base + info.offset] = info.reset & info.rw;
  }
  check(infos.size() == 8 * 12 + 4, "registers in the description");
  while (engine.cycle() < cycles) {
    const auto& info = infos[random.below(infos.size())];
    const uint64_t at = info.base + info.offset;
    // No commands, and no doorbells that would be an error: these have tests of their own.
    uint64_t value = random.number();
    if ((info.wo & value) != 0 || std::string_view(info.name).starts_with("tail")) continue;
    if (std::string_view(info.name).starts_with("control")) value &= ~uint64_t{1};
    const unsigned size = 1U << random.below(4);
    const unsigned lane = size * static_cast<unsigned>(random.below(8 / size));
    const unsigned lanes = ((1U << size) - 1) << lane;
    const uint64_t mask = (size == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * size) - 1) << 8 * lane;
    check(!engine.access(true, at + lane, value, lanes).err, fmt::format("{} refuses a write", info.name));
    uint64_t& kept = values[at];
    kept = (kept & ~(mask & info.rw)) | (value & mask & info.rw);
    const uint64_t got = engine.read(at);
    check((got & info.rw) == kept, fmt::format("{}: {:#x}, not {:#x}", info.name, got & info.rw, kept));
    check((got & ~info.rw) == (info.reset & ~info.rw),
          fmt::format("{}: {:#x} in bits that were not written", info.name, got));
  }
  for (unsigned i = 0; i < 2000; ++i) {
    const uint64_t at = reg::kBase + 8 * random.below(random.chance(50) ? 0x1000 / 8 : reg::kSize / 8);
    if (values.contains(at)) continue;
    check(engine.access(random.chance(50), at, random.next(), 0xff).err,
          fmt::format("somebody lives at {:#x}", at));
  }
  // A function-level reset clears what software wrote.
  engine.host().config.flr = true;
  engine.step();
  engine.bench().until([&] { return !engine.top().busy_o; }, 1000, "the end of a function-level reset");
  engine.host().config.flr = false;
  engine.step();
  for (const auto& info : infos) {
    check(engine.read(info.base + info.offset) == info.reset,
          fmt::format("{} after a function-level reset", info.name));
  }
}

}  // namespace swai::dma_test
