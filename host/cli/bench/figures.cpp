#include "host/cli/bench/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "host/cli/cli.hpp"
#include "host/cli/measured.hpp"
#include "host/cli/table.hpp"
#include "host/sdaa/runtime.hpp"

namespace swai::cli::bench {
namespace {

// Of the link; the estimate needs no better figures.
constexpr double kBytesPerCycle = 25;
constexpr double kBytesPerCycleAlone = 10;  // one thread, one channel
constexpr double kCallCycles = 20'000;
// Below that a copy is made twice, and the second one counts.
constexpr uint64_t kWarm = 1 << 20;

// Asking the time takes time, too: the round trip that is in every difference of two.
uint64_t clock_cost() {
  const uint64_t first = card_time();
  return card_time() - first;
}
double ns_of(const std::function<void()>& action) {
  static const uint64_t kAsking = clock_cost();
  const uint64_t begin = card_time();
  action();
  const uint64_t took = card_time() - begin;
  return static_cast<double>(took - std::min(took, kAsking));
}

double copy_ns(void* to, const void* from, uint64_t bytes) {
  const auto copy = [&] {
    check(sdaaMemcpy(to, from, bytes, sdaaMemcpyDefault), "copy of " + size_text(bytes));
  };
  if (bytes < kWarm) copy();
  return ns_of(copy);
}

// Copying on the host takes time by fixed constants while this lives, as it does not otherwise.
class Staged {
 public:
  explicit Staged(const sdaa::Staging& staging) { set(staging); }
  ~Staged() { set({}); }
  Staged(const Staged&) = delete;
  Staged& operator=(const Staged&) = delete;

