// SPDX-License-Identifier: Apache-2.0
// The card with four core groups: memory of each group, from the host and by DMA.

#include <doctest/doctest.h>

#include <vector>

#include "sim/common/random.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/system/rig.hpp"
#include "verif/system/traffic.hpp"

namespace swai::system {
namespace {

constexpr uint64_t kGroupBytes = uint64_t{16} << 30;
constexpr unsigned kGroups = 4;

TEST_CASE("four groups") {
  const Rig rig({.program = "build/swai-card-full"});
  const auto card = rig.open();
  CHECK(card->describe().configuration == "full");
  const auto info = card->read<uint64_t>(kRegisterBar, register_at(regs::pcie::card::kAddr));
  CHECK(regs::pcie::card::kGroups.get(info) == kGroups);
  verif::Random random(test_seed());
  std::vector<std::vector<uint8_t>> sent;
  for (unsigned g = 0; g < kGroups; ++g) {
    auto& bytes = sent.emplace_back(5000);
    for (auto& byte : bytes) byte = static_cast<uint8_t>(random.next());
    card->post_block(kMemoryBar, (g + 1) * kGroupBytes - 9000, bytes);
  }
  for (unsigned g = 0; g < kGroups; ++g) {
    std::vector<uint8_t> got(sent[g].size());
    card->read_block(kMemoryBar, (g + 1) * kGroupBytes - 9000, got);
    CHECK(got == sent[g]);
    Traffic(*card, test_seed() + g, regs::kHbmRegion.base + g * kGroupBytes + (1 << 20)).prove();
  }
}

}  // namespace
}  // namespace swai::system
