// SPDX-License-Identifier: Apache-2.0
// The table of mappings alone.
#include "sim/board/rootport/iommu.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sim/common/random.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::rootport;

namespace {

using State = Iommu::Transfer::State;
constexpr Permissions kBoth{};

State access(Iommu& iommu, Access what, uint64_t iova, std::span<uint8_t> buffer) {
  Iommu::Transfer transfer;
  transfer.begin(iommu, 7, what, iova, buffer);
  return transfer.state();
}

// Memory that answers when it is told to.
class LateMemory final : public RemoteMemory {
 public:
  void read(uint64_t iova, std::span<uint8_t> into, Done done) override {
    for (uint8_t& byte : into) byte = static_cast<uint8_t>(iova++);
    pending.push_back(std::move(done));
  }
  void write(uint64_t, std::span<const uint8_t> from, Done done) override {
    written.assign(from.begin(), from.end());
    pending.push_back(std::move(done));
  }
  std::vector<Done> pending;
  std::vector<uint8_t> written;
};

}  // namespace

TEST_CASE("maps and unmaps") {
  Iommu iommu;
  std::vector<uint8_t> memory(4096);
  uint8_t* host = memory.data();
  CHECK(iommu.map(0x1000, 0, host, kBoth) == MapResult::kEmpty);
  CHECK(iommu.map(UINT64_MAX - 10, 12, host, kBoth) == MapResult::kWrap);
  CHECK(iommu.map(UINT64_MAX - 10, 11, host, kBoth) == MapResult::kOk);
  CHECK(iommu.map(UINT64_MAX, 1, host, kBoth) == MapResult::kOverlap);
  CHECK(iommu.map(0x1000, 0x1000, host, kBoth) == MapResult::kOk);
  for (const auto& [iova, length] :
       {std::pair{0x1000, 0x1000}, {0xFFF, 2}, {0x1FFF, 1}, {0x1800, 4}, {0, 0x10000}}) {
    CHECK(iommu.map(iova, length, host, kBoth) == MapResult::kOverlap);
  }
  CHECK(iommu.map(0x2000, 0x1000, host, kBoth) == MapResult::kOk);
  CHECK(iommu.map(0x0, 0x1000, host, kBoth) == MapResult::kOk);
  CHECK(iommu.mappings() == 4);
  CHECK(iommu.unmap(0x1000, 0) == MapResult::kEmpty);
  CHECK(iommu.unmap(0x1000, UINT64_MAX) == MapResult::kWrap);
  CHECK(iommu.unmap(0x4000, 0x1000) == MapResult::kNothing);
  CHECK(iommu.unmap(0x1001, 0x1FFF) == MapResult::kPartial);
  CHECK(iommu.unmap(0x1000, 0x1FFF) == MapResult::kPartial);
  CHECK(iommu.mappings() == 4);
  CHECK(iommu.unmap(0x800, 0x100) == MapResult::kPartial);
  CHECK(iommu.unmap(0x1000, 0x5000) == MapResult::kOk);
  CHECK(iommu.mappings() == 2);
  iommu.unmap_all();
  CHECK(iommu.mappings() == 0);
  CHECK(iommu.map(0, UINT64_MAX, host, kBoth) == MapResult::kOk);
}

TEST_CASE("accesses cross mappings; all or nothing; faults are logged") {
  Iommu iommu(3);
  std::vector<uint8_t> low(256, 1);
  std::vector<uint8_t> high(256, 2);
  std::vector<uint8_t> buffer(128, 9);
  REQUIRE(iommu.map(0x1000, 256, low.data(), kBoth) == MapResult::kOk);
  REQUIRE(iommu.map(0x1100, 256, high.data(), {.read = true, .write = false}) == MapResult::kOk);
  CHECK(access(iommu, Access::kRead, 0x10C0, buffer) == State::kDone);
  CHECK(std::count(buffer.begin(), buffer.end(), 1) == 64);
  CHECK(std::count(buffer.begin(), buffer.end(), 2) == 64);
  std::fill(buffer.begin(), buffer.end(), uint8_t{7});
  CHECK(access(iommu, Access::kWrite, 0x10C0, buffer) == State::kFault);
  CHECK(std::count(low.begin(), low.end(), 1) == 256);
  CHECK(access(iommu, Access::kRead, 0x11FF, buffer) == State::kFault);
  CHECK(access(iommu, Access::kRead, 0xFFF, buffer) == State::kFault);
  CHECK(access(iommu, Access::kWrite, 0x1080, buffer) == State::kDone);
  CHECK(std::count(low.begin(), low.end(), 7) == 128);
  REQUIRE(iommu.fault_count() == 3);
  using Reason = IommuFault::Reason;
  CHECK(iommu.faults()[0] == IommuFault{7, 3, Access::kWrite, 0x1100, Reason::kPermission});
  CHECK(iommu.faults()[1] == IommuFault{7, 3, Access::kRead, 0x1200, Reason::kUnmapped});
  CHECK(iommu.faults()[2] == IommuFault{7, 3, Access::kRead, 0xFFF, Reason::kUnmapped});
  for (int i = 0; i < 1000; ++i) access(iommu, Access::kRead, 0x5000 + static_cast<uint64_t>(i), buffer);
  CHECK(iommu.fault_count() == 1003);
  CHECK(iommu.faults().size() == Iommu::kLogged);
  CHECK(iommu.faults().back().address == 0x5000 + 999);
  iommu.clear_faults();
  CHECK(iommu.faults().empty());
}

