// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/model_device.hpp"

#include "sim/iss/cpe/costs.hpp"

namespace swai::iss::cpe {

namespace {

// What a CPE waited for, by the numbers of its counters.
constexpr std::pair<unsigned, const char*> kWaits[] = {
    {2, "waiting for code"},        {4, "waiting for the window"},     {6, "waiting for DMA"},
    {7, "waiting for row channel"}, {8, "waiting for column channel"}, {9, "waiting for another unit"}};

}  // namespace

void ModelDevice::start(uint64_t table, uint32_t entries, const Daemon& daemon, uint64_t limit) {
  group_.set_segment_table(table, entries);
  group_.set_limit(limit);
  group_.boot(daemon);
}

// What each CPE has moved and computed since the beginning.
std::vector<kernel_run::Counter> ModelDevice::work() const {
  std::vector<kernel_run::Counter> counters = {
      {"DMA bytes loaded", {}},      {"DMA bytes stored", {}},   {"DMA bytes of background", {}},
      {"row bytes sent", {}},        {"row bytes received", {}}, {"column bytes sent", {}},
      {"column bytes received", {}}, {"systolic rows", {}},      {"vector groups", {}}};
  for (unsigned i = 0; i < group_.size(); ++i) {
    const unsigned row = i / columns();
    const unsigned column = i % columns();
    const Dma& dma = group_.cpe(i).dma();
    const uint64_t values[] = {dma.bytes_loaded(),
                               dma.bytes_stored(),
                               dma.bytes_of_background(),
                               group_.row(row).bytes_sent(column),
                               group_.row(row).bytes_received(column),
                               group_.column(column).bytes_sent(row),
                               group_.column(column).bytes_received(row),
                               group_.cpe(i).systolic().rows(),
                               group_.cpe(i).vector().groups()};
    for (size_t n = 0; n < std::size(values); ++n) counters[n].by_cpe.push_back(values[n]);
  }
  for (const auto& [number, name] : kWaits) {
    kernel_run::Counter& counter = counters.emplace_back(kernel_run::Counter{.name = name, .by_cpe = {}});
    for (unsigned i = 0; i < group_.size(); ++i) counter.by_cpe.push_back(group_.cpe(i).count(number));
  }
  return counters;
}

kernel_run::Outcome ModelDevice::launch(const Launch& launch) {
  const auto before = work();
  // A tool looks at counters between launches.
  group_.rest(costs::kSleepsAfter);
  Result result = group_.launch(launch);
  kernel_run::Outcome outcome{.ok = result.ok(),
                              .ending = text(result.ending),
                              .failed = result.failed,
                              .faults = std::move(result.faults),
                              .states = std::move(result.states),
                              .tier = "fast"};
  if (group_.looks_for_mistakes()) outcome.findings = group_.take_findings();
  outcome.counters = {{"instructions", std::move(result.instructions)}};
  if (!result.ok()) return outcome;  // its CPEs have been reset
  outcome.cycles = result.cycles + costs::kToEnd;
  auto after = work();
  for (size_t n = 0; n < after.size(); ++n) {
    for (size_t i = 0; i < after[n].by_cpe.size(); ++i) after[n].by_cpe[i] -= before[n].by_cpe[i];
    outcome.counters.push_back(std::move(after[n]));
  }
  return outcome;
}

}  // namespace swai::iss::cpe
