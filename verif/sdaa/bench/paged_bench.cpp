// An allocation of 1 GiB in the manner of GPUs, whose page tables the host fills over the link (formula 2 of
// the sources), beside sdaaMalloc, which needs one segment entry. The writes are real: posted, through BAR0,
// into memory of the card; a read of the last entry waits for all of them. Prints a flat JSON object: card
// cycles, which are nanoseconds, and how many times as long as sdaaMalloc that is. Arguments are handed to
// swai-card.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "card_regs.hpp"
#include "host/sdaa/bars.hpp"
#include "verif/sdaa/bench/bench_card.hpp"

namespace swai::sdaa {
namespace {

constexpr uint64_t kBytes = uint64_t{1} << 30;

class Bench : private BenchCard {
 public:
  using BenchCard::BenchCard;

  nlohmann::json run() {
    const uint64_t ours = allocate();
    nlohmann::json figures = {{"alloc.host_1g_ns", ours}};
    struct Pages {
      const char* name;
      uint64_t bytes;
    };
    for (const Pages pages : {Pages{"4k", 4 << 10}, Pages{"128k", 128 << 10}}) {
      // One entry a packet; a line; as much as a packet may carry.
      for (const unsigned burst : {8, 64, 256}) {
        const std::string key = fmt::format("alloc.vs_paged_{}{}", pages.name,
                                            burst == 8 ? std::string() : fmt::format("_burst_{}", burst));
        const uint64_t cycles = fill_table(kBytes / pages.bytes, pages.bytes, burst);
        figures[key + "_ns"] = cycles;
        figures[key] = static_cast<double>(cycles) / static_cast<double>(ours);
      }
    }
    return figures;
  }

 private:
  uint64_t allocate() {
    constexpr unsigned kTimes = 9;
    std::array<uint64_t, kTimes> times = {};
    for (uint64_t& time : times) {
      void* memory = nullptr;
      time = cycles_of([&] { must(sdaaMalloc(&memory, kBytes)); });
      must(sdaaFree(memory));
    }
    std::ranges::sort(times);
    return times[kTimes / 2];
  }

  // The table itself is memory of the card; the first page is at its beginning.
  uint64_t fill_table(uint64_t pages, uint64_t page_bytes, unsigned burst) {
    void* table = nullptr;
    must(sdaaMalloc(&table, pages * sizeof(uint64_t)));
    const uint64_t cycles = fill(offset_of(table), pages, page_bytes, burst);
    must(sdaaFree(table));
    return cycles;
  }
  // Where the host finds it.
  uint64_t offset_of(const void* memory) {
    const Device::Lock lock = device().enter();
    const auto named = reinterpret_cast<uintptr_t>(memory);
    return device().connection().ask(protocol::Operation::kPointerInfo, {named})[3] - regs::kHbmRegion.base;
  }
  uint64_t fill(uint64_t offset, uint64_t pages, uint64_t page_bytes, unsigned burst) {
    const Device::Lock lock = device().enter();
    std::vector<uint64_t> entries(pages);
    for (uint64_t i = 0; i < pages; ++i) entries[i] = (i * page_bytes) | 1;
    const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(entries.data()),
                                         entries.size() * sizeof(uint64_t));
    uint64_t last = 0;
    const uint64_t cycles = cycles_of([&] {
      for (size_t at = 0; at < bytes.size(); at += burst)
        card().post_block(kMemoryBar, offset + at, bytes.subspan(at, burst));
      last = card().read<uint64_t>(kMemoryBar, offset + bytes.size() - sizeof last);
    });
    if (last != entries.back()) throw std::runtime_error("the card has another last entry");
    return cycles;
  }
};

}  // namespace
}  // namespace swai::sdaa

int main(int count, char** values) {
  return swai::sdaa::print_figures<swai::sdaa::Bench>("paged-bench", count, values);
}
