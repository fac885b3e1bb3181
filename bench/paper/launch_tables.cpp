// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/launch_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "bench/paper/eager.hpp"
#include "bench/paper/published.hpp"

namespace swai::cli::bench {
namespace {

eager::Job eager_job(const CountedJob& one) {
  return {one.launches.layers, one.launches.layers, one.launches.windows, one.job.tokens};
}

double eager_launches(const CountedJob& one) { return static_cast<double>(eager::launches(eager_job(one))); }

std::string tokens_note(const std::vector<CountedJob>& jobs) {
  std::string words = "Tokens of each window of 30 seconds, as many as were asked for:";
  for (const CountedJob& one : jobs)
    words += fmt::format(" {} ({} windows)", one.job.tokens, one.launches.windows);
  return words + ". The paper does not say how many its sounds have.";
}

double ms(uint64_t cycles) { return static_cast<double>(cycles) / kNsOfMs; }

// What a job takes whose launches are not waited for, but for the last of each pass of encoder and decoder.
double two_tier_us(const LaunchCosts& costs, double launches, const CountedJob& one) {
  const auto passes = static_cast<double>(one.launches.windows * (one.job.tokens + 1));
  return (launches * costs.not_waited_for + passes * (costs.waited_for - costs.not_waited_for)) / kNsOfUs;
}

}  // namespace

double three_tier_us(const LaunchCosts& costs, const CountedJob& one) {
  return (static_cast<double>(one.launches.programs) * costs.waited_for +
          static_cast<double>(one.launches.inside) * costs.inside) /
         kNsOfUs;
}

PaperTable launch_table(const std::vector<CountedJob>& jobs) {
  JobTable table({"launches",
                  "Launches of a job: Table 2 (CudaLaunchKernel), Fig. 9 (c) and (d), equations 1 and 2",
                  "launches",
                  "launches",
                  {},
                  {},
                  {}},
                 jobs);
  table.published("two-tier: PyTorch on a V100", published::kLaunches).ours =
      "two-tier: eager PyTorch's operators";
  table.add("equation 2: 112 a second and layer", Source::kFormula, [](const CountedJob& one) {
    return published::kLaunchesOfSecondAndLayer * one.job.seconds * static_cast<double>(one.launches.layers);
  });
  table.add(
      "equation 1: layers alone, with the list's launches of a layer", Source::kFormula,
      [](const CountedJob& one) { return static_cast<double>(eager::launches_of_layers(eager_job(one))); });
  table.add("two-tier: eager PyTorch's operators", Source::kFromList, eager_launches);
  table.measured("two-tier: our operators, one by one", &SpeechLaunches::operators);
  table.measured("two-tier: our lists", &SpeechLaunches::lists);
  table.measured("three-tier: by the host", &SpeechLaunches::programs);
  table.measured("three-tier: by the management processor", &SpeechLaunches::inside);
  table
      .add("three-tier over two-tier (eager PyTorch's operators), by the host", Source::kFormula,
           [](const CountedJob& one) {
             return static_cast<double>(one.launches.programs) / eager_launches(one);
           })
      .share = true;
  table.note(fmt::format("The paper's ratio is about {:g} (abstract).", published::kLaunchRatio));
  table.note(tokens_note(jobs));
  table.note(
      "From the list: one launch for each operator that PyTorch issues (views launch nothing); libraries on "
      "a GPU launch several for some, so it is a least.");
  table.note(
      "Measured: what the host has launched; of two-tier the card has counted as many, of the management "
      "processor it has counted them alone.");
  const auto narrow = std::ranges::find_if(jobs, [](const CountedJob& one) { return one.job.width != 0; });
  if (narrow != jobs.end()) {
    table.note(fmt::format(
        "Measured with rows of {} channels; all else is the shape's. The lists of the shape itself have the "
        "same operators, node by node, which was checked; so the counts are the same.",
        narrow->job.width));
  }
  return table.take();
}

PaperTable cost_table(const std::optional<LaunchCosts>& costs, const std::string& missing) {
  PaperTable table{"launch", "One launch: section 5.2", "us", "time, us", {"us"}, {}, {}};
  const auto add = [&](std::string what, double LaunchCosts::*cost, std::optional<double> paper) {
    PaperRow row{std::move(what), Source::kMeasured, {}};
    if (costs) {
      const double us = (*costs).*cost / kNsOfUs;
      row.values = {us};
      if (paper && us > *paper)
        row.worse = "it goes through the kernel, and so does the word that it has ended";
    } else {
      row.values = {std::nullopt};
      row.missing = missing;
    }
    table.rows.push_back(std::move(row));
  };
  table.rows.push_back({"over PCIe: a launch of CUDA", Source::kPublished, {published::kUsOfCudaLaunch}});
  add("over PCIe: by the host, not waited for", &LaunchCosts::not_waited_for, std::nullopt);
  add("over PCIe: by the host, waited for", &LaunchCosts::waited_for, published::kUsOfCudaLaunch);
  table.rows.push_back({"on the card: by the management processor, the paper's",
                        Source::kPublished,
                        {published::kUsOfCardLaunch}});
  add("on the card: by a program on the management processor, waited for", &LaunchCosts::inside,
      published::kUsOfCardLaunch);
  table.notes.emplace_back(
      "A kernel that does nothing on all cores, the mean of 100; a cycle counts as 1 ns, and the host's "
      "software takes no time, so over PCIe ours is less than a host would see.");
  return table;
}

PaperTable building_table(const std::vector<CountedJob>& jobs) {
  JobTable table({"building", "Building graphs: Table 3", "ms", "time, ms", {}, {}, {}}, jobs);
  constexpr const char* kSync = "ours, one after the other";
  constexpr const char* kAsync = "ours, while the one before runs: what of it nothing hides";
  table.published("one after the other", published::kBuildMs).ours = kSync;
  table.add(kSync, Source::kMeasured, [&](const CountedJob& one) { return ms(one.launches.sync.build); });
  table.published("while the one before runs", published::kBuildAsyncMs).ours = kAsync;
  table.add(kAsync, Source::kMeasured,
            [&](const CountedJob& one) { return ms(one.launches.async.build - one.launches.async.hidden); });
  table.add("ours, parameters of all steps", Source::kMeasured,
            [&](const CountedJob& one) { return ms(one.launches.async.patch); });
  table.note(
      "Tier fast, where an instruction of the management processor is a cycle of 1 ns: its misses come on "
      "top. "
      "Lists have as many nodes as the shape's.");
  table.note(
      "Ours builds three lists for a window, those of the encoder, of several tokens and of one, and reckons "
      "a few "
      "parameters for a step; the paper does not say what it builds anew for a step.");
  return table.take();
}

PaperTable copying_table(const std::vector<CountedJob>& jobs) {
  JobTable table({"copying", "Copies: Table 4", "ms", "time, ms", {}, {}, {}}, jobs);
  constexpr const char* kCopied = "ours between its parts, copying";
  constexpr const char* kShared = "ours between its parts, zero copy";
  constexpr const char* kHost = "ours between host and card";
  table.published("PyTorch on a V100", published::kCopyMs).ours = kHost;
  table.published("the paper's card, host to device, copying inside", published::kCardCopyMs);
  table.published("the same, between its parts", published::kInsideCopyMs).ours = kCopied;
  table.published("the paper's card, host to device, zero copy", published::kCardCopyAfterMs);
  table.published("the same, between its parts", published::kInsideCopyAfterUs, 1 / kUsOfMs).ours = kShared;
  table.add(kHost, Source::kMeasured, [&](const CountedJob& one) { return ms(one.launches.host_copying); });
  table.add(kCopied, Source::kMeasured, [&](const CountedJob& one) { return ms(one.launches.copying); });
  table.add(kShared, Source::kMeasured,
            [&](const CountedJob& one) { return ms(one.launches.async.handing_over); });
  table.note(
      "Ours between its parts: lists, parameters, tokens and what was chosen, copied by the card's "
      "engines or its cores and waited for; or handed over by the processor's cache. Tier fast, where "
      "an instruction of the management processor is a cycle of 1 ns.");
  table.note(
      "Ours between host and card: all copies in both directions but those of the model; the sound's "
      "spectrogram at once, and for each window the logits by which the host tells silence. The host's "
      "software takes no time.");
  return table.take();
}

PaperTable overhead_table(const std::vector<CountedJob>& jobs, const std::optional<LaunchCosts>& costs,
                          const std::string& missing) {
  JobTable table(
      {"overhead", "What launching takes: Table 2, Fig. 9 (a) and (b)", "us", "time, us", {}, {}, {}}, jobs);
  const auto reckoned = [&](std::string what, const std::function<double(const CountedJob&)>& us) {
    PaperRow& row =
        table.add(std::move(what), Source::kFormula, [&](const CountedJob& one) -> std::optional<double> {
          if (!costs) return std::nullopt;
          return us(one);
        });
    if (!costs) row.missing = missing;
    return std::ref(row);
  };
  constexpr const char* kEager = "two-tier: eager PyTorch's operators at our cost of a launch";
  constexpr const char* kThreeTier =
      "three-tier: one launch by the host, the others by the management processor";
  table.published("two-tier: PyTorch on a V100", published::kLaunchMs, kUsOfMs).ours = kEager;
  reckoned(kEager, [&](const CountedJob& one) { return two_tier_us(*costs, eager_launches(one), one); });
  reckoned("two-tier: our operators, one by one", [&](const CountedJob& one) {
    return two_tier_us(*costs, static_cast<double>(one.launches.operators), one);
  });
  table.published("three-tier: the paper's card", published::kCardLaunchUs).ours = kThreeTier;
  reckoned(kThreeTier, [&](const CountedJob& one) { return three_tier_us(*costs, one); });
  const auto ratio = [&](const CountedJob& one) {
    return three_tier_us(*costs, one) / two_tier_us(*costs, eager_launches(one), one);
  };
  reckoned("three-tier over two-tier (eager PyTorch's operators)", ratio).get().share = true;
  table.note(
      "Ours are launches as counted times the cost of one as measured. Two-tier launches are not waited for, "
      "but for the last of each pass of encoder or decoder.");
  table.note(
      "The paper's text has 11 us for JFK and HP0 of the base model, 250 and 270 for those of the large one, "
      "but beside times of PyTorch that Table 2 has for JFK with both models, and for HP0 with both. Here "
      "they stand by the table: 22 launches of 0.5 us are 11 us, and two tokens a second of JFK are 22.");
  return table.take();
}

}  // namespace swai::cli::bench
