// SPDX-License-Identifier: Apache-2.0
// swai bench: the measurements of papers, on this card; those of the SDAA paper are here.
#include "bench/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "host/lib/argument_text.hpp"
#include "build/gen/version.hpp"
#include "bench/figures.hpp"
#include "bench/llm/llm.hpp"
#include "bench/paper/paper.hpp"
#include "bench/svg.hpp"
#include "host/tools/cli/link_errors.hpp"
#include "host/tools/cli/places.hpp"
#include "host/tools/cli/progress.hpp"
#include "host/tools/cli/started_card.hpp"
#include "host/tools/cli/table.hpp"

namespace swai::cli {
namespace {

constexpr const char* kExamples =
    R"(Figures: 8 allocators on the management processor, 9 allocation, 10 pageable memory with many threads and with one,
11 copies on the card, 12 copies of all kinds, 13 launches with their parts (formulas 12 to 14). The slow ways stand beside ours:
the C library's allocator, page tables and page lists that the host writes, one thread, a ring with command buffers in the host,
the classic start. Times are the card's own; the host's software takes none but for copying, 10 bytes per ns and thread. What the
paper has as a number stands beside ours. Figure 8 and the two starts on the card alone come from firmware of their own, on a card
that is started for it.

Examples:
  swai bench sdaa
  swai bench sdaa --figure 10 --sizes 1M --sizes 64M --json
  swai bench sdaa --all --svg pictures
  swai bench sdaa --draw measured.json --svg pictures)";

// Cycles that a simulated card does in a second while it copies: no more than an estimate.
constexpr double kSpeed = 300'000;

struct Wish {
  bench::Plan plan;
  bool all = false;
  std::string pictures;
  std::string drawn;  // figures that were measured before
};

Json describe(const bench::Figure& figure) {
  Json report = {{"figure", figure.number}, {"title", figure.title},      {"rates", figure.rates},
                 {"series", Json::array()}, {"published", Json::array()}, {"notes", figure.notes}};
  for (const bench::Series& series : figure.series) {
    Json points = Json::array();
    for (const bench::Point& point : series.points) {
      Json one = {{"ns", point.ns}};
      if (point.bytes != 0) one["bytes"] = point.bytes;
      if (figure.rates) one["bytes_per_ns"] = bench::value_of(figure, point);
      points.push_back(std::move(one));
    }
    report["series"].push_back(
        {{"name", series.name}, {"baseline", series.baseline}, {"points", std::move(points)}});
  }
  for (const bench::Published& one : figure.published)
    report["published"].push_back({{"what", one.what},
                                   {"paper", one.value},
                                   {"paper_number", one.number},
                                   {"time", one.kind == bench::Published::Kind::kTime},
                                   {"ours", one.ours},
                                   {"worse", one.worse() ? Json(one.why) : Json(nullptr)}});
  return report;
}

// What `describe` has written.
bench::Figure figure_of(const Json& report) {
  bench::Figure figure{report.at("figure"), report.at("title"), report.at("rates"), {}, {},
                       report.at("notes")};
  for (const Json& series : report.at("series")) {
    bench::Series& own = figure.series.emplace_back();
    own.name = series.at("name");
    own.baseline = series.at("baseline");
    for (const Json& point : series.at("points"))
      own.points.push_back({point.value("bytes", uint64_t{0}), point.at("ns")});
    if (own.points.empty()) throw Error(kBadInput, "a series without points");
  }
  for (const Json& one : report.at("published")) {
    using Kind = bench::Published::Kind;
    const Json& why = one.at("worse");
    figure.published.push_back({one.at("what"), one.at("paper"), one.at("ours"), one.at("paper_number"),
                                one.at("time") ? Kind::kTime : Kind::kFactor,
                                why.is_null() ? "" : std::string(why)});
  }
  if (figure.series.empty()) throw Error(kBadInput, "a figure without series");
  return figure;
}

void draw(const bench::Figure& figure, const std::string& made, const std::string& folder) {
  const std::string picture = bench::svg(figure, made);
  kernel_run::write_file(fmt::format("{}/figure-{}.svg", folder, figure.number),
                         {reinterpret_cast<const uint8_t*>(picture.data()), picture.size()});
}

// Pictures of what was measured before.
int draw_all(const Wish& wish) {
  const std::vector<uint8_t> bytes = kernel_run::read_file(wish.drawn);
  try {
    const Json report = Json::parse(bytes);
    for (const Json& figure : report.at("figures")) draw(figure_of(figure), report.at("made"), wish.pictures);
  } catch (const Json::exception& error) {
    throw Error(kBadInput,
                fmt::format("{}: not what `bench sdaa --json` prints: {}", wish.drawn, error.what()));
  }
  return kDone;
}

void print(const bench::Figure& figure) {
  fmt::print("Figure {}. {}: {}\n", figure.number, figure.title,
             figure.rates ? "ns, and bytes per ns" : "ns");
  std::vector<std::string> names = {""};
  for (const bench::Point& point : figure.series.front().points)
    names.push_back(">" + (point.bytes == 0 ? std::string("ns") : size_text(point.bytes)));
  Table table(names);
  for (const bench::Series& series : figure.series) {
    std::vector<std::string> row = {series.name};
    for (const bench::Point& point : series.points) {
      row.push_back(figure.rates ? fmt::format("{:.0f} ({:.2f})", point.ns, bench::value_of(figure, point))
                                 : fmt::format("{:.0f}", point.ns));
    }
    table.add(std::move(row));
  }
  fmt::print("{}", table.text());
  for (const bench::Published& one : figure.published) fmt::print("{}\n", bench::text(one));
  for (const std::string& note : figure.notes) fmt::print("{}\n", note);
  fmt::print("\n");
}

bench::OnProcessor measure_on_processor(const Cli& cli, const bench::Plan& plan) {
  const bool allocators = plan.wants(8);
  const bool starts = plan.wants(13);
  bench::OnProcessor result;
  if (!allocators && !starts) return result;
  if (!cli.options().quiet)
    fmt::print(stderr, "swai: starts a simulated card for what its processor measures by itself\n");
  if (allocators) bench::measure_allocators(cli.options(), result);
  if (starts) bench::measure_starts(cli.options(), result);
  return result;
}

// What was measured, beside which commit of it.
std::string made_of(const Cli& cli, const bench::Plan& plan) {
  std::string card = "SWAI " + cli.options().config_or_default();
  sdaaDeviceProp_t properties = {};
  if (needs_card(plan)) {
    check(sdaaGetDeviceProperties(&properties, 0), "properties of the card");
    card = properties.name;
  }
  return fmt::format("Measured on {}, tier {}, commit {}. One ns is one cycle of the card.", card,
                     cli.options().tier, kVersion);
}

std::vector<bench::Figure> measure(const Cli& cli, const bench::Plan& plan, std::string& made) {
  const bench::OnProcessor on_processor = measure_on_processor(cli, plan);
  std::optional<UsedCard> card;
  if (needs_card(plan)) card.emplace(cli.options());
  made = made_of(cli, plan);
  const double all = bench::cost(plan);
  if (!cli.options().quiet && card)
    fmt::print(stderr, "swai: about {:.1f} million cycles of the card, {:.0f} s of a simulated one\n",
               all / 1e6, all / kSpeed);
  Progress progress(!cli.options().quiet && card, "figures");
  double done = 0;
  return bench::measure(plan, on_processor,
                        [&](double cycles) { progress.reached(std::min(1.0, (done += cycles) / all)); });
}

int sdaa_figures(const Cli& cli, Wish wish) {
  constexpr uint64_t kKib = 1 << 10;
  constexpr uint64_t kMib = 1 << 20;
  bench::Plan& plan = wish.plan;
  if (plan.sizes.empty()) {
    plan.sizes = {kKib, 16 * kKib, 256 * kKib, 4 * kMib};
    if (wish.all) plan.sizes.insert(plan.sizes.end(), {8 * kMib, 64 * kMib});
  }
  std::ranges::sort(plan.sizes);
  plan.module = places().bench.string();
  if (!wish.pictures.empty()) {
    std::error_code problem;
    std::filesystem::create_directories(wish.pictures, problem);
    if (problem) throw Error(kBadInput, fmt::format("--svg {}: {}", wish.pictures, problem.message()));
  }
  std::string made;
  if (!wish.drawn.empty()) return draw_all(wish);
  const std::vector<bench::Figure> figures = measure(cli, plan, made);
  Json report = {{"made", made}, {"figures", Json::array()}};
  for (const bench::Figure& figure : figures) {
    report["figures"].push_back(describe(figure));
    if (!cli.options().json) print(figure);
    if (!wish.pictures.empty()) draw(figure, made, wish.pictures);
  }
  if (cli.options().json) cli.print(report);
  return kDone;
}

}  // namespace

