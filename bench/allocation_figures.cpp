// SPDX-License-Identifier: Apache-2.0
// Figures 8 and 9: allocation.
#include <algorithm>
#include <array>
#include <optional>

#include "bench/figures.hpp"
#include "bench/measuring.hpp"
#include "bench/page_list.hpp"
#include "bench/page_table.hpp"
#include "host/tools/cli/error.hpp"
#include "host/tools/cli/measured.hpp"

namespace swai::cli::bench {
namespace {

constexpr uint64_t kPage = 4096;
// Of which the mean counts.
constexpr unsigned kInARow = 8;

double malloc_ns(uint64_t bytes) {
  // The first ones find what was given back before still under way, or make a pool.
  std::array<std::optional<OnCard>, kInARow> memory;
  const double all = ns_of([&] {
    for (auto& one : memory) one.emplace(bytes);
  });
  return all / kInARow;
}

double page_table_ns(uint64_t bytes, uint64_t page_bytes) {
  const auto device = sdaa::Runtime::get().current();
  return static_cast<double>(fill_page_table(*device, bytes, page_bytes, sizeof(uint64_t)));
}

double last_ratio(const Series& slow, const Series& fast) {
  return slow.points.back().ns / fast.points.back().ns;
}

}  // namespace

Figure allocators(const Plan&, const Done&, const OnProcessor& on_processor) {
  Figure figure{8, "Allocators on the management processor", false, on_processor.allocators, {}, {}};
  // Ours and the C library's take turns.
  double least = 1e9;
  for (size_t i = 0; i < figure.series.size(); i += 2) {
    const auto& ours = figure.series[i].points;
    for (size_t at = 0; at < ours.size(); ++at)
      least = std::min(least, figure.series[i + 1].points[at].ns / ours[at].ns);
  }
  figure.published = {
      {"the C library's time over ours, least of all (text of figure 8)", "more than 1", least, 1,
       Published::Kind::kFactor,
       "in a new heap the C library has nothing to search, and ours does what it always does"}};
  return figure;
}

Figure allocations(const Plan& plan, const Done& done, const OnProcessor&) {
  Figure figure{9, "Allocation", false, {}, {}, {}};
  const auto add = [&](const char* name, bool baseline, const std::function<double(uint64_t)>& time) {
    figure.series.push_back(series(name, baseline, plan, done, kNoBytes, time));
  };
  add("sdaaMalloc", false, malloc_ns);
  const OnCard page(kPage);
  // The host's own time counts as zero, and pinning takes the card none.
  add("sdaaMallocHost, and a page copied from it", false, [&](uint64_t bytes) {
    std::optional<Pinned> memory;
    return ns_of([&] {
      memory.emplace(bytes);
      check(sdaaMemcpy(page.get(), memory->get(), std::min(bytes, kPage), sdaaMemcpyHostToDevice), "copy");
    });
  });
  double slowest = 0;
  for (const Point& point : figure.series[0].points) slowest = std::max(slowest, point.ns);
  figure.published = {{"sdaaMalloc, any size, ns (text of figure 9)", "about 10000", slowest, 10'000,
                       Published::Kind::kTime, "each call asks the card"}};
  if (card_is_shared()) {
    figure.notes.emplace_back(kNotShared);
    return figure;
  }
  add("the host lists its pages, and copies one", true,
      [&](uint64_t bytes) { return PageList(bytes).first_page_ns(page.get()); });
  add("the host fills a page table, pages of 4 KiB", true,
      [](uint64_t bytes) { return page_table_ns(bytes, 4 << 10); });
  add("the host fills a page table, pages of 128 KiB", true,
      [](uint64_t bytes) { return page_table_ns(bytes, 128 << 10); });
  figure.published.push_back({"pinned memory, largest size, times as fast as CUDA there, as a page list here",
                              "about 3", last_ratio(figure.series[2], figure.series[1]), 3,
                              Published::Kind::kFactor,
                              "the factor comes with size: it takes many pages to make a list long"});
  figure.published.push_back(
      {"memory of the card, largest size, times as fast as CUDA there, as a page table here", "about 120",
       last_ratio(figure.series[3], figure.series[0]), 120, Published::Kind::kFactor,
       "the slow way here is only the writing of a table over the link, which nobody waits for, not all that "
       "CUDA does"});
  return figure;
}

}  // namespace swai::cli::bench
