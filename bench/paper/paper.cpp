// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/paper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "build/gen/version.hpp"
#include "bench/card_of_its_own.hpp"
#include "bench/paper/breakdown_table.hpp"
#include "bench/paper/launch_tables.hpp"
#include "bench/paper/load_table.hpp"
#include "bench/paper/published.hpp"
#include "bench/paper/random_speech.hpp"
#include "bench/paper/shares.hpp"
#include "bench/table_report.hpp"

namespace swai::cli::bench {
namespace {

// A head: the least that a row has. Counts do not depend on it.
constexpr uint32_t kNarrow = 64;

constexpr const char* kTables[] = {"breakdown", "launches", "launch",  "overhead",
                                   "loading",   "building", "copying", "shares"};

struct Wish {
  std::vector<std::string> tables;
  std::vector<std::string> shapes;
  std::vector<unsigned> seconds;
  std::string loading;  // stages that were measured
  TableReport report{"bench paper"};
  SpokenJob spoken;
  unsigned tokens = 0;  // of a window; 0: as the paper reckons
  uint32_t width = kNarrow;
  bool full_width = false;
};

bool wants(const Wish& wish, const std::string& table) {
  return wish.tables.empty() || std::ranges::find(wish.tables, table) != wish.tables.end();
}

// 60 of a window of 30 seconds, fewer of a sound that is shorter.
unsigned tokens_of(unsigned seconds) {
  return std::max(4U, published::kTokensOfWindow * std::min(seconds, published::kWindowSeconds) /
                          published::kWindowSeconds);
}

std::vector<SpeechJob> jobs_of(const Wish& wish) {
  std::vector<SpeechJob> jobs;
  for (const std::string& shape : wish.shapes)
    for (const unsigned seconds : wish.seconds)
      jobs.push_back({shape, seconds, wish.tokens != 0 ? wish.tokens : tokens_of(seconds),
                      wish.full_width ? 0 : wish.width});
  return jobs;
}

// Of a card whose cycles are those of the hardware.
std::optional<LaunchCosts> costs_on_rtl(const Cli& cli, std::string& missing) {
  try {
    const CardOfItsOwn card(cli.options(), "rtl");
    return measure_launch_costs();
  } catch (const Error& error) {
    missing = error.what();
    return std::nullopt;
  }
}

PaperTable shares(const Cli& cli, const SpokenJob& job) {
  if (job.model.empty()) return empty_share_table();
  const CardOfItsOwn card(cli.options(), "rtl");
  return share_table(cli.options(), job);
}

// Counts are the same on both tiers, and the functional one is done sooner. Zeros where no table has them.
std::vector<CountedJob> count(const Cli& cli, const Wish& wish) {
  std::vector<CountedJob> counted;
  for (const SpeechJob& job : jobs_of(wish)) counted.push_back({job, {}});
  if (!wants(wish, "breakdown") && !wants(wish, "launches") && !wants(wish, "overhead") &&
      !wants(wish, "building") && !wants(wish, "copying"))
    return counted;
  const CardOfItsOwn card(cli.options(), "fast");
  for (CountedJob& one : counted) one.launches = count_launches(cli.options(), one.job);
  return counted;
}

int run(const Cli& cli, Wish wish) {
  wish.report.begin();
  if (wish.report.only_draws()) return kDone;
  if (wish.shapes.empty()) wish.shapes = {"base", "large"};
  if (wish.seconds.empty()) wish.seconds = {11, 260};
  if (wish.spoken.host_us.empty())
    wish.spoken.host_us = {0, std::round(published::kUsOfPyTorchLaunch * 10) / 10};
  if (wish.width % kNarrow != 0)
    throw Error(kBadInput, fmt::format("--width {}: heads have {} channels, so it takes a multiple of {}",
                                       wish.width, kNarrow, kNarrow));
  const bool with_costs = wants(wish, "breakdown") || wants(wish, "launch") || wants(wish, "overhead");
  std::string missing;
  const std::optional<LaunchCosts> costs = with_costs ? costs_on_rtl(cli, missing) : std::nullopt;
  const std::vector<CountedJob> counted = count(cli, wish);
  std::vector<PaperTable> tables;
  if (wants(wish, "breakdown")) tables.push_back(breakdown_table(counted, wish.loading, costs, missing));
  if (wants(wish, "launches")) tables.push_back(launch_table(counted));
  if (wants(wish, "launch")) tables.push_back(cost_table(costs, missing));
  if (wants(wish, "overhead")) tables.push_back(overhead_table(counted, costs, missing));
  if (wants(wish, "loading")) tables.push_back(load_table(wish.loading));
  if (wants(wish, "building")) tables.push_back(building_table(counted));
  if (wants(wish, "copying")) tables.push_back(copying_table(counted));
  if (wants(wish, "shares")) tables.push_back(shares(cli, wish.spoken));
  const std::string made =
      fmt::format("Measured on SWAI {}, tier fast (counts){}, commit {}.", cli.options().config_or_default(),
                  costs || !wish.spoken.model.empty() ? " and tier rtl (times)" : "", kVersion);
  return wish.report.print(cli, made, tables);
}

}  // namespace

void add_paper(Cli& cli, CLI::App& command, const std::function<void(std::function<int()>)>& chosen) {
  const auto wish = std::make_shared<Wish>();
  CLI::App* const paper =
      command.add_subcommand("paper", "tables of the paper on three-tier scheduling of Whisper");
  paper->fallthrough();
  paper->parse_complete_callback([&cli, wish, chosen] { chosen([&cli, wish] { return run(cli, *wish); }); });
  paper
      ->add_option(
          "--table", wish->tables,
          "only these: breakdown, launches, launch (one), overhead, loading, building, copying, shares")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kTables), std::end(kTables))))
      ->type_name("NAME");
  paper
      ->add_option("--shape", wish->shapes,
                   "of the model: tiny, base, small, medium, large (default: base, large)")
      ->check(CLI::IsMember(shape_names()))
      ->type_name("NAME");
  paper->add_option("--seconds", wish->seconds, "of sound (default: 11, 260)")
      ->check(CLI::Range(1U, 3600U))
      ->type_name("N");
  paper
      ->add_option("--tokens", wish->tokens,
                   "that each window of 30 seconds has (default: two for each second of it)")
      ->check(CLI::Range(4U, 224U))
      ->type_name("N");
  auto* const width = paper->add_option("--width", wish->width, "channels of a row, for counts (default: 64)")
                          ->check(CLI::Range(64U, 1280U))
                          ->type_name("N");
  paper->add_option("--loading", wish->loading, "stages of loading, from measure_load.py --stages")
      ->type_name("FILE");
  paper
      ->add_option(
          "--host-us", wish->spoken.host_us,
          "for the table of shares: microseconds that a host needs for an operator; for several, again "
          "(default: 0, and 10.3 as the paper's calls of CUDA for each launch)")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("N");
  paper->add_flag(
      "--once", wish->spoken.once,
      "for --model: it hears the sound once in each way, not twice of which the second counts, and "
      "not by the host's lists");
  paper->add_flag("--only-pytorch", wish->spoken.only_pytorch,
                  "for --model: of hosts, only those that launch PyTorch's operators");
  auto* const sound = paper->add_option("--sound", wish->spoken.sound, "for --model")->type_name("FILE");
  paper
      ->add_option("--model", wish->spoken.model,
                   "for the table of shares: a small Whisper that hears --sound on RTL")
      ->needs(sound)
      ->type_name("MODEL");
  wish->report.add_options(*paper);
  paper->add_flag("--full-width", wish->full_width, "rows as wide as the shape has them; takes long")
      ->excludes(width);
}

}  // namespace swai::cli::bench
