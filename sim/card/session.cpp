// SPDX-License-Identifier: Apache-2.0
#include "sim/card/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>

#include "build/gen/card_regs.hpp"

namespace swai::card {
namespace {

// Clocks between two looks at signals, the terminal and the clock on the wall; and for a debugger that waits.
constexpr uint64_t kSlice = 100'000;
constexpr uint64_t kGdbSlice = 2'000;
// A sleeping card gets a few clocks after every look at the debugger, so that a halt request reaches the
// core.
constexpr uint64_t kGdbWakeClocks = 100;
constexpr int kGdbWaitMs = 50;

}  // namespace

bool CardTarget::write_memory(uint64_t addr, std::span<const uint8_t> from) {
  const bool in_rom =
      addr < regs::kRomRegion.base + regs::kRomRegion.size && addr + from.size() > regs::kRomRegion.base;
  return !in_rom && common::MpeGdbTarget::write_memory(addr, from);
}

Session::Session(const Options& options)
    : options_(options),
      flash_(FlashStore::open(options.flash, options.flash_size)),
      console_(options.console, options.console_path),
      progress_(!options.quiet),
      events_(EventFile::open(options.events, options.events_limit)),
      card_({.seed = options.seed,
             .flash = {.times = FlashTimes{}.faster(options.flash_speed), .seed = options.seed.value_or(1)},
             .rom = options.rom,
             .waves = {options.wave, options.wave_from, options.wave_to, options.wave_trigger,
                       options.wave_length},
             .trace = options.trace,
             .events = events_.get(),
             .events_on = options.events_on},
            flash_, [this](uint8_t byte) { console_.put(byte); }),
      target_(card_, [this](std::string_view command) -> std::optional<std::string> {
        if (command != "status") return "monitor status: cycles and boot status\n";
        return fmt::format("{} cycles, {}\n", card_.cycle(), text(card_.status().stage));
      }) {}

int Session::run() {
  if (options_.gdb) {
    target_.request_halt();
    if (!target_.run_until_halted()) {
      end(kExitFailed, "the core does not halt for the debugger");
      return *code_;
    }
    gdb_ =
        std::make_unique<common::GdbServer>(*options_.gdb, target_, [this] { target_.run_until_halted(); });
    fmt::print(stderr, "waiting for gdb: gdb-multiarch -ex 'target remote localhost:{}'\n", gdb_->port());
  }
  while (!code_) {
    if (stop_.pending() != 0) {
      end(options_.until_ready ? kExitFailed : kExitOk,
          options_.until_ready ? "stopped before it was ready" : "");
    } else if (!serve_gdb()) {
      simulate(gdb_ ? kGdbSlice : kSlice);
      check_limits();
      if (!code_ && card_.asleep()) on_sleep();
    }
  }
  if (gdb_) gdb_->exited(*code_);
  progress_.clear();
  console_.flush();
  card_.flash().finish();
  flash_.flush();
  if (events_) {
    card_.events()->record(false);
    events_->finish();
  }
  if (options_.json) {
    fmt::print("{}", json(report()));
  } else if (options_.stats) {
    fmt::print("{}", table(report()));
  }
  return *code_;
}

// True: the core stands still for the debugger, there is nothing to simulate.
bool Session::serve_gdb() {
  if (!gdb_) return false;
  gdb_->poll(target_.halted() ? kGdbWaitMs : 0);
  if (gdb_->kill_requested()) end(kExitFailed, "killed by the debugger");
  return code_.has_value() || target_.halted();
}

void Session::simulate(uint64_t clocks) {
  if (options_.max_cycles != 0) clocks = std::min(clocks, options_.max_cycles - card_.cycle());
  const uint64_t before = card_.cycle();
  const auto start = std::chrono::steady_clock::now();
  card_.run(clocks);
  progress_.ran(card_.cycle() - before, std::chrono::steady_clock::now() - start);
  if (console_.has_output()) {
    progress_.clear();
    if (!console_.flush()) end(kExitOk, "");
  }
  progress_.update(card_.cycle(), text(card_.status().stage));
  if (console_.interactive() && card_.uart().quiet()) {
    if (const auto byte = console_.poll()) card_.uart().push({&*byte, 1});
  }
}

void Session::check_limits() {
  if (options_.max_cycles != 0 && card_.cycle() >= options_.max_cycles && !code_) {
    end(kExitFailed, fmt::format("no end after {} cycles, the card is in stage {}", card_.cycle(),
                                 text(card_.status().stage)));
  }
}

void Session::on_sleep() {
  progress_.clear();
  using Stage = BootStatus::Stage;
  const Stage stage = card_.status().stage;
  const bool broken = stage == Stage::kRecovery || stage == Stage::kFailed;
  if (options_.until_ready) {
    end(stage == Stage::kReady ? kExitOk : kExitFailed,
        stage == Stage::kReady
            ? ""
            : fmt::format("the card sleeps in stage {} and did not become ready", text(stage)));
  } else if (gdb_) {
    const auto byte = console_.wait(kGdbWaitMs, {stop_.fd()});
    if (byte) card_.uart().push({&*byte, 1});
    for (uint64_t i = 0; i < kGdbWakeClocks; ++i) card_.tick();
  } else if (console_.ended()) {
    // Nothing can wake the card any more.
    end(broken ? kExitFailed : kExitOk,
        broken ? fmt::format("the card sleeps in stage {}", text(stage)) : "");
  } else if (const auto byte = console_.wait(-1, {stop_.fd()})) {
    card_.uart().push({&*byte, 1});
  }
}

void Session::end(int code, std::string reason) {
  code_ = code;
  progress_.clear();
  console_.flush();
  if (!reason.empty()) fmt::print(stderr, "swai-card: {}\n", reason);
}

Report Session::report() {
  return {.status = card_.status(),
          .cycles = card_.cycle(),
          .boot_cycles = card_.ready_cycle(),
          .image_bytes = image_bytes(flash_, card_.status().slot),
          .khz = progress_.khz(),
          .flash = card_.flash().counters(),
          .violations = card_.flash_pins().violations(),
          .uart_framing_errors = card_.uart().framing_errors()};
}

}  // namespace swai::card
