// SPDX-License-Identifier: Apache-2.0
// Figure 13: launches.
#include "bench/empty_kernel.hpp"
#include "bench/figures.hpp"
#include "bench/measuring.hpp"
#include "host/tools/cli/error.hpp"

namespace swai::cli::bench {

// Formulas 12 to 14: what a launch takes, and what of it passes between two events on the card.
Figure launches(const Plan& plan, const Done& done, const OnProcessor& on_processor) {
  constexpr unsigned kTimes = EmptyKernel::kTimes;
  Figure figure{13, "Launch of an empty kernel", false, {}, {}, {}};
  const EmptyKernel empty(plan.module);
  sdaaStream_t stream = nullptr;
  sdaaStream_t two_level = nullptr;
  check(sdaaStreamCreateWithFlags(&stream, sdaaStreamNonBlocking), "stream");
  check(sdaaStreamCreateWithFlags(&two_level, sdaaStreamNonBlocking), "stream");
  sdaa::feed_two_level(two_level);
  const auto add = [&](const char* name, bool baseline, double ns) {
    figure.series.push_back({name, baseline, {{0, ns}}});
    done(kCallCycles);
  };
  const double waited_for = empty.waited_for_ns(stream);
  add("waited for (KLL)", false, waited_for);
  add("waited for, ring and command buffer in the host", true, empty.waited_for_ns(two_level));
  add("not waited for, each of 100", false, empty.not_waited_for_ns(stream));
  sdaaEvent_t before = nullptr;
  sdaaEvent_t after = nullptr;
  check(sdaaEventCreate(&before), "event");
  check(sdaaEventCreate(&after), "event");
  const auto between_events = [&] {
    float milliseconds = 0;
    check(sdaaEventRecord(before, stream), "event");
    empty.start(stream);
    check(sdaaEventRecord(after, stream), "event");
    check(sdaaEventSynchronize(after), "event");
    check(sdaaEventElapsedTime(&milliseconds, before, after), "event");
    return static_cast<double>(milliseconds) * 1e6;
  };
  // The mean of as many as above: one alone may meet a refresh of the memory, or code that no cache has yet.
  between_events();
  double inside = 0;
  for (unsigned i = 0; i < kTimes; ++i) inside += between_events() / kTimes;
  add("of KLL on the card, between two events (O_device, T_exec)", false, inside);
  add("of KLL on the link, the rest (O_cmd-tran; O_cpu counts as 0)", false, waited_for - inside);
  check(sdaaEventDestroy(before), "event");
  check(sdaaEventDestroy(after), "event");
  check(sdaaStreamDestroy(stream), "stream");
  check(sdaaStreamDestroy(two_level), "stream");
  add("on the card alone, all cores at once: doorbell to done word", false, on_processor.fast_start_ns);
  add("on the card alone, the classic way: core by core", true, on_processor.classic_start_ns);
  figure.published = {
      {"fast start, waited for, ns (section 4.4)", "2300", waited_for, 2300, Published::Kind::kTime,
       "the link takes its time both ways"},
      {"classic start, waited for, ns (section 4.4); here without the link", "883600",
       on_processor.classic_start_ns, 883'600, Published::Kind::kTime, "core after core is started"}};
  return figure;
}

}  // namespace swai::cli::bench
