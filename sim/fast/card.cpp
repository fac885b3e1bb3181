// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/card.hpp"

#include <algorithm>

#include "card_regs.hpp"
#include "sim/fast/mistakes.hpp"

namespace swai::fast {
namespace {

// Cores run in rounds of so many cycles.
constexpr uint64_t kRound = 256;

constexpr uint64_t kGroupStride = regs::cg::kSize;
// Who reports a fault, among the faults of inbox.work; the first four are the memories of the groups.
constexpr unsigned kPcieFault = 4;
constexpr unsigned kCpeFaults = 5;

// Writes to several groups at once.
constexpr uint64_t kAllGroups = uint64_t{0x12} << 32;

}  // namespace

Card::Card(const CardOptions& options, card::FlashStore& flash, Outside outside)
    : sizes_(options.sizes),
      number_(options.number),
      flash_times_(options.flash.times),
      flash_store_(flash),
      mistakes_(options.mistakes),
      memory_(options.sizes.groups),
      chip_(flash, options.flash),
      outside_(std::move(outside)),
      management_(
          memory_, chip_, options.rom, *this, [this](uint8_t byte) { outside_.console(byte); },
          options.mistakes != nullptr ? &cache_ : nullptr),
      host_(options.number, [this] { return cycle(); }),
      dma_(memory_, host_,
           {.now = [this] { return cycle(); },
            .bus_master = [this] { return endpoint_.config().bus_master(); },
            .work =
                [this](unsigned channel) {
                  management_.inbox().raise(regs::inbox::work::kDma.put(uint64_t{1} << channel));
                },
            .interrupt = [this](unsigned vector) { endpoint_.interrupt(vector); },
            .reads = [this](uint64_t address, uint64_t bytes) { look_at_lines(address, bytes); }}),
      endpoint_(memory_, options.sizes,
                {.boot_status = [this] { return management_.status(); },
                 .doorbell =
                     [this](unsigned number) {
                       management_.inbox().raise(regs::inbox::work::kDoorbells.put(uint64_t{1} << number));
                     },
                 .reset = [this](bool processor, unsigned groups) { reset_parts(processor, groups); },
                 .read = [this](uint64_t offset, unsigned size,
                                uint64_t& value) { return read_endpoint(offset, size, value); },
                 .write = [this](uint64_t offset, unsigned size,
                                 uint64_t value) { return write_endpoint(offset, size, value); },
                 .function_reset = [this] { outside_.function_reset(); }}) {
  for (unsigned number = 0; number < options.sizes.groups; ++number) {
    const CoreGroup::Options group{.number = number,
                                   .rows = options.sizes.rows,
                                   .columns = options.sizes.columns,
                                   .workers = options.workers,
                                   .mistakes = options.mistakes,
                                   .cache = &cache_,
                                   .card = options.number,
                                   .allocations = &allocations_};
    groups_.push_back(std::make_unique<CoreGroup>(
        group, memory_,
        CoreGroup::Outside{
            .done = [this, number](uint64_t word, bool notify) { group_done(number, word, notify); },
            .fault = [this, number] { report_fault(kCpeFaults + number); },
            .read = [this](uint64_t address, unsigned size,
                           uint64_t& value) { return read(address, size, value); },
            .write = [this](uint64_t address, unsigned size,
                            uint64_t value) { return write(address, size, value); }}));
  }
}

void Card::group_done(unsigned group, uint64_t word, bool notify) {
  management_.inbox().done(group, word);
  if (notify) management_.inbox().raise(regs::inbox::work::kGroups.put(uint64_t{1} << group));
}

// The DMA engine reads them.
void Card::look_at_lines(uint64_t address, uint64_t bytes) {
  if (mistakes_ == nullptr) return;
  if (const auto line = cache_.dirty(address, bytes)) mistakes_->tell(number_, *line);
}

void Card::report_fault(unsigned number) {
  management_.inbox().raise(regs::inbox::work::kFaults.put(uint64_t{1} << number));
}

// ----------------------------------------------------------------------------------------------------- time

bool Card::groups_busy() const {
  return std::ranges::any_of(groups_, [](const auto& group) { return group->busy(); });
}

bool Card::asleep() { return management_.asleep() && !dma_.busy() && !groups_busy(); }

void Card::run_groups() {
  last_round_ = cycle();
  for (const auto& group : groups_) {
    if (group->busy()) group->run(kRound);
  }
}

void Card::send_messages() {
  while (const auto message = endpoint_.message()) outside_.message(*message);
}

void Card::note_status() {
  namespace field = regs::system::status;
  if (ready_cycle_ == 0 && field::kStage.get(management_.status()) == field::kStageReady)
    ready_cycle_ = cycle();
}

void Card::run(uint64_t until) {
  stop_ = false;
  while (cycle() < until) {
    dma_.run();
    send_messages();
    if (stop_ || asleep()) return;
    uint64_t next = std::min(until, dma_.due());
    const bool groups = groups_busy();
    if (groups) next = std::min(next, (cycle() / kRound + 1) * kRound);
    management_.advance(next - std::min(next, cycle()));
    note_status();
    if (groups && cycle() % kRound == 0 && cycle() != last_round_) run_groups();
  }
}

// --------------------------------------------------------------------------------------------------- resets

void Card::reset_parts(bool processor, unsigned groups) {
  for (unsigned number = 0; number < groups_.size(); ++number) {
    if ((groups >> number & 1) == 0) continue;
    groups_[number]->reset();
    management_.inbox().done(number, 0);
  }
  if (processor) {
    management_.reset(System::Cause::kHost);
    management_.hart().stop();
  }
}

void Card::reset_function(bool link) {
  dma_.abandon();
  endpoint_.reset_function(link);
  management_.debug().release();
  report_fault(kPcieFault);
}

void Card::lose_link() {
  endpoint_.config().set_link(false);
  reset_function(true);
}

// --------------------------------------------------------------------------------------------------- fabric

bool Card::read_endpoint(uint64_t offset, unsigned size, uint64_t& value) {
  const uint64_t address = regs::kCardRegion.base + offset;
  if (address - regs::dma::kBase < regs::dma::kSize)
    return dma_.read(address - regs::dma::kBase, size, value);
  if (address - regs::debug::kBase >= regs::debug::kSize) return false;
  return management_.debug().read(address - regs::debug::kBase, size, value);
}

bool Card::write_endpoint(uint64_t offset, unsigned size, uint64_t value) {
  const uint64_t address = regs::kCardRegion.base + offset;
  if (address - regs::dma::kBase < regs::dma::kSize)
    return dma_.write(address - regs::dma::kBase, size, value);
  if (address - regs::debug::kBase >= regs::debug::kSize) return false;
  return management_.debug().write(address - regs::debug::kBase, size, value);
}

bool Card::read(uint64_t address, unsigned size, uint64_t& value) {
  if (address - regs::cg::kBase < groups_.size() * kGroupStride) {
    const uint64_t offset = address - regs::cg::kBase;
    return groups_[offset / kGroupStride]->read(offset % kGroupStride, size, value);
  }
  if (address - regs::pcie::kBase < regs::pcie::kSize) {
    return endpoint_.read(address - regs::pcie::kBase, size, value);
  }
  return read_endpoint(address - regs::kCardRegion.base, size, value);
}

bool Card::write(uint64_t address, unsigned size, uint64_t value) {
  if (address - regs::cg::kBase < groups_.size() * kGroupStride) {
    const uint64_t offset = address - regs::cg::kBase;
    return groups_[offset / kGroupStride]->write(offset % kGroupStride, size, value);
  }
  if (address - kAllGroups < (uint64_t{1} << groups_.size()) * kGroupStride) {
    const uint64_t set = (address - kAllGroups) / kGroupStride;
    bool good = set != 0;
    for (unsigned group = 0; group < groups_.size(); ++group) {
      if ((set >> group & 1) != 0) good = groups_[group]->write(address % kGroupStride, size, value) && good;
    }
    return good;
  }
  if (address - regs::pcie::kBase < regs::pcie::kSize) {
    return endpoint_.write(address - regs::pcie::kBase, size, value);
  }
  return write_endpoint(address - regs::kCardRegion.base, size, value);
}

}  // namespace swai::fast
