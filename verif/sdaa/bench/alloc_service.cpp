// A kernel that measures its memory manager when it has booted, and serves nobody.
#include <algorithm>
#include <array>
#include <new>

#include "firmware/kernel/layout.hpp"
#include "firmware/kernel/log.hpp"
#include "firmware/kernel/processor.hpp"
#include "firmware/kernel/service.hpp"
#include "firmware/memory/memory.hpp"

namespace swai::kernel::service {
namespace {

using Memory = memory::Memory<Processor>;

constexpr uint64_t kSegmentTable = mmu::kPrivate;
constexpr uint64_t kRecords = mmu::kPrivate + 0x10'0000;
constexpr uint8_t kContext = 1;
constexpr unsigned kRounds = 9;

constinit Processor processor;
alignas(layout::kPageBytes) constinit std::array<std::byte, sizeof(Memory)> storage = {};

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
  log::write("bytes ", bytes, " alloc ", taken[taken.size() / 2], " ", taken.back(), " free ",
             given[given.size() / 2], " ", given.back());
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
  memory.init(plan);
  for (uint64_t bytes = 64; bytes <= 64 << 10; bytes *= 4) measure(memory, bytes);
  for (uint64_t bytes = 4 << 20; bytes <= 1 << 30; bytes *= 4) measure(memory, bytes);
  return false;
}
void serve() { csr::wait_for_interrupt(); }

}  // namespace swai::kernel::service
