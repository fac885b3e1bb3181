// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/breakdown_table.hpp"

#include <algorithm>

#include "bench/paper/launch_tables.hpp"
#include "bench/paper/load_table.hpp"

namespace swai::cli::bench {
namespace {

constexpr double kPercent = 100;

// Table 1 has one for each shape.
std::optional<double> published_loading(const CountedJob& one) {
  const auto found = std::ranges::find_if(published::kLoadings, [&](const published::Loading& loading) {
    return loading.shape == one.job.shape;
  });
  if (found == published::kLoadings.end()) return std::nullopt;
  return found->ms.back();
}

}  // namespace

PaperTable breakdown_table(const std::vector<CountedJob>& jobs, const std::string& loading,
                           const std::optional<LaunchCosts>& costs, const std::string& missing) {
  JobTable table({"breakdown", "Where the time of a job goes: Fig. 3", "ms", "time, ms", {}, {}, {}}, jobs);
  constexpr const char* kLoading = "ours: loading the model, on the host";
  constexpr const char* kCalls = "ours: launches, and copies between host and card";
  constexpr const char* kComputing = "ours: operators, at the card's limits";
  const auto loads = [&](const CountedJob& one) { return loading_ms(loading, one.job.shape, "fast"); };
  const auto calls = [&](const CountedJob& one) -> std::optional<double> {
    if (!costs) return std::nullopt;
    return three_tier_us(*costs, one) / kUsOfMs + static_cast<double>(one.launches.host_copying) / kNsOfMs;
  };
  const auto computes = [](const CountedJob& one) { return one.launches.least / kNsOfMs; };

  table.add("PyTorch on a V100: loading the model (Table 1)", Source::kPublished, published_loading).ours =
      kLoading;
  table.published("PyTorch on a V100: eight calls of CUDA (Table 2)", published::kApiMs).ours = kCalls;
  table.published("PyTorch on a V100: kernels (Table 2)", published::kKernelMs).ours = kComputing;
  PaperRow& loaded = table.add(kLoading, Source::kMeasured, loads);
  if (!std::ranges::all_of(loaded.values, &std::optional<double>::has_value))
    loaded.missing = kLoadingMissing;
  PaperRow& called = table.add(kCalls, Source::kFormula, calls);
  if (!costs) called.missing = missing;
  table.add(kComputing, Source::kFormula, computes);
  table.add("ours: other", Source::kMeasured, [](const CountedJob&) { return std::nullopt; }).missing =
      "what goes by between operators takes RTL: the table of shares has it for a smaller job";
  table
      .add("PyTorch on a V100: percent of it that is loading (Fig. 3)", Source::kPublished,
           [](const CountedJob& one) -> std::optional<double> {
             if (one.job.seconds != published::kJobs.front().seconds) return std::nullopt;
             if (one.job.shape == "base") return published::kLoadingOfBase;
             if (one.job.shape == "large") return published::kLoadingOfLarge;
             return std::nullopt;
           })
      .share = true;
  table
      .add("ours: percent of these that is loading", Source::kFormula,
           [&](const CountedJob& one) -> std::optional<double> {
             const std::optional<double> load = loads(one), call = calls(one);
             if (!load || !call) return std::nullopt;
             return kPercent * *load / (*load + *call + computes(one));
           })
      .share = true;
  table.note(
      "Loading is wall time of this machine's processor, up to the window from which the card takes its "
      "copy. "
      "Launches are counted, times the cost of one (RTL); copies are measured (tier fast); the host's "
      "software takes no time in either. Operators are reckoned for the shape itself, each at the card's "
      "limits: `graph.step_eff` says how much of a job's time that is.");
  table.note(
      "The paper prints the percents of Fig. 3 as a picture; its text has those of loading, which it gives "
      "for no sound: here they stand beside the short one.");
  return table.take();
}

}  // namespace swai::cli::bench
