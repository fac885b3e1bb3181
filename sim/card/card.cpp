// SPDX-License-Identifier: Apache-2.0
#include "sim/card/card.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "build/gen/card_regs.hpp"

namespace swai::card {
namespace {

namespace status_word = regs::system::status;

constexpr unsigned kResetClocks = 8;

// $readmemh only warns when it cannot read.
const std::string& readable(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "r");
  if (file == nullptr) {
    throw std::runtime_error(fmt::format("boot ROM {}: cannot read it: {}; `make firmware` builds one", path,
                                         std::strerror(errno)));
  }
  std::fclose(file);
  return path;
}

}  // namespace

const char* text(BootStatus::Stage stage) {
  using enum BootStatus::Stage;
  switch (stage) {
    case kReset:
      return "reset";
    case kRom:
      return "rom";
    case kLoading:
      return "loading";
    case kKernel:
      return "kernel";
    case kReady:
      return "ready";
    case kRecovery:
      return "recovery";
    case kFailed:
      return "failed";
  }
  return "unknown";
}

Card::Card(const CardOptions& options, FlashStore& flash, std::function<void(uint8_t)> console,
           rootport::RootPort* port)
    : model_(options.seed, readable(options.rom), options.waves),
      hbm_(model_.top().groups_o, options.seed),
      port_(port),
      chip_(flash, options.flash),
      flash_pins_(chip_),
      console_(std::move(console)),
      uart_(static_cast<uint32_t>(regs::uart::divisor::kReset), [this](uint8_t byte) { console_(byte); }) {
  if (!options.trace.empty()) trace_.emplace(options.trace);
  if (options.events != nullptr || !options.waves.trigger.empty()) {
    events_.emplace(options.number, groups(), options.events, [this] { return now(); });
    events_->record(options.events_on);
    if (!options.waves.trigger.empty()) {
      const auto trigger = Trigger::parse(options.waves.trigger);
      if (!trigger) throw std::runtime_error("waves: no such trigger: " + options.waves.trigger);
      events_->arm(*trigger, [this] { return model_.open_window(); });
    }
  }
  Vcard_top& top = model_.top();
  if (port_ != nullptr) {
    port_->attach({.tx_valid = &top.tx_valid_o,
                   .tx_beat = top.tx_beat_o.data(),
                   .rx_limit = &top.rx_limit_o,
                   .link_up = &top.link_up_i,
                   .tx_ready = &top.tx_ready_i,
                   .tx_limit = &top.tx_limit_i,
                   .rx_valid = &top.rx_valid_i,
                   .rx_beat = top.rx_beat_i.data()});
  } else {
    top.link_up_i = 0;
    top.tx_ready_i = 0;
    top.tx_limit_i = 0;
    top.rx_valid_i = 0;
  }
  top.serial_i = port_ == nullptr ? 0 : port_->card();
  power_cycle();
}

void Card::power_cycle() {
  Vcard_top& top = model_.top();
  hbm_.make_current();
  hbm_.clear();
  chip_.set_now(now());
  chip_.power_cut();
  flash_pins_.clock(now(), {});
  uart_.reset();
  drive({});
  top.uart_rx_i = 1;
  top.flash_io_i = 0xF;
  top.rst_ni = 0;
  for (unsigned i = 0; i < kResetClocks; ++i) {
    top.trace_i = events_ ? events_->clock() : 0;
    model_.tick();
  }
  top.rst_ni = 1;
  epoch_ += cycle_;
  cycle_ = 0;
  ready_cycle_ = 0;
  last_status_ = top.status_o;
}

BootStatus Card::status() const {
  const uint32_t word = last_status_;
  return {.stage = static_cast<BootStatus::Stage>(status_word::kStage.get(word)),
          .slot = static_cast<BootStatus::Slot>(status_word::kSlot.get(word)),
          .detail = static_cast<uint16_t>(status_word::kDetail.get(word))};
}

const array::Works* Card::works() const { return array::works_of(&model_.context()); }

void Card::note_status() {
  last_status_ = model_.top().status_o;
  if (ready_cycle_ == 0 && status().stage == BootStatus::Stage::kReady) ready_cycle_ = cycle_;
}

void Card::drive(const common::DebugRequest& request) {
  Vcard_top& top = model_.top();
  top.dbg_halt_i = request.halt;
  top.dbg_resume_i = request.resume;
  top.dbg_step_i = request.step;
  top.dbg_ebreak_halts_i = request.ebreak_halts;
  top.dbg_insn_valid_i = request.insn_valid;
  top.dbg_insn_i = request.insn;
  top.dbg_data_we_i = request.data_we;
  top.dbg_data_i = request.data;
  top.dbg_bp_en_i = request.bp_en;
  static_assert(sizeof top.dbg_bp_addr_i == sizeof request.bp_addr);
  std::memcpy(top.dbg_bp_addr_i.data(), request.bp_addr.data(), sizeof request.bp_addr);
}

common::DebugResponse Card::sample() const {
  const Vcard_top& top = model_.top();
  return {.halted = top.dbg_halted_o != 0,
          .cause = top.dbg_cause_o,
          .busy = top.dbg_busy_o != 0,
          .fault = top.dbg_fault_o != 0,
          .data = top.dbg_data_o};
}

}  // namespace swai::card
