// SPDX-License-Identifier: Apache-2.0
// A kernel that measures its memory manager when it has booted, also beside the C library's, and serves
// nobody.
#include <algorithm>
#include <array>
#include <cstddef>
#include <new>

#include "firmware/kernel/console.hpp"
#include "firmware/kernel/layout.hpp"
#include "firmware/kernel/processor.hpp"
#include "firmware/kernel/service.hpp"
#include "firmware/memory/memory.hpp"

// picolibc's.
extern "C" {
void* malloc(size_t bytes);
void free(void* memory);
void* sbrk(ptrdiff_t bytes);
// It clears what it gives out; ours does not, and that would take longer than all else.
void* clear_given(void* memory, int value, size_t bytes);
}

namespace swai::kernel::service {
namespace {

using Memory = memory::Memory<Processor>;

constexpr uint64_t kSegmentTable = mmu::kPrivate;
constexpr uint64_t kRecords = mmu::kPrivate + 0x10'0000;
constexpr uint64_t kPieces = mmu::kPrivate + 0xe0'0000;
constexpr uint8_t kContext = 1;
constexpr unsigned kRounds = 9;

constinit Processor processor;
// Where the kernel has it.
alignas(layout::kPageBytes) [[gnu::section(".cold_noinit")]] std::array<std::byte, sizeof(Memory)> storage;

template <typename Action>
uint64_t cycles_of(Action action) {
  const uint64_t before = Processor::cycles();
  action();
  return Processor::cycles() - before;
}

// Rounds as a program has them: some pieces, which it gives back in another order; one stays, so that the
// pool does. The first round finds everything cold. One line of the log: median and maximum of both.
void measure(Memory& memory, uint64_t bytes) {
  constexpr unsigned kPieces = 4;
  std::array<uint64_t, kRounds* kPieces> taken = {};
  std::array<uint64_t, kRounds* kPieces> given = {};
  std::array<uint64_t, kPieces> pointers = {};
  const auto allocate = [&] {
    return memory.allocate(bytes, memory::Usage::kCpe, 0, kContext).range.pointer;
  };
  const uint64_t stays = allocate();
  unsigned at = 0;
  for (unsigned round = 0; round < kRounds; ++round, at += kPieces) {
    for (unsigned i = 0; i < kPieces; ++i) taken[at + i] = cycles_of([&] { pointers[i] = allocate(); });
    for (const unsigned i : {1, 3, 0, 2})
      given[at + i] = cycles_of([&] { memory.free(pointers[i], kContext); });
  }
  memory.free(stays, kContext);
  std::ranges::sort(taken);
  std::ranges::sort(given);
  console::print("bytes ", bytes, " alloc ", taken[taken.size() / 2], " ", taken.back(), " free ",
                 given[given.size() / 2], " ", given.back(), '\n');
}

// --- The C library's beside it. Each has half of the memory.

constexpr uint64_t kHalf = uint64_t{8} << 30;
constinit uint64_t heap_end = 0;  // of what the C library has asked for
// What it keeps for each thread.
alignas(16) constinit std::array<std::byte, 64> thread_data = {};

struct Ours {
  Memory& memory;
  uint64_t allocate(uint64_t bytes) const {
    return memory.allocate(bytes, memory::Usage::kCpe, 0, kContext).range.pointer;
  }
  void give_back(uint64_t pointer) const { memory.free(pointer, kContext); }
};
struct Libc {
  static uint64_t allocate(uint64_t bytes) { return reinterpret_cast<uint64_t>(malloc(bytes)); }
  static void give_back(uint64_t pointer) { free(reinterpret_cast<void*>(pointer)); }
};

// Leaves what a program has that has run for a while: 64 pieces of many sizes that stay, with 64 holes
// between.
template <typename Allocator>
void use(const Allocator& allocator) {
  constexpr unsigned kPieces = 128;
  std::array<uint64_t, kPieces> pieces = {};
  uint64_t random = 1;
  for (uint64_t& piece : pieces) {
    random = random * 6364136223846793005 + 1442695040888963407;
    piece = allocator.allocate(uint64_t{64} << (random >> 60) % 12);
  }
  for (unsigned i = 0; i < kPieces; i += 2) allocator.give_back(pieces[i]);
}

// A hundred allocations of one size, each given back later: the mean of the allocations, as the sources have
// it.
template <typename Allocator>
uint64_t mean(const Allocator& allocator, uint64_t bytes) {
  constexpr unsigned kTimes = 100;
  constexpr unsigned kTogether = 4;
  std::array<uint64_t, kTogether> pointers = {};
  uint64_t sum = 0;
  for (unsigned i = 0; i < kTimes; ++i) {
    uint64_t& pointer = pointers[i % kTogether];
    if (pointer != 0) allocator.give_back(pointer);
    sum += cycles_of([&] { pointer = allocator.allocate(bytes); });
    if (pointer == 0) console::print("no memory\n");
  }
  for (const uint64_t pointer : pointers) allocator.give_back(pointer);
  return sum / kTimes;
}

void compare(Memory& memory, const char* heap) {
  constexpr uint64_t kMib = 1 << 20;
  for (const uint64_t bytes :
       {uint64_t{1} << 10, uint64_t{16} << 10, kMib / 4, 4 * kMib, 8 * kMib, 64 * kMib, 1024 * kMib}) {
    const uint64_t ours = mean(Ours{memory}, bytes);
    console::print(heap, " heap, bytes ", bytes, " ours ", ours, " libc ", mean(Libc{}, bytes), '\n');
  }
}

}  // namespace

bool init() {
  // The ROM armed it; this takes longer than booting.
  fw::write_reg(regs::system::watchdog_control::kAddr, 0);
  mmu::init_device_memory(1);
  Processor::zero(kSegmentTable, memory::kSegments * sizeof(uint64_t));
  Processor::publish(kSegmentTable, memory::kSegments * sizeof(uint64_t));
  auto& memory = *new (storage.data()) Memory(processor);
  memory::Plan plan;
  plan.areas[0] = {mmu::kPrivate + mmu::kPrivateBytes, (uint64_t{16} << 30) - mmu::kPrivateBytes};
  plan.segment_table = kSegmentTable;
  plan.first_segment = 32;
  plan.records = kRecords;
  plan.pieces = kPieces;
  memory.init(plan);
  for (uint64_t bytes = 64; bytes <= 64 << 10; bytes *= 4) measure(memory, bytes);
  for (uint64_t bytes = 4 << 20; bytes <= 1 << 30; bytes *= 4) measure(memory, bytes);

  plan.areas[0].bytes = kHalf - mmu::kPrivateBytes;
  memory.init(plan);
  mmu::map(mmu::kPrivate + kHalf, kHalf);
  heap_end = mmu::virtual_of(mmu::kPrivate + kHalf);
  asm volatile("mv tp, %0" ::"r"(thread_data.data()));
  compare(memory, "fresh");
  use(Ours{memory});
  use(Libc{});
  compare(memory, "used");
  return false;
}
void serve() { csr::wait_for_interrupt(); }

}  // namespace swai::kernel::service

void* clear_given(void* memory, int, size_t) { return memory; }
void* sbrk(ptrdiff_t bytes) {
  namespace service = swai::kernel::service;
  namespace mmu = swai::kernel::mmu;
  const uint64_t begin = service::heap_end;
  const uint64_t end = mmu::virtual_of(mmu::kPrivate) + 2 * service::kHalf;
  if (bytes > 0 && static_cast<uint64_t>(bytes) > end - begin) return reinterpret_cast<void*>(-1);
  service::heap_end += static_cast<uint64_t>(bytes);
  return reinterpret_cast<void*>(begin);
}
