// SPDX-License-Identifier: Apache-2.0
#include "verif/sim/iss/random/page_tables.hpp"

#include <cstring>

namespace swai::random_program {
namespace {

constexpr uint64_t kVacant = 0x1'0000'0000;      // nothing there, in our memory map and in QEMU's
constexpr uint64_t kBeyond = uint64_t{1} << 40;  // above our physical addresses
constexpr uint64_t kDevice = 0x1000'0000;        // IO
constexpr uint64_t kReservedBits = uint64_t{0x7F} << 54;

// Whether a fetch from a page with this leaf entry faults.
bool fetch_faults(uint64_t entry, bool user) {
  using namespace pte;
  if ((entry & kV) == 0 || (entry & kX) == 0 || (entry & kA) == 0) return true;
  return ((entry & kU) != 0) != user;
}

}  // namespace

uint64_t PageTables::good_demand_entry(bool user, uint64_t offset) {
  return pte::make(kBase + offset / kPage * kPage, pte::kLeaf | (user ? pte::kU : 0));
}

uint64_t PageTables::bad_demand_entry(Rng& rng, bool user, uint64_t offset) const {
  using namespace pte;
  const uint64_t good = good_demand_entry(user, offset);
  switch (rng.below(strict_ ? 4 : 8)) {
    case 0:
      return good & ~kV;
    case 1:
      return good & ~kX;
    case 2:
      return good & ~kW;
    case 3:
      return good & ~(kR | kW);
    case 4:
      return good & ~kA;
    case 5:
      return good & ~kD;
    case 6:
      return good & ~(kA | kD);
    default:
      return rng.chance(50) ? good | (uint64_t{1} << rng.between(54, 60)) : good | kPbmtReserved;
  }
}

PageTables::PageTables(Rng& rng, bool strict, bool uncached)
    : strict_(strict), uncached_(uncached), tables_(kTableCount * 512) {
  make_windows(rng);
  make_demand_pages(rng);
  make_zoo_pages(rng);
  make_zoo_superpages(rng);
}

void PageTables::make_windows(Rng& rng) {
  using namespace pte;
  const uint64_t nc = uncached_ ? kNc : 0;
  const uint64_t io = uncached_ ? kIo : 0;
  const uint64_t global = rng.chance(50) ? kG : 0;
  for (const Table root : {kRoot0, kRoot1}) {
    entry(root, 0) = make(table_address(kDevices), kV);
    entry(root, 5) = entry(root, 256) = entry(root, 511) = make(table_address(kWindows), kV);
    entry(root, 6) = make(kBase, kLeaf | kU);
    entry(root, 7) = make(kBase, kLeaf | nc);
    entry(root, 14) = make(kBase, kLeaf | kU | nc);
  }
  entry(kRoot0, 2) = make(kBase, kLeaf | global);
  entry(kRoot1, 2) = make(table_address(kIdentity), kV | global);
  for (unsigned i = 0; i < 512; ++i) entry(kIdentity, i) = make(kBase + i * kMib2, kLeaf | global);
  entry(kDevices, 16) = make(0x0200'0000, kV | kR | kW | kA | kD);
  entry(kDevices, 128) = make(0x1000'0000, kV | kR | kW | kA | kD);
  constexpr std::array<Table, 2> kDemand = {kDemandS, kDemandU};
  for (unsigned user = 0; user < 2; ++user) {
    const uint64_t flags = kLeaf | (user != 0 ? kU : 0) | global;
    entry(kWindows, 0 + user) = make(kBase, flags);
    entry(kWindows, kDemandIndex + user) = make(table_address(kDemand[user]), kV);
    entry(kWindows, 4 + user) = make(kBase, flags | nc);
    entry(kWindows, 6 + user) = make(kBase, flags | io);
  }
}

void PageTables::make_demand_pages(Rng& rng) {
  const auto bad_percent = static_cast<unsigned>(rng.pick({10, 40, 80}));
  for (unsigned user = 0; user < 2; ++user) {
    for (unsigned i = 0; i < 512; ++i) {
      const bool bad = rng.chance(bad_percent);
      entry(user != 0 ? kDemandU : kDemandS, i) =
          bad ? bad_demand_entry(rng, user != 0, i * kPage) : good_demand_entry(user != 0, i * kPage);
    }
  }
}

void PageTables::add_zoo(uint64_t offset_in_windows, uint64_t entry, uint64_t data_begin, uint64_t data_end) {
  for (const uint64_t base : {kWindowsLow, kWindowsHigh}) {
    zoo_.push_back({base + offset_in_windows, data_begin, data_end, fetch_faults(entry, false),
                    fetch_faults(entry, true)});
  }
}

// An entry that always faults.
uint64_t PageTables::random_bad_entry(Rng& rng, unsigned level) {
  using namespace pte;
  const uint64_t user = rng.chance(50) ? kU : 0;
  const uint64_t leaf = make(kBase, kLeaf | user);
  const uint64_t pointer = make(table_address(kZoo0), kV);
  switch (rng.below(strict_ ? 6 : 13)) {
    case 0:
      return rng.next() & ~kV;
    case 1:
      return leaf & ~kR;  // writable, not readable
    case 2:
      return level == 0 ? pointer
                        : make(kBase + kPage * (1 + rng.below(level == 1 ? 511 : 262143)), kLeaf | user);
    case 3:
      return leaf | (uint64_t{1} << rng.between(54, 60));
    case 4:
      return pointer | rng.pick({kA, kD, kU, kA | kD, kA | kD | kU});
    case 5:
      return 0;
    case 6:
      return leaf | kN;
    case 7:
      return leaf & ~kA;
    case 8:
      return leaf | kPbmtReserved;
    case 9:
      return pointer | rng.pick({kNc, kIo, kN, kReservedBits});
    case 10:
      return level == 0 ? pointer : make(rng.pick({kVacant, kDevice, kBeyond, kBeyond | kBase}), kV);
    case 11:
      return make(rng.pick({kBeyond, kBeyond * 2 + kBase / kGib * kGib}), kLeaf | user);
    default:
      return level == 2 ? leaf & ~kA : make(kVacant, kLeaf | user);
  }
}

void PageTables::make_zoo_pages(Rng& rng) {
  using namespace pte;
  constexpr std::array<Table, 2> kTables = {kZoo0, kZoo1};
  for (unsigned table = 0; table < 2; ++table) {
    for (unsigned i = 0; i < 512; ++i) {
      uint64_t& slot = entry(kTables[table], i);
      uint64_t begin = 0;
      if (rng.chance(25)) {
        slot = random_bad_entry(rng, 0);
      } else {
        uint64_t flags = kV | (rng.next() & (kR | kW | kX | kU | kG | uint64_t{3} << 8));
        flags |= strict_ ? kA | kD : rng.pick({kA | kD, kA | kD, kA | kD, kA, kD, uint64_t{0}});
        if ((flags & (kR | kX)) == 0) flags |= kR;
        slot = make(kBase + kPlayOffset + rng.below(kPlayBytes / kPage) * kPage, flags);
        if (uncached_ && rng.chance(10)) {
          slot = make(kBase + kUncachedOffset + rng.below(kUncachedBytes / kPage) * kPage, flags | kNc);
        }
      }
      add_zoo((kZooTableIndex + table) * kMib2 + i * kPage, slot, begin, kPage);
    }
  }
}

void PageTables::make_zoo_superpages(Rng& rng) {
  using namespace pte;
  for (unsigned i = kZooIndex; i < 64; ++i) {
    uint64_t& slot = entry(kWindows, i);
    if (rng.chance(60)) {
      slot = random_bad_entry(rng, 1);
    } else {
      uint64_t flags = kV | kR | (rng.next() & (kW | kX | kU | kG));
      flags |= strict_ ? kA | kD : rng.pick({kA | kD, kA | kD, kA, kD});
      slot = make(kBase, flags);
    }
    // The offsets at which a valid entry reaches the data that may be overwritten.
    add_zoo(i * kMib2, slot, kPlayOffset, kPlayOffset + kPlayBytes);
  }
  for (unsigned i = 8; i < 14; ++i) {
    const uint64_t bad = random_bad_entry(rng, 2);
    entry(kRoot0, i) = entry(kRoot1, i) = bad;
    zoo_.push_back({i * kGib, kPlayOffset, kPlayOffset + kPlayBytes, true, true});
  }
}

void PageTables::write(std::span<uint8_t> image) const {
  std::memcpy(image.data() + kTablesOffset, tables_.data(), tables_.size() * sizeof(uint64_t));
}

}  // namespace swai::random_program
