// SPDX-License-Identifier: Apache-2.0
// The page tables of a generated program: well-behaved windows, pages that become valid on demand, and a zoo
// of entries that fault or translate oddly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verif/sim/iss/random/layout.hpp"
#include "verif/sim/iss/random/rng.hpp"

namespace swai::random_program {

// A strange mapping: `bytes` from virtual address `base`. Loads and stores at the offsets from `data_begin`
// to `data_end` are harmless whatever the entry allows.
struct ZooPage {
  uint64_t base;
  uint64_t data_begin;
  uint64_t data_end;
  bool fetch_faults_s;  // jumping there faults in supervisor mode
  bool fetch_faults_u;
};

class PageTables {
 public:
  // `strict` leaves out what QEMU treats differently.
  PageTables(Rng& rng, bool strict, bool uncached);

  // Writes the tables into the image.
  void write(std::span<uint8_t> image) const;
  const std::vector<ZooPage>& zoo() const { return zoo_; }

  // The entry of a page on demand once it is good, and a bad version of it.
  static uint64_t good_demand_entry(bool user, uint64_t offset);
  uint64_t bad_demand_entry(Rng& rng, bool user, uint64_t offset) const;

 private:
  uint64_t& entry(Table table, unsigned index) { return tables_[table * 512 + index]; }
  void make_windows(Rng& rng);
  void make_demand_pages(Rng& rng);
  void make_zoo_pages(Rng& rng);
  void make_zoo_superpages(Rng& rng);
  uint64_t random_bad_entry(Rng& rng, unsigned level);
  void add_zoo(uint64_t offset_in_windows, uint64_t pte, uint64_t data_begin, uint64_t data_end);

  bool strict_;
  bool uncached_;
  std::vector<uint64_t> tables_;
  std::vector<ZooPage> zoo_;
};

}  // namespace swai::random_program
