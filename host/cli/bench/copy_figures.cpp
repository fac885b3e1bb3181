// Figures 10 to 12: copies.
#include <algorithm>

#include "host/cli/bench/figures.hpp"
#include "host/cli/bench/measuring.hpp"
#include "host/cli/bench/page_list.hpp"
#include "host/cli/cli.hpp"
#include "host/cli/measured.hpp"

namespace swai::cli::bench {
namespace {

double on_card_ns(uint64_t bytes) {
  const OnCard from(bytes);
  const OnCard to(bytes);
  return copy_ns(to.get(), from.get(), bytes);
}

double largest_rate(const Series& series) {
  double largest = 0;
  for (const Point& point : series.points)
    largest = std::max(largest, static_cast<double>(point.bytes) / point.ns);
  return largest;
}

}  // namespace

Figure models(const Plan& plan, const Done& done, const OnProcessor&) {
  Figure figure{10, "Pageable memory: many threads and channels beside one", true, {}, {}, {}};
  const auto add = [&](const char* name, const sdaa::Staging& staging, bool to_card, double rate) {
    const bool baseline = staging.threads == 1;
    figure.series.push_back(series(name, baseline, plan, done, rate, [&](uint64_t bytes) {
      const Staged staged(staging);
      const OnCard card(bytes);
      std::vector<uint8_t> host(bytes);
      return to_card ? copy_ns(card.get(), host.data(), bytes) : copy_ns(host.data(), card.get(), bytes);
    }));
  };
  add("to the card", kAll, true, kBytesPerCycle);
  add("to the card, one thread and channel", kAlone, true, kBytesPerCycleAlone);
  add("to the host", kAll, false, kBytesPerCycle);
  add("to the host, one thread and channel", kAlone, false, kBytesPerCycleAlone);
  figure.published = {{"largest gain in bandwidth (text of figure 10)", "2.6",
                       std::max(largest_ratio(figure.series[1], figure.series[0]),
                                largest_ratio(figure.series[3], figure.series[2]))}};
  return figure;
}

Figure on_card(const Plan& plan, const Done& done, const OnProcessor&) {
  Figure figure{11, "Copies on the card", true, {}, {}, {}};
  figure.series.push_back(series("the library's choice", false, plan, done, kBytesPerCycle, on_card_ns));
  return figure;
}

Figure copies(const Plan& plan, const Done& done, const OnProcessor&) {
  Figure figure{12, "sdaaMemcpy, beside copies by a list of pages", true, {}, {}, {}};
  const auto add = [&](const char* name, bool to_card, bool pinned) {
    figure.series.push_back(series(name, false, plan, done, kBytesPerCycle, [=](uint64_t bytes) {
      const Staged staged(kAll);
      const OnCard card(bytes);
      const Pinned page_locked(pinned ? bytes : 1);
      std::vector<uint8_t> pageable(pinned ? 0 : bytes);
      void* const host = pinned ? page_locked.get() : pageable.data();
      return to_card ? copy_ns(card.get(), host, bytes) : copy_ns(host, card.get(), bytes);
    }));
  };
  const auto add_listed = [&](const char* name, bool to_host) {
    figure.series.push_back(series(name, true, plan, done, kBytesPerCycle, [=](uint64_t bytes) {
      const OnCard card(bytes);
      PageList host(bytes);
      return warm_ns(bytes, [&] { return host.copy_ns(card.get(), to_host); });
    }));
  };
  add("pinned to the card", true, true);
  add("the card to pinned", false, true);
  add("pageable to the card", true, false);
  add("the card to pageable", false, false);
  figure.series.push_back(series("on the card", false, plan, done, kBytesPerCycle, on_card_ns));
  if (card_is_shared()) {
    figure.notes.emplace_back(kNotShared);
    return figure;
  }
  add_listed("listed pages to the card", false);
  add_listed("the card to listed pages", true);
  figure.published = {{"pinned memory, largest bandwidth, times that of CUDA there, of a page list here",
                       "1.4 to 1.7",
                       std::max(largest_rate(figure.series[0]) / largest_rate(figure.series[5]),
                                largest_rate(figure.series[1]) / largest_rate(figure.series[6]))}};
  return figure;
}

}  // namespace swai::cli::bench