 private:
  static void set(const sdaa::Staging& staging) {
    const auto device = sdaa::Runtime::get().current();
    const sdaa::Device::Lock lock = device->enter();
    device->set_staging(staging);
  }
};
constexpr sdaa::Staging kAll = {.timed = true};
constexpr sdaa::Staging kAlone = {1, 2, false, true};

using Done = std::function<void(double)>;

Series series(const std::string& name, bool baseline, const Plan& plan, const Done& done,
              double bytes_per_cycle, const std::function<double(uint64_t)>& time) {
  Series result{name, baseline, {}};
  for (const uint64_t bytes : plan.sizes) {
    result.points.push_back({bytes, time(bytes)});
    done(static_cast<double>(bytes) / bytes_per_cycle + kCallCycles);
  }
  return result;
}

double largest_ratio(const Series& slow, const Series& fast) {
  double largest = 0;
  for (size_t i = 0; i < slow.points.size(); ++i)
    largest = std::max(largest, slow.points[i].ns / fast.points[i].ns);
  return largest;
}

// Of which the mean counts.
constexpr unsigned kInARow = 8;

Figure allocations(const Plan& plan, const Done& done) {
  Figure figure{9, "Allocation", false, {}, {}};
  const double none = 1e18;
  figure.series.push_back(series("sdaaMalloc", false, plan, done, none, [](uint64_t bytes) {
    // The first ones find what was given back before still under way, or make a pool.
    std::array<std::optional<OnCard>, kInARow> memory;
    const double all = ns_of([&] {
      for (auto& one : memory) one.emplace(bytes);
    });
    return all / kInARow;
  }));
  const OnCard page(4096);
  // The host's own time counts as zero, and pinning takes the card none.
  figure.series.push_back(
      series("sdaaMallocHost, and a page copied from it", false, plan, done, none, [&](uint64_t bytes) {
        std::optional<Pinned> memory;
        return ns_of([&] {
          memory.emplace(bytes);
          check(
              sdaaMemcpy(page.get(), memory->get(), std::min<uint64_t>(bytes, 4096), sdaaMemcpyHostToDevice),
              "copy");
        });
      }));
  double slowest = 0;
  for (const Point& point : figure.series[0].points) slowest = std::max(slowest, point.ns);
  figure.published = {{"sdaaMalloc, any size, ns (text of figure 9)", "about 10000", slowest}};
  return figure;
}

Figure models(const Plan& plan, const Done& done) {
  Figure figure{10, "Pageable memory: many threads and channels beside one", true, {}, {}};
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

double on_card_ns(uint64_t bytes) {
  const OnCard from(bytes);
  const OnCard to(bytes);
  return copy_ns(to.get(), from.get(), bytes);
}

Figure on_card(const Plan& plan, const Done& done) {
  Figure figure{11, "Copies on the card", true, {}, {}};
  figure.series.push_back(series("the library's choice", false, plan, done, kBytesPerCycle, on_card_ns));
  return figure;
}

Figure copies(const Plan& plan, const Done& done) {
  Figure figure{12, "sdaaMemcpy", true, {}, {}};
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
  add("pinned to the card", true, true);
  add("the card to pinned", false, true);
  add("pageable to the card", true, false);
  add("the card to pageable", false, false);
  figure.series.push_back(series("on the card", false, plan, done, kBytesPerCycle, on_card_ns));
  return figure;
}

// Formulas 12 to 14: what a launch takes, and what of it passes between two events on the card.
Figure launches(const Plan& plan, const Done& done) {
  constexpr unsigned kTimes = 100;
  Figure figure{13, "Launch of an empty kernel", false, {}, {}};
  sdaaModule_t module = nullptr;
  sdaaFunction_t empty = nullptr;
  sdaaStream_t stream = nullptr;
  sdaaStream_t two_level = nullptr;
  check(sdaaModuleLoad(&module, plan.module.c_str()), plan.module);
  check(sdaaModuleGetFunction(&empty, module, "empty"), plan.module);
  check(sdaaStreamCreateWithFlags(&stream, sdaaStreamNonBlocking), "stream");
  check(sdaaStreamCreateWithFlags(&two_level, sdaaStreamNonBlocking), "stream");
  sdaa::feed_two_level(two_level);
  const auto start = [&](sdaaStream_t where) {
    uint64_t pointer = 0;
    uint32_t count = 3;
    void* arguments[] = {&pointer, &pointer, &count};
    check(sdaaLaunchKernel(empty, arguments, 0, where), "launch");
  };
  const auto wait = [](sdaaStream_t where) { check(sdaaStreamSynchronize(where), "launch"); };
  const auto add = [&](const char* name, bool baseline, double ns) {
    figure.series.push_back({name, baseline, {{0, ns}}});
    done(kCallCycles);
  };
  const auto sync = [&](sdaaStream_t where) {
    start(where);
    wait(where);
    return ns_of([&] {
             for (unsigned i = 0; i < kTimes; ++i) {
               start(where);
               wait(where);
             }
           }) /
           kTimes;
  };
  const double waited_for = sync(stream);
  add("waited for (KLL)", false, waited_for);
  add("waited for, ring and command buffer in the host", true, sync(two_level));
  add("not waited for, each of 100", false, ns_of([&] {
                                              for (unsigned i = 0; i < kTimes; ++i) start(stream);
                                              wait(stream);
                                            }) / kTimes);
  sdaaEvent_t before = nullptr;
  sdaaEvent_t after = nullptr;
  float milliseconds = 0;
  check(sdaaEventCreate(&before), "event");
  check(sdaaEventCreate(&after), "event");
  check(sdaaEventRecord(before, stream), "event");
  start(stream);
  check(sdaaEventRecord(after, stream), "event");
  check(sdaaEventSynchronize(after), "event");
  check(sdaaEventElapsedTime(&milliseconds, before, after), "event");
  const double inside = static_cast<double>(milliseconds) * 1e6;
  add("of KLL on the card, between two events (O_device, T_exec)", false, inside);
  add("of KLL on the link, the rest (O_cmd-tran; O_cpu counts as 0)", false, waited_for - inside);
  check(sdaaEventDestroy(before), "event");
  check(sdaaEventDestroy(after), "event");
  check(sdaaStreamDestroy(stream), "stream");
  check(sdaaStreamDestroy(two_level), "stream");
  check(sdaaModuleUnload(module), plan.module);
  figure.published = {{"fast start, waited for, ns (section 4.4)", "2300", waited_for}};
  return figure;
}

struct Kind {
  unsigned number;
  Figure (*measure)(const Plan&, const Done&);
  // Series at the link's full speed, and at that of one thread.
  unsigned fast;
  unsigned slow;
};
constexpr Kind kKinds[] = {{9, allocations, 0, 0},
                           {10, models, 2, 2},
                           {11, on_card, 1, 0},
                           {12, copies, 5, 0},
                           {13, launches, 0, 0}};

bool wanted(const Plan& plan, const Kind& kind) {
  return plan.figures.empty() || std::ranges::find(plan.figures, kind.number) != plan.figures.end();
}

}  // namespace

double cost(const Plan& plan) {
  double bytes = 0;
  for (const uint64_t size : plan.sizes) bytes += static_cast<double>(size);
  const auto calls = static_cast<double>(plan.sizes.size());
  double sum = 0;
  for (const Kind& kind : kKinds) {
    if (!wanted(plan, kind)) continue;
    sum += bytes * (kind.fast / kBytesPerCycle + kind.slow / kBytesPerCycleAlone);
    sum += kCallCycles * (kind.fast + kind.slow == 0 ? 5 : calls * (kind.fast + kind.slow));
  }
  return sum;
}

std::vector<Figure> measure(const Plan& plan, const Done& done) {
  std::vector<Figure> figures;
  for (const Kind& kind : kKinds) {
    if (wanted(plan, kind)) figures.push_back(kind.measure(plan, done));
  }
  return figures;
}

}  // namespace swai::cli::bench
