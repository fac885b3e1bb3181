// SPDX-License-Identifier: Apache-2.0
#include "firmware/kernel/mmu.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "abi/boot.hpp"
#include "firmware/common/csr.hpp"
#include "firmware/kernel/layout.hpp"

namespace swai::kernel::mmu {
namespace {

constexpr uint64_t kValid = 1 << 0;
constexpr uint64_t kRead = 1 << 1;
constexpr uint64_t kWrite = 1 << 2;
constexpr uint64_t kExecute = 1 << 3;
constexpr uint64_t kUser = 1 << 4;
// The hardware does not set these: a leaf must have them from the start.
constexpr uint64_t kAccessed = 1 << 6;
constexpr uint64_t kDirty = 1 << 7;
constexpr uint64_t kIoType = uint64_t{2} << 61;  // Svpbmt

constexpr uint64_t kText = kValid | kRead | kExecute | kAccessed;
constexpr uint64_t kData = kValid | kRead | kWrite | kAccessed | kDirty;
constexpr uint64_t kDevice = kData | kIoType;
constexpr uint64_t kUncached = kData | uint64_t{1} << 61;

constexpr uint64_t kSv39 = uint64_t{8} << 60;
constexpr unsigned kPageShift = 12;
constexpr uint64_t kMegaPageBytes = kPageBytes;
constexpr uint64_t kGigaPageBytes = uint64_t{1} << 30;
constexpr unsigned kGibsPerGroup = 16;

using Table = std::array<uint64_t, 512>;
static_assert(sizeof(Table) == layout::kPageBytes);

// The page tables: root, the gibibyte of the devices, the gibibyte of the SRAM, and the SRAM in small pages.
// Those of the device memory lie in the kernel's part of it. Two that enable() alone writes guard the stacks
// above them.
[[gnu::section(".noinit.pages"), gnu::aligned(layout::kPageBytes)]] Table root, sram_gib;
[[gnu::section(".noinit.trap_stack_guard"), gnu::aligned(layout::kPageBytes)]] Table device_gib;
[[gnu::section(".noinit.stack_guard"), gnu::aligned(layout::kPageBytes)]] Table sram_pages;
static_assert(kTables + 64 * sizeof(Table) == kPrivate + kPrivateBytes);

constexpr uint64_t entry(uint64_t address, uint64_t flags) { return address >> kPageShift << 10 | flags; }
uint64_t branch(const Table& table) { return entry(reinterpret_cast<uint64_t>(&table), kValid); }
// The index of an address into the table of a level (2 is the root).
constexpr uint64_t slot(uint64_t address, unsigned level) {
  return address >> (kPageShift + 9 * level) & 511;
}

void map_pages(uint64_t first, uint64_t end, uint64_t flags) {
  for (uint64_t page = first; page < end; page += layout::kPageBytes)
    sram_pages[slot(page, 0)] = entry(page, flags);
}

void map_device(uint64_t address) {
  device_gib[slot(address, 1)] = entry(address & ~(kMegaPageBytes - 1), kDevice);
}

// What lies on the ring, a gibibyte at a time.
void map_ring_device(uint64_t address) {
  root[slot(address, 2)] = entry(address & ~(kGigaPageBytes - 1), kDevice);
}

// The table of a gibibyte of device memory, counted over all groups.
Table& memory_table(uint64_t gib) {
  return *reinterpret_cast<Table*>(virtual_of(kTables + gib * sizeof(Table)));
}

uint64_t& leaf(uint64_t physical) {
  return memory_table((physical - kPrivate) / kGigaPageBytes)[slot(physical, 1)];
}

// Leaves of one gibibyte lie behind those of the one before.
void set_pages(uint64_t physical, uint64_t bytes, uint64_t flags) {
  uint64_t* to = &leaf(physical);
  for (uint64_t page = physical; page < physical + bytes; page += kMegaPageBytes)
    *to++ = flags == 0 ? 0 : entry(page, flags);
  csr::flush_tlb();
}

// --- Programs

// What the hardware finds of a program: its gibibyte of addresses in large pages, the first of which is cut
// into small ones, of which it has the notes and perhaps the cores' answers.
struct Space {
  Table pages;
  Table small;
  std::array<uint8_t, layout::kPageBytes> notes;
};
static_assert(kProgramPages + program::kPrograms * sizeof(Space) == kProgramPagesEnd);
static_assert(program::kPageBytes == kMegaPageBytes && program::kNotes % kGigaPageBytes == 0);
static_assert(program::kPages * kMegaPageBytes == kGigaPageBytes);

// How many pages each was shown, the notes' place among them; 0: there is no program, and its space is zeros.
// And whose space counts.
[[gnu::section(".cold_noinit")]] std::array<uint32_t, program::kPrograms> shown;
[[gnu::section(".cold_noinit")]] unsigned in_use;

constexpr uint64_t home_of(unsigned number) { return kProgramPages + number * sizeof(Space); }
Space& space_of(unsigned number) { return *reinterpret_cast<Space*>(virtual_of(home_of(number))); }

// Memory that changes its owner may be in the data cache as the former one has left it. Such lines leave when
// others take all places: twice as many as there are, none of which was there before.
[[gnu::cold, gnu::noinline]] void forget_data() {
  touched = false;
  const uint64_t end = boot::kMemoryBase + 2 * csr::kDataCacheBytes;
  csr::flush_cache(reinterpret_cast<const void*>(boot::kMemoryBase), 2 * csr::kDataCacheBytes);
  for (uint64_t line = boot::kMemoryBase; line < end; line += csr::kLineBytes)
    static_cast<void>(*reinterpret_cast<const volatile uint64_t*>(line));
}

// Pages that lose their owner.
void hide(uint64_t physical, uint64_t bytes) {
  for (unsigned number = 0; number < program::kPrograms; ++number) {
    for (unsigned page = 1; page < shown[number]; ++page) {
      uint64_t& leaf = space_of(number).pages[page];
      if ((leaf >> 10 << kPageShift) - physical >= bytes) continue;
      leaf = 0;
      touch();
    }
  }
}

// Maps the page if it is not mapped; then it is to be given back. No page: 0. What is gained takes no flush.
uint64_t borrow(uint64_t physical) {
  const uint64_t page = physical & ~(kMegaPageBytes - 1);
  if (leaf(page) != 0) return 0;
  leaf(page) = entry(page, kData);
  return page;
}
void give_back(uint64_t page) {
  if (page != 0) leaf(page) = 0;
}

}  // namespace

void enable() {
  static_assert(regs::kSramBytes <= kMegaPageBytes && boot::kMemoryBase % kMegaPageBytes == 0);
  // Those that start.S and kernel.ld know.
  static_assert(PRIVATE_BASE == kPrivate && PRIVATE_BYTES == kPrivateBytes && COLD_BYTES == kMegaPageBytes);
  static_assert(DENY0_BASE == regs::pcie::deny0_base::kAddr && DENY0_LIMIT == regs::pcie::deny0_limit::kAddr);
  static_assert(slot(regs::timer::kBase, 2) == slot(regs::uart::kBase, 2));
  Table& memory_gib = *reinterpret_cast<Table*>(kTables);  // where it is: nothing is translated yet
  for (Table* table : {&root, &device_gib, &sram_gib, &sram_pages, &memory_gib}) {
    std::memset(table, 0, sizeof(Table));
  }

  root[slot(regs::uart::kBase, 2)] = branch(device_gib);
  map_device(regs::timer::kBase);
  map_device(regs::uart::kBase);
  for (const uint64_t base :
       {regs::flash::kBase, regs::sha256::kBase, regs::irq::kBase, regs::system::kBase}) {
    map_device(base);
  }

  root[slot(boot::kMemoryBase, 2)] = branch(sram_gib);
  sram_gib[slot(boot::kMemoryBase, 1)] = branch(sram_pages);
  const uint64_t data = layout::address(layout::__data_start);
  map_pages(boot::kMemoryBase, data, kText);
  map_pages(data, boot::kMemoryEnd, kData);
  map_pages(layout::address(layout::__uncached_start), layout::address(layout::__uncached_end), kUncached);
  map_pages(layout::kHostWindow, layout::kHostWindowEnd, kUncached);
  for (const char* guard : {layout::__stack_guard, layout::__trap_stack_guard}) {
    sram_pages[slot(layout::address(guard), 0)] = 0;
  }

  map_ring_device(regs::pcie::kBase);
  map_ring_device(regs::cg::kBase);
  root[slot(virtual_of(kPrivate), 2)] = branch(memory_gib);
  for (uint64_t page = kPrivate; page < kPrivate + kPrivateBytes; page += kMegaPageBytes) {
    memory_gib[slot(page, 1)] = entry(page, kData);
  }
  // Cold code and data are in this part, too, and shown where calls from the SRAM reach them; nowhere else.
  for (const uint64_t page : {COLD_CODE_HOME, COLD_DATA_HOME}) memory_gib[slot(page, 1)] = 0;
  sram_gib[slot(COLD_CODE, 1)] = entry(COLD_CODE_HOME, kText);
  sram_gib[slot(COLD_DATA, 1)] = entry(COLD_DATA_HOME, kData);

  csr::write<csr::kSatp>(kSv39 | reinterpret_cast<uint64_t>(&root) >> kPageShift);
  csr::flush_tlb();
}

[[gnu::cold]] void init_device_memory(unsigned groups) {
  for (uint64_t gib = 1; gib < uint64_t{groups} * kGibsPerGroup; ++gib) {
    Table& table = memory_table(gib);
    std::memset(&table, 0, sizeof table);
    root[slot(virtual_of(kPrivate + gib * kGigaPageBytes), 2)] = entry(kTables + gib * sizeof(Table), kValid);
  }
  csr::flush_tlb();
  for (uint64_t line = virtual_of(kProgramPages); line < virtual_of(kProgramPagesEnd);
       line += csr::kLineBytes)
    csr::zero_line(reinterpret_cast<volatile void*>(line));
  shown.fill(0);
  in_use = program::kPrograms;
  csr::fence_i();
  touch();
  // Programs may write their cached lines back and make lines zero, and read the clocks.
  csr::write<csr::kSenvcfg>(csr::kEnvCacheClean | csr::kEnvInvalidateFlushes | csr::kEnvCacheZero);
  csr::write<csr::kScounteren>(~uint64_t{0});
}

// Who is shown these pages soon need not wait for what happens here.
void map(uint64_t physical, uint64_t bytes) {
  if (touched) forget_data();
  set_pages(physical, bytes, kData);
}
void unmap(uint64_t physical, uint64_t bytes) {
  hide(physical, bytes);
  set_pages(physical, bytes, 0);
}

void move(uint64_t to, uint64_t from, uint64_t bytes) {
  const uint64_t there = borrow(to);
  const uint64_t here = borrow(from);
  auto* target = reinterpret_cast<void*>(virtual_of(to));
  const auto* source = reinterpret_cast<const void*>(virtual_of(from));
  csr::flush_cache(source, bytes);
  std::memcpy(target, source, bytes);
  csr::flush_cache(target, bytes);
  csr::flush_cache(source, bytes);
  give_back(there);
  give_back(here);
  if ((there | here) != 0) csr::flush_tlb();
}

[[gnu::cold]] void begin_program(unsigned number) {
  Space& space = space_of(number);
  const uint64_t home = home_of(number);
  space.pages[0] = entry(home + offsetof(Space, small), kValid);
  space.small[0] = entry(home + offsetof(Space, notes), kValid | kUser | kRead | kAccessed);
  shown[number] = 1;
}

[[gnu::cold]] uint64_t show(unsigned number, uint64_t physical, unsigned pages, bool executable) {
  const uint64_t flags = kUser | (executable ? kText : kData);
  Space& space = space_of(number);
  unsigned& first = shown[number];
  const auto address_of = [](unsigned page) { return program::kNotes + page * kMegaPageBytes; };
  for (unsigned page = 1; page < first; ++page) {
    if (space.pages[page] != 0 && space.pages[page] >> 10 << kPageShift == physical) return address_of(page);
  }
  if (pages > program::kPages - first) return 0;
  for (unsigned i = 0; i < pages; ++i) space.pages[first + i] = entry(physical + i * kMegaPageBytes, flags);
  const unsigned page = first;
  first += pages;
  if (touched) forget_data();
  return address_of(page);
}

[[gnu::cold]] void show_answers(unsigned number, uint64_t physical) {
  space_of(number).small[slot(program::kAnswers, 0)] = entry(physical, kValid | kUser | kRead | kAccessed);
}

[[gnu::cold]] void end_program(unsigned number) {
  Space& space = space_of(number);
  std::fill_n(space.pages.begin(), std::exchange(shown[number], 0), 0);
  space.small[slot(program::kAnswers, 0)] = 0;
  touch();
  csr::flush_tlb();
  // What it wrote must not come to memory behind what the host puts there for another run, nor may code of
  // another one be taken for its own.
  csr::fence_i();
}

[[gnu::cold]] uint64_t notes_of(unsigned number) {
  return virtual_of(home_of(number) + offsetof(Space, notes));
}

[[gnu::cold]] void use_program(unsigned number) {
  if (in_use == number) return;
  in_use = number;
  root[slot(program::kNotes, 2)] = entry(home_of(number), kValid);
  csr::flush_tlb();
}

}  // namespace swai::kernel::mmu
