// SPDX-License-Identifier: Apache-2.0
#include "host/tools/cli/work_phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "host/tools/cli/error.hpp"
#include "host/tools/cli/measured.hpp"
#include "host/tools/cli/table.hpp"

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

void WorkPhases::end(const std::string& name) {
  const std::optional<Moment> last = std::exchange(begin_, begin_ ? now() : std::nullopt);
  if (!begin_) return;
  auto phase = std::ranges::find(phases_, name, &Phase::name);
  if (phase == phases_.end()) phase = phases_.insert(phase, {.name = name});
  phase->cycles += begin_->cycle - last->cycle;
  for (uint64_t sdaaDeviceWork_t::*const count :
       {&sdaaDeviceWork_t::any, &sdaaDeviceWork_t::dma, &sdaaDeviceWork_t::systolic,
        &sdaaDeviceWork_t::vector, &sdaaDeviceWork_t::bytesToCard, &sdaaDeviceWork_t::bytesToHost,
        &sdaaDeviceWork_t::barrier})
    phase->work.*count += begin_->work.*count - last->work.*count;
}

const WorkPhases::Phase& WorkPhases::at(std::string_view name) const {
  const auto phase = std::ranges::find(phases_, name, &Phase::name);
  if (phase == phases_.end()) throw std::logic_error(fmt::format("there is no phase {}", name));
  return *phase;
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
