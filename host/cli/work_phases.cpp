#include "host/cli/work_phases.hpp"

#include <fmt/format.h>

#include <utility>

#include "host/cli/error.hpp"
#include "host/cli/measured.hpp"
#include "host/cli/table.hpp"

namespace swai::cli {

WorkPhases::WorkPhases() : begin_(now()) {}

std::optional<WorkPhases::Moment> WorkPhases::now() {
  Moment moment;
  const sdaaError_t error = sdaaDeviceGetWork(&moment.work);
  if (error == sdaaErrorNotSupported) return std::nullopt;
  check(error, "what the card has done");
  moment.cycle = card_time();
  return moment;
}

void WorkPhases::end(std::string name) {
  const std::optional<Moment> last = std::exchange(begin_, begin_ ? now() : std::nullopt);
  if (!begin_) return;
  const Moment begin = *last, end = *begin_;
  phases_.push_back({std::move(name),
                     end.cycle - begin.cycle,
                     {.any = end.work.any - begin.work.any,
                      .dma = end.work.dma - begin.work.dma,
                      .systolic = end.work.systolic - begin.work.systolic,
                      .vector = end.work.vector - begin.work.vector,
                      .bytesToCard = end.work.bytesToCard - begin.work.bytesToCard,
                      .bytesToHost = end.work.bytesToHost - begin.work.bytesToHost,
                      .barrier = end.work.barrier - begin.work.barrier}});
}

std::string WorkPhases::text() const {
  Table table(
      {"phase", ">cycles", ">an engine works", ">systolic", ">vector", ">DMA", ">bytes to card", ">to host"});
  for (const Phase& phase : phases_) {
    const sdaaDeviceWork_t& work = phase.work;
    std::vector<std::string> row = {phase.name};
    for (const uint64_t number :
         {phase.cycles, work.any, work.systolic, work.vector, work.dma, work.bytesToCard, work.bytesToHost})
      row.push_back(fmt::format("{}", number));
    table.add(std::move(row));
  }
  return table.text();
}

Json WorkPhases::json() const {
  Json all = Json::array();
  for (const Phase& phase : phases_) {
    all.push_back({{"phase", phase.name},
                   {"cycles", phase.cycles},
                   {"any", phase.work.any},
                   {"systolic", phase.work.systolic},
                   {"vector", phase.work.vector},
                   {"barrier", phase.work.barrier},
                   {"dma", phase.work.dma},
                   {"bytes_to_card", phase.work.bytesToCard},
                   {"bytes_to_host", phase.work.bytesToHost}});
  }
  return all;
}

}  // namespace swai::cli
