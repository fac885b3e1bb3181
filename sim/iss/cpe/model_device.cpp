#include "sim/iss/cpe/model_device.hpp"

namespace swai::iss::cpe {

void ModelDevice::start(uint64_t table, uint32_t entries, const Daemon& daemon, uint64_t limit) {
  group_.set_segment_table(table, entries);
  group_.set_limit(limit);
  group_.boot(daemon);
}

// What each CPE has moved and computed since the beginning.
std::vector<kernel_run::Counter> ModelDevice::work() const {
  std::vector<kernel_run::Counter> counters = {{"DMA bytes loaded", {}},  {"DMA bytes stored", {}},
                                               {"row bytes sent", {}},    {"row bytes received", {}},
                                               {"column bytes sent", {}}, {"column bytes received", {}},
                                               {"systolic rows", {}},     {"vector groups", {}}};
  for (unsigned i = 0; i < group_.size(); ++i) {
    const unsigned row = i / columns();
    const unsigned column = i % columns();
    const Dma& dma = group_.cpe(i).dma();
    const uint64_t values[] = {dma.bytes_loaded(),
                               dma.bytes_stored(),
                               group_.row(row).bytes_sent(column),
                               group_.row(row).bytes_received(column),
                               group_.column(column).bytes_sent(row),
                               group_.column(column).bytes_received(row),
                               group_.cpe(i).systolic().rows(),
                               group_.cpe(i).vector().groups()};
    for (size_t n = 0; n < counters.size(); ++n) counters[n].by_cpe.push_back(values[n]);
  }
  return counters;
}

kernel_run::Outcome ModelDevice::launch(const Launch& launch) {
  const auto before = work();
  Result result = group_.launch(launch);
  kernel_run::Outcome outcome{.ok = result.ok(),
                              .ending = text(result.ending),
                              .failed = result.failed,
                              .faults = std::move(result.faults),
                              .states = std::move(result.states)};
  if (group_.looks_for_mistakes()) outcome.findings = group_.take_findings();
  outcome.counters = {{"instructions", std::move(result.instructions)}};
  auto after = work();
  for (size_t n = 0; n < after.size(); ++n) {
    for (size_t i = 0; i < after[n].by_cpe.size(); ++i) after[n].by_cpe[i] -= before[n].by_cpe[i];
    outcome.counters.push_back(std::move(after[n]));
  }
  return outcome;
}

}  // namespace swai::iss::cpe
