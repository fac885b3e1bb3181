// SPDX-License-Identifier: Apache-2.0
// swai flash write, erase, rollback: plan, execution, and what is there afterwards.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "host/tools/cli/progress.hpp"
#include "host/tools/cli/started_card.hpp"
#include "host/tools/flash/flash_file.hpp"
#include "host/tools/flash/plan.hpp"
#include "host/tools/swai/flash/flash.hpp"

namespace swai::cli {
namespace {

using flash::BoardError;
using flash::Outcome;
using flash::Plan;
using flash::Trouble;
using image::Slot;

constexpr int kInterrupted = 130;

const char* word(Outcome::End end) {
  switch (end) {
    case Outcome::End::kDone:
      return "done";
    case Outcome::End::kStopped:
      return "stopped";
    case Outcome::End::kFailed:
      return "failed";
  }
  return "";
}

// What is true when the board cannot be asked any more: only what was planned has been touched.
std::vector<std::string> statement_without_board(const Plan& plan, const flash::Contents& before) {
  std::vector<std::string> lines = {"the board cannot be asked what is on its chip now"};
  if (!plan.slot) {
    lines.emplace_back("the region is incomplete; its slots were not touched");
  } else {
    lines.push_back(fmt::format("slot {} may be incomplete; nothing else was touched", letter(*plan.slot)));
    const flash::SlotContents& rest = before.slot(flash::other(*plan.slot));
    if (rest.valid()) {
      lines.push_back(
          fmt::format("slot {} holds {} as before, and the card boots it unless slot {} was complete",
                      letter(flash::other(*plan.slot)), flash::name_of(rest.header), letter(*plan.slot)));
    } else {
      lines.emplace_back("there was nothing else to boot");
    }
  }
  lines.emplace_back("plug the board in again, then: swai flash info");
  return lines;
}

// Reads the slots again, on failure too, when the board may be gone.
std::vector<std::string> statement(Target& target, const Plan& plan, const flash::Contents& before,
                                   bool failed, Json& report) {
  try {
    if (failed) target.programmer->recover();
    const auto after = read_contents(*target.programmer, target.board.slots);
    report.update(describe(after));
    auto lines = explain(after);
    if (failed) lines.emplace_back("the same command again goes on where this one ended");
    return lines;
  } catch (const BoardError&) {
    const auto lines = statement_without_board(plan, before);
    report["explanation"] = lines;
    return lines;
  }
}

int carry_out(const Cli& cli, const FlashWish& wish, Target& target, const Plan& plan,
              const flash::Contents& before, const std::string& what, Json& report) {
  report["plan"] = {{"says", plan.says},
                    {"steps", plan.steps.size()},
                    {"erase_bytes", plan.erase_bytes},
                    {"program_bytes", plan.program_bytes}};
  print_lines(cli, plan.says);
  if (wish.dry_run || plan.steps.empty()) {
    if (wish.dry_run) {
      for (const flash::Step& step : plan.steps)
        print_lines(cli, {fmt::format("  {:#08x} {:6} bytes: {}", step.offset, step.bytes, describe(step))});
    }
    report["outcome"] = plan.steps.empty() ? "nothing to do" : "dry run";
    return kDone;
  }

  std::atomic<bool> stop = false;
  StartedCard::call_on_signal([&stop](int) { stop = true; });
  Outcome outcome;
  {
    Progress progress(!cli.options().quiet, what);
    outcome = execute(plan, *target.programmer,
                      {.progress =
                           [&](size_t done, size_t all) {
                             progress.reached(static_cast<double>(done) / static_cast<double>(all));
                           },
                       .wants_stop = [&stop] { return stop.load(); }});
  }
  const bool failed = outcome.end == Outcome::End::kFailed;
  report["outcome"] = word(outcome.end);
  report["retries"] = outcome.retries;
  if (!outcome.why.empty()) {
    report["why"] = outcome.why;
    fmt::print(stderr, "swai: {}: {}\n", target.name, outcome.why);
  }
  const auto lines = statement(target, plan, before, failed, report);
  StartedCard::call_on_signal(nullptr);
  print_lines(cli, lines);
  if (failed) return code_of(*outcome.trouble);
  return outcome.end == Outcome::End::kStopped ? kInterrupted : kDone;
}

const boards::Region& region_to_change(const FlashWish& wish, const Target& target) {
  const boards::Region& region = boards::find_region(target.board, wish.region);
  if (region.name.starts_with("slot-")) {
    throw BoardError(Trouble::kRefused, fmt::format("region {} is a slot: {} without --region looks after it",
                                                    region.name, "write IMAGE, or erase --slot,"));
  }
  if (region.is_protected && !wish.allow_protected) {
    throw BoardError(
        Trouble::kRefused,
        fmt::format("region {} is what {} needs to start; --allow-protected changes it all the same",
                    region.name, target.board.title));
  }
  return region;
}

int change_region(const Cli& cli, const FlashWish& wish, Target& target, flash::Bytes wanted,
                  const std::string& what, Json& report) {
  const boards::Region& region = region_to_change(wish, target);
  if (wanted.empty()) wanted.assign(region.bytes, 0xFF);
  if (wanted.size() > region.bytes) {
    throw Error(kBadInput, fmt::format("{}: has {} bytes, region {} only {}", wish.file, wanted.size(),
                                       region.name, region.bytes));
  }
  const auto before = read_contents(*target.programmer, target.board.slots);
  flash::Bytes present(flash::bytes_to_know(target.programmer->geometry(), wanted.size()));
  target.programmer->read(region.offset, present);
  // What lies behind the file in its last sector stays.
  wanted.insert(wanted.end(), present.begin() + static_cast<ptrdiff_t>(wanted.size()), present.end());
  const Plan plan = plan_raw(target.programmer->geometry(), region.offset, present, wanted);
  return carry_out(cli, wish, target, plan, before, what, report);
}

}  // namespace

int flash_write(const Cli& cli, const FlashWish& wish) {
  const flash::Bytes file = flash::read_file(wish.file);
  if (wish.region.empty()) {
    // Before any board is opened, so that a bad image costs nothing.
    if (const auto refusal = flash::check(file); refusal != image::Refusal::kNone) {
      throw Error(kBadInput,
                  fmt::format("{}: image refused: {}; nothing was written", wish.file, text(refusal)));
    }
  } else if (file.empty()) {
    throw Error(kBadInput, fmt::format("{}: is empty", wish.file));
  }
  return for_targets(cli, wish, [&](Target& target, Json& report) {
    if (!wish.region.empty()) return change_region(cli, wish, target, file, "writes the region", report);
    const auto& geometry = target.programmer->geometry();
    const auto contents =
        read_contents(*target.programmer, target.board.slots, flash::bytes_to_know(geometry, file.size()));
    const Plan plan =
        plan_write(contents, target.board.slots, geometry, file,
                   {.slot = wish.wanted_slot(), .downgrade = wish.downgrade, .running = target.running});
    return carry_out(cli, wish, target, plan, contents, "writes the image", report);
  });
}

int flash_erase(const Cli& cli, const FlashWish& wish) {
  if (wish.slot.empty() == wish.region.empty()) throw Error(kBadInput, "what? --slot or --region tells");
  return for_targets(cli, wish, [&](Target& target, Json& report) {
    if (!wish.region.empty()) return change_region(cli, wish, target, {}, "erases the region", report);
    const auto contents = read_contents(*target.programmer, target.board.slots, target.board.slots.bytes);
    const Plan plan = plan_erase(contents, target.board.slots, target.programmer->geometry(),
                                 *wish.wanted_slot(), target.running);
    return carry_out(cli, wish, target, plan, contents, "erases the slot", report);
  });
}

int flash_rollback(const Cli& cli, const FlashWish& wish) {
  return for_targets(cli, wish, [&](Target& target, Json& report) {
    const auto contents = read_contents(*target.programmer, target.board.slots);
    const Plan plan = plan_rollback(contents, target.board.slots);
    return carry_out(cli, wish, target, plan, contents, "puts the other slot first", report);
  });
}

}  // namespace swai::cli
