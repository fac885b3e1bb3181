// SPDX-License-Identifier: Apache-2.0
// The core groups of the card with four of them, together: memory of other groups, doorbells and
// invalidations for several at once, a reset of one beside the others.

#include <doctest/doctest.h>

#include <array>
#include <memory>

#include "abi/kernel_arguments.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/system/group_rig.hpp"
#include "verif/system/rig.hpp"
#include "verif/system/traffic.hpp"

namespace swai::system {
namespace {

using cpe::GlobalPtr;

constexpr unsigned kGroups = 4;
// Writes to several groups: the set's bits take the place of the group's number.
constexpr uint64_t kSets = 0x12'0000'0000;

uint64_t register_of(uint64_t set, uint64_t offset) { return kSets + set * regs::cg::kSize + offset; }

}  // namespace

TEST_CASE("launch on four groups") {
  const Rig rig({.program = "build/swai-card-full"});
  const auto card = rig.open();
  MpeProxy mpe(*card);
  verif::Random random(test_seed());
  std::array<std::unique_ptr<GroupRig>, kGroups> groups;
  for (unsigned g = 0; g < kGroups; ++g) {
    groups[g] = std::make_unique<GroupRig>(mpe, g);
    CHECK(groups[g]->driver().cpes() == 32);
    // Each sees the data of all, in segments from kFreeSegment on.
    for (unsigned other = 0; other < kGroups; ++other) {
      groups[g]->segment(static_cast<uint16_t>(GroupRig::kFreeSegment + other),
                         {regs::kHbmRegion.base + other * kGroupBytes + 0x1000'0000, GroupRig::kDataBytes,
                          segment::kRead | segment::kWrite});
    }
  }
  const auto segment_of = [](unsigned group) {
    return static_cast<uint16_t>(GroupRig::kFreeSegment + group);
  };

  SUBCASE("memory of other groups, all at once") {
    for (int round = 0; round < 2; ++round) {
      constexpr uint64_t kTo = 1 << 20;
      std::array<std::vector<uint8_t>, kGroups> bytes;
      std::array<uint64_t, kGroups> from{}, to{};
      std::array<uint32_t, kGroups> numbers{};
      // Group g copies from g + 1 to g + 2 (round 0), or from g + 3 to itself.
      const unsigned source = round == 0 ? 1 : 3, target = round == 0 ? 2 : 0;
      for (unsigned g = 0; g < kGroups; ++g) {
        bytes[g] = random_bytes(random, 10'000 + random.below(50'000));
        from[g] = random.below(5000);
        to[g] = kTo + random.below(5000);
        mpe.copy(groups[(g + source) % kGroups]->data() + from[g], bytes[g]);
      }
      for (unsigned g = 0; g < kGroups; ++g) {
        numbers[g] = groups[g]->launch(
            "copy", cpe::CopyArgs{GlobalPtr<void>(segment_of((g + target) % kGroups), to[g]),
                                  GlobalPtr<const void>(segment_of((g + source) % kGroups), from[g]),
                                  static_cast<uint32_t>(bytes[g].size()), 0});
      }
      for (unsigned g = 0; g < kGroups; ++g) {
        groups[g]->check_good(numbers[g]);
        CHECK(holds(mpe, groups[(g + target) % kGroups]->data() + to[g], bytes[g]));
      }
    }
  }

  SUBCASE("memory of another group is farther away, by hops of the ring") {
    const auto cycles = [&](unsigned memory) {
      uint32_t number = 0;
      // Code and memory are awake the second time.
      for (int i = 0; i < 2; ++i) {
        number = groups[0]->launch(
            "copy", cpe::CopyArgs{GlobalPtr<void>(segment_of(memory), 1 << 20),
                                  GlobalPtr<const void>(segment_of(memory), 0), uint32_t{4096}, 0});
        groups[0]->check_good(number);
      }
      return groups[0]->driver().result(number).cycles;
    };
    const uint32_t own = cycles(0), next = cycles(1), farthest = cycles(3);
    MESSAGE("4 KiB of the group's own memory: ", own, ", of the next one's: ", next,
            ", of one three hops away: ", farthest);
    CHECK(own < next);
    CHECK(next <= farthest);
  }

