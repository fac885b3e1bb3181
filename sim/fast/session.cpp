// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "card_regs.hpp"
#include "sim/common/host_threads.hpp"
#include "sim/fast/sizes.hpp"
#include "sim/fast/snapshot.hpp"

namespace swai::fast {
namespace {

constexpr unsigned kJsonVersion = 1;
// Cycles between two looks at signals and the terminal.
constexpr uint64_t kSlice = 1'000'000;

// What this process has had of the machine's time: what others do on it does not count.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

Session::Session(const card::Options& options)
    : options_(options),
      flash_(card::FlashStore::open(options.flash, options.flash_size)),
      console_(options.console, options.console_path),
      workers_(common::host_threads(kMostThreads)),
      mistakes_(Mistakes::make(options)),
      card_({.sizes = sizes_of(options.config),
             .rom = options.rom,
             .flash = {.times = card::FlashTimes{}.faster(options.flash_speed)},
             .workers = &workers_,
             .mistakes = mistakes_.get()},
            flash_,
            {.console = [this](uint8_t byte) { console_.put(byte); },
             .message = [](const Msix::Message&) {},
             .function_reset = [] {}}) {
  if (!options.restore.empty()) restore_snapshot(options.restore, card_);
  first_instruction_ = card_.instructions();
}

// The exit code of a card that sleeps and that nothing can wake any more.
int Session::ended() const {
  namespace status = regs::system::status;
  const uint64_t stage = status::kStage.get(card_.status());
  if (options_.until_ready) return stage == status::kStageReady ? card::kExitOk : card::kExitFailed;
  const bool broken = stage == status::kStageRecovery || stage == status::kStageFailed;
  return broken ? card::kExitFailed : card::kExitOk;
}

// What to do about a card that sleeps: an exit code, or -1: it goes on.
int Session::asleep() {
  if (options_.until_ready || console_.ended()) return ended();
  if (const auto byte = console_.wait(-1, {stop_.fd()})) card_.uart().push(*byte);
  return -1;
}

void Session::report(double seconds) const {
  namespace status = regs::system::status;
  const uint64_t stage = status::kStage.get(card_.status());
  const double mips = static_cast<double>(card_.instructions() - first_instruction_) / seconds / 1e6;
  if (options_.json) {
    const nlohmann::ordered_json object = {{"version", kJsonVersion},
                                           {"tier", card::kFastTier},
                                           {"stage", stage},
                                           {"instructions", card_.instructions()},
                                           {"fast_cycles", card_.cycle()},
                                           {"fast_boot_cycles", card_.ready_cycle()},
                                           {"processor_seconds", seconds},
                                           {"mips", mips}};
    fmt::print("{}\n", object.dump(2));
  } else if (options_.stats) {
    fmt::print("{:<32}{:>14}\n", "fast tier: stage", stage);
    fmt::print("{:<32}{:>14}\n", "fast tier: instructions", card_.instructions());
    fmt::print("{:<32}{:>14} (no claim about the card)\n", "fast tier: cycles to ready", card_.ready_cycle());
    fmt::print("{:<32}{:>14.1f} million a second\n", "fast tier: instructions", mips);
  }
}

int Session::run() {
  int code = -1;
  double simulated = 0;
  while (code < 0) {
    const uint64_t limit = options_.max_cycles == 0 ? card_.cycle() + kSlice : options_.max_cycles;
    const double start = processor_seconds();
    card_.run(std::min(limit, card_.cycle() + kSlice));
    simulated += processor_seconds() - start;
    if (!console_.flush() || stop_.pending() != 0) {
      code = options_.until_ready ? card::kExitFailed : card::kExitOk;
    } else if (options_.max_cycles != 0 && card_.cycle() >= options_.max_cycles) {
      fmt::print(stderr, "swai-card: no end after {} cycles\n", card_.cycle());
      code = card::kExitFailed;
    } else if (card_.asleep()) {
      code = asleep();
    } else if (console_.interactive()) {
      if (const auto byte = console_.poll()) card_.uart().push(*byte);
    }
  }
  console_.flush();
  card_.flash().finish();
  flash_.flush();
  if (!options_.save.empty()) save_snapshot(options_.save, card_, Client::kNone);
  report(simulated);
  return code;
}

}  // namespace swai::fast
