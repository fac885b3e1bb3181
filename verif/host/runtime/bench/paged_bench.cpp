// SPDX-License-Identifier: Apache-2.0
// An allocation of 1 GiB in the manner of GPUs, whose page tables the host fills over the link, beside
// sdaaMalloc. Prints a flat JSON object: card cycles, which are nanoseconds, and how many times as long as
// sdaaMalloc that is. Arguments are handed to swai-card.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/page_table.hpp"
#include "verif/host/runtime/bench/bench_card.hpp"

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
        const uint64_t cycles = cli::bench::fill_page_table(device(), kBytes, pages.bytes, burst);
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
};

}  // namespace
}  // namespace swai::sdaa

int main(int count, char** values) {
  return swai::sdaa::print_figures<swai::sdaa::Bench>("paged-bench", count, values);
}