  SUBCASE("one doorbell, one invalidation for several groups") {
    // The same setup and pc in each.
    for (auto& group : groups) group->check_good(group->launch("empty"));
    std::array<uint32_t, kGroups> ended{};
    ended.fill(1);
    const uint64_t word = regs::cg::doorbell::kPc.put(groups[0]->pc("empty"));
    for (const uint64_t set : {15u, 6u, 9u, 1u, 14u}) {
      mpe.write(register_of(set, regs::cg::doorbell::kOffset), word);
      for (unsigned g = 0; g < kGroups; ++g) {
        ended[g] += static_cast<uint32_t>(set >> g & 1);
        CHECK(groups[g]->driver().wait([&] { return groups[g]->driver().last_done().sequence == ended[g]; },
                                       GroupRig::kLimit));
        CHECK_FALSE(groups[g]->driver().last_done().failed);
      }
    }
    // A segment moves in all groups; groups 1 and 2 are told. 0 and 3 go on using what they know.
    constexpr uint16_t kMoves = GroupRig::kFreeSegment + kGroups;
    const auto at = [&](unsigned g, unsigned where) { return groups[g]->data() + (1 + where) * (1 << 20); };
    const auto entry = [&](unsigned g, unsigned where) {
      return segment::Entry{at(g, where), segment::kGranuleBytes, segment::kRead | segment::kWrite};
    };
    const auto fill = [&](unsigned g, uint32_t value) {
      groups[g]->recount();
      groups[g]->run("fill", cpe::MemsetArgs{GlobalPtr<void>(kMoves, 0), 4096, value});
    };
    for (unsigned g = 0; g < kGroups; ++g) {
      mpe.zero(at(g, 0), 4096);
      mpe.zero(at(g, 1), 4096);
      groups[g]->segment(kMoves, entry(g, 0));
      fill(g, 0x11);
    }
    for (unsigned g = 0; g < kGroups; ++g) groups[g]->driver().set_segment(kMoves, entry(g, 1));
    mpe.write(register_of(6, regs::cg::invalidate::kOffset), regs::cg::invalidate::kDslb.mask());
    for (unsigned g = 0; g < kGroups; ++g) {
      fill(g, 0x22);
      const bool moved = g == 1 || g == 2;
      CAPTURE(g);
      CHECK(holds(mpe, at(g, 0), std::vector<uint8_t>(4096, moved ? 0x11 : 0x22)));
      CHECK(holds(mpe, at(g, 1), std::vector<uint8_t>(4096, moved ? 0x22 : 0)));
    }
  }

  SUBCASE("one group is reset, the others and the host go on") {
    Traffic traffic(*card, test_seed(), groups[3]->memory() + (uint64_t{1} << 30));
    const auto stream = [&](unsigned g, unsigned memory, uint32_t rounds) {
      return groups[g]->launch("stream", cpe::StreamArgs{GlobalPtr<void>(segment_of(memory), 8 << 20), 0x4000,
                                                         1024, g & 1, rounds});
    };
    for (int round = 0; round < 3; ++round) {
      // Group 0 is working in its own memory and in that of group 1, which works in its own; 2 works in 3.
      const unsigned memory = round == 1 ? 1 : 0;
      stream(0, memory, 1'000'000);
      const uint32_t one = stream(1, 1, 4);
      const uint32_t two = stream(2, 3, 4);
      traffic.send();
      traffic.dma.start();
      card->run_until(0, traffic.random.below(3000));
      card->post<uint64_t>(kRegisterBar, register_at(regs::pcie::reset_request::kAddr),
                           regs::pcie::reset_request::kKey.put(regs::pcie::reset_request::kKeyGo) |
                               regs::pcie::reset_request::kGroups.put(1));
      traffic.dma.finish();
      traffic.fetch();
      traffic.dma.finish();
      traffic.check();
      groups[1]->check_good(one);
      groups[2]->check_good(two);
      CHECK(card->read<uint64_t>(kRegisterBar, register_at(regs::pcie::reset_status::kAddr)) == 0);
      CHECK(regs::cg::launch_status::kRunning.get(groups[0]->driver().status()) == 0);
      groups[0]->start();
      for (unsigned other = 0; other < kGroups; ++other) {
        groups[0]->segment(segment_of(other), {regs::kHbmRegion.base + other * kGroupBytes + 0x1000'0000,
                                               GroupRig::kDataBytes, segment::kRead | segment::kWrite});
      }
      for (auto& group : groups) group->prove(random);
    }
  }
}

}  // namespace swai::system