void add_bench(Cli& cli) {
  const auto wish = std::make_shared<Wish>();
  const auto action = std::make_shared<std::function<int()>>();
  CLI::App* const command = cli.add(
      "bench", "measure what others have published: bench sdaa, bench paper, bench llm",
      [action] { return with_reasons(*action); }, kExamples);
  command->require_subcommand(1);
  bench::add_paper(cli, *command, [action](std::function<int()> chosen) { *action = std::move(chosen); });
  bench::add_llm(cli, *command, [action](std::function<int()> chosen) { *action = std::move(chosen); });
  CLI::App* const figures = command->add_subcommand("sdaa", "figures 8 to 13 of the SDAA paper");
  figures->fallthrough();
  figures->parse_complete_callback(
      [&cli, wish, action] { *action = [&cli, wish] { return sdaa_figures(cli, *wish); }; });
  figures->add_option("--figure", wish->plan.figures, "only these")->check(CLI::Range(8, 13))->type_name("N");
  figures->add_option("--sizes", wish->plan.sizes, "so many bytes: 4K, 1M ... (default: 1K, 16K, 256K, 4M)")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(uint64_t{64}, uint64_t{1} << 30))
      ->type_name("BYTES");
  figures->add_flag("--all", wish->all, "8M and 64M, too");
  auto* const pictures =
      figures->add_option("--svg", wish->pictures, "pictures into this folder")->type_name("FOLDER");
  figures->add_option("--draw", wish->drawn, "pictures of what --json printed before; no card is needed")
      ->needs(pictures)
      ->type_name("FILE");
}

}  // namespace swai::cli
