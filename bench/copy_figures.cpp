// SPDX-License-Identifier: Apache-2.0
// Figures 10 to 12: copies.
#include <algorithm>

#include "bench/figures.hpp"
#include "bench/measuring.hpp"
#include "bench/page_list.hpp"
#include "host/tools/cli/error.hpp"
#include "host/tools/cli/measured.hpp"
#include "host/runtime/copy.hpp"

namespace swai::cli::bench {
namespace {

double on_card_ns(uint64_t bytes) {
  const OnCard from(bytes);
  const OnCard to(bytes);
  return copy_ns(to.get(), from.get(), bytes);
}

// The processor moves a byte in three cycles.
constexpr uint64_t kMostByProcessor = 64 << 10;

double on_card_by(command::Engine engine, uint64_t bytes) {
  const OnCard from(bytes);
  const OnCard to(bytes);
  return warm_ns(bytes, [&] {
    return ns_of([&] {
      auto use = sdaa::Runtime::get().use_stream(nullptr);
      sdaa::copy_on_card(use.writer(), reinterpret_cast<uintptr_t>(to.get()),
                         reinterpret_cast<uintptr_t>(from.get()), {bytes, 1, 0, 0}, engine);
      use.writer().wait();
    });
  });
}
// A bit for each.
uint64_t engines_over_link() {
  const auto device = sdaa::Runtime::get().current();
  const sdaa::Device::Lock lock = device->enter();
  return device->connection().routes().engines;
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
                                largest_ratio(figure.series[3], figure.series[2])),
                       2.6, Published::Kind::kFactor,
                       "here one thread and one channel are not so far behind"}};
  return figure;
}

Figure on_card(const Plan& plan, const Done& done, const OnProcessor&) {
  Figure figure{11, "Copies on the card", true, {}, {}, {}};
  figure.series.push_back(series("the card's choice", false, plan, done, kBytesPerCycle, on_card_ns));
  const auto add = [&](const char* name, command::Engine engine, const Plan& sizes) {
    figure.series.push_back(series(name, true, sizes, done, kBytesPerCycle,
                                   [=](uint64_t bytes) { return on_card_by(engine, bytes); }));
  };
  Plan small = plan;
  std::erase_if(small.sizes, [](uint64_t bytes) { return bytes > kMostByProcessor; });
  if (!small.sizes.empty()) add("processor", command::Engine::kProcessor, small);
  add("cores", command::Engine::kCores, plan);
  const uint64_t engines = engines_over_link();
  if ((engines >> static_cast<unsigned>(command::Engine::kHost) & 1) != 0)
    add("down to the host and up", command::Engine::kHost, plan);
  if ((engines >> static_cast<unsigned>(command::Engine::kRootComplex) & 1) != 0)
    add("through the root complex", command::Engine::kRootComplex, plan);
  if (engines == 0)
    figure.notes.emplace_back(
        "ways over the link are not measured: a shared card does not tell which it has");
  figure.notes.emplace_back("cores have nothing else to do here; the processor would take long for more");
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
                                largest_rate(figure.series[1]) / largest_rate(figure.series[6])),
                       1.4, Published::Kind::kFactor,
                       "the list here is read while data moves, so that large copies lose little by it"}};
  return figure;
}

}  // namespace swai::cli::bench