TEST_CASE("remote memory answers when it likes") {
  Iommu iommu;
  LateMemory remote;
  std::vector<uint8_t> near(256, 5);
  std::vector<uint8_t> buffer(64);
  REQUIRE(iommu.map(0x1000, 0x100, remote, kBoth) == MapResult::kOk);
  REQUIRE(iommu.map(0x1100, 0x100, near.data(), kBoth) == MapResult::kOk);
  Iommu::Transfer transfer;
  SUBCASE("and is believed") {
    transfer.begin(iommu, 1, Access::kRead, 0x10E0, buffer);
    CHECK(transfer.state() == State::kWaiting);
    CHECK(transfer.waiting());
    remote.pending.at(0)(true);
    CHECK_FALSE(transfer.waiting());
    CHECK(transfer.state() == State::kDone);
    CHECK(buffer[31] == 0xFF);
    CHECK(buffer[32] == 5);
    transfer.begin(iommu, 1, Access::kWrite, 0x10E0, buffer);
    CHECK(transfer.state() == State::kWaiting);
    CHECK(remote.written.size() == 32);
    remote.pending.at(1)(true);
    CHECK(transfer.state() == State::kDone);
  }
  SUBCASE("also when it refuses") {
    transfer.begin(iommu, 1, Access::kRead, 0x1000, buffer);
    remote.pending.at(0)(false);
    CHECK(transfer.state() == State::kFault);
    CHECK(iommu.faults().back().reason == IommuFault::Reason::kRefused);
  }
  SUBCASE("unless it is gone") {
    transfer.begin(iommu, 1, Access::kRead, 0x1000, buffer);
    SUBCASE("by one unmap") { CHECK(iommu.unmap(0x1000, 0x100) == MapResult::kOk); }
    SUBCASE("by all") { iommu.unmap_all(); }
    CHECK_FALSE(transfer.waiting());
    CHECK(transfer.state() == State::kFault);
    CHECK(iommu.faults().back().reason == IommuFault::Reason::kUnmapped);
    remote.pending.at(0)(true);  // too late, and harmless
    CHECK(buffer[1] == 0);
  }
  SUBCASE("unless nobody waits") {
    transfer.begin(iommu, 1, Access::kRead, 0x1000, buffer);
    transfer.cancel();
    remote.pending.at(0)(true);
    CHECK(transfer.state() == State::kIdle);
    CHECK(iommu.fault_count() == 0);
  }
  SUBCASE("and what lies behind it may have gone meanwhile") {
    transfer.begin(iommu, 1, Access::kRead, 0x10E0, buffer);
    CHECK(iommu.unmap(0x1100, 0x100) == MapResult::kOk);
    remote.pending.at(0)(true);
    CHECK(transfer.state() == State::kFault);
    CHECK(iommu.faults().back().address == 0x1100);
  }
}

TEST_CASE("random maps, unmaps and reads against an array of bytes") {
  verif::Random random(test_seed());
  Iommu iommu;
  constexpr uint64_t kSpan = 2048;
  std::vector<uint8_t> memory(kSpan);
  for (uint8_t& byte : memory) byte = static_cast<uint8_t>(random.next());
  const uint64_t base = test_seed() % 2 == 0 ? 0x10000 : UINT64_MAX - kSpan + 1;
  std::map<uint64_t, uint64_t> mapped;  // offset to length
  const auto covered = [&](uint64_t at) {
    return std::any_of(mapped.begin(), mapped.end(),
                       [&](const auto& m) { return at >= m.first && at - m.first < m.second; });
  };
  std::vector<uint8_t> buffer;
  for (int i = 0; i < 20000; ++i) {
    const uint64_t at = random.below(kSpan);
    const uint64_t length = 1 + random.below(std::min<uint64_t>(kSpan - at, 100));
    bool any = false;
    bool all = true;
    for (uint64_t k = 0; k < length; ++k) {
      any |= covered(at + k);
      all &= covered(at + k);
    }
    REQUIRE(iommu.touches(base + at, length) == any);
    switch (random.below(4)) {
      case 0: {
        const MapResult result = iommu.map(base + at, length, memory.data() + at, kBoth);
        REQUIRE(result == (any ? MapResult::kOverlap : MapResult::kOk));
        if (!any) mapped[at] = length;
        break;
      }
      case 1: {
        bool partial = false;
        std::vector<uint64_t> inside;
        for (const auto& [start, size] : mapped) {
          const bool overlap = start < at + length && at < start + size;
          const bool whole = start >= at && start + size <= at + length;
          partial |= overlap && !whole;
          if (whole) inside.push_back(start);
        }
        const MapResult want = partial          ? MapResult::kPartial
                               : inside.empty() ? MapResult::kNothing
                                                : MapResult::kOk;
        REQUIRE(iommu.unmap(base + at, length) == want);
        if (!partial) {
          for (const uint64_t start : inside) mapped.erase(start);
        }
        break;
      }
      default:
        buffer.assign(length, 0);
        REQUIRE(access(iommu, Access::kRead, base + at, buffer) == (all ? State::kDone : State::kFault));
        if (all) REQUIRE(std::equal(buffer.begin(), buffer.end(), memory.begin() + static_cast<long>(at)));
    }
  }
}
