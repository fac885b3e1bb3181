#include "verif/iss/cpe/model_device.hpp"

namespace swai::iss::cpe {

void ModelDevice::start(uint64_t table, uint32_t entries, const Daemon& daemon, uint64_t limit) {
  group_.set_segment_table(table, entries);
  group_.set_limit(limit);
  group_.boot(daemon);
}

// Bytes that each CPE has moved since the beginning.
std::vector<kernel_run::Counter> ModelDevice::traffic() const {
  std::vector<kernel_run::Counter> counters = {{"DMA bytes loaded", {}},  {"DMA bytes stored", {}},
                                               {"row bytes sent", {}},    {"row bytes received", {}},
                                               {"column bytes sent", {}}, {"column bytes received", {}}};
  for (unsigned i = 0; i < group_.size(); ++i) {
    const unsigned row = i / columns();
    const unsigned column = i % columns();
    const Dma& dma = group_.cpe(i).dma();
    const uint64_t values[] = {dma.bytes_loaded(),
                               dma.bytes_stored(),
                               group_.row(row).bytes_sent(column),
                               group_.row(row).bytes_received(column),
                               group_.column(column).bytes_sent(row),
                               group_.column(column).bytes_received(row)};
    for (size_t n = 0; n < counters.size(); ++n) counters[n].by_cpe.push_back(values[n]);
  }
  return counters;
}

kernel_run::Outcome ModelDevice::launch(const Launch& launch) {
  const auto before = traffic();
  Result result = group_.launch(launch);
  kernel_run::Outcome outcome{.ok = result.ok(),
                              .ending = text(result.ending),
                              .failed = result.failed,
                              .faults = std::move(result.faults),
                              .states = std::move(result.states)};
  outcome.counters = {{"instructions", std::move(result.instructions)}};
  auto after = traffic();
  for (size_t n = 0; n < after.size(); ++n) {
    for (size_t i = 0; i < after[n].by_cpe.size(); ++i) after[n].by_cpe[i] -= before[n].by_cpe[i];
    outcome.counters.push_back(std::move(after[n]));
  }
  return outcome;
}

}  // namespace swai::iss::cpe
