// SPDX-License-Identifier: Apache-2.0
#include "bench/llm/llm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>

#include "build/gen/version.hpp"
#include "bench/llm/llm_tables.hpp"
#include "bench/llm/random_llama.hpp"
#include "bench/table_report.hpp"
#include "host/tools/cli/module_file.hpp"
#include "host/tools/cli/places.hpp"
#include "host/tools/cli/progress.hpp"
#include "host/tools/cli/started_card.hpp"
#include "host/transport/vendor_region.hpp"

namespace swai::cli::bench {
namespace {

constexpr const char* kTables[] = {"machine", "operations", "bytes", "intensity", "throughput", "gains"};

struct Wish {
  LanguageWish job = {published::kShape, 0, published::kPrompt, published::kPast};
  std::vector<std::string> tables;
  TableReport report{"bench llm"};

  bool wants(const std::string& table) const {
    return tables.empty() || std::ranges::find(tables, table) != tables.end();
  }
  bool needs_card() const { return wants("machine") || wants("throughput") || wants("gains"); }
};

// A cycle of the card is 1 ns.
double each_ns(walk::Walker& walker, double what, const std::string& text) {
  const std::array programs = {graph::program_of(text)};
  TimedPrograms timed(walker, programs);
  timed.nanoseconds(0, {});
  return what / static_cast<double>(timed.nanoseconds(0, {}));
}

// As large as the card: so cores have enough to do, and no more.
Machine measure_machine(walk::Walker& walker, unsigned cpes) {
  Machine machine{graph::limits_of(cpes)};
  const unsigned copied_rows = 128 * cpes, rows = 48 * cpes, fp32_rows = 4 * cpes, columns = 64 * cpes;
  constexpr unsigned kDepth = 512, kCopied = 1024;
  machine.copied =
      each_ns(walker, 2.0 * copied_rows * kCopied * sizeof(float),
              fmt::format("graph copied\ninput x: f32[{0}, {1}]\noutput y: f32[{0}, {1}]\ny = copy(x)\n",
                          copied_rows, kCopied));
  machine.products = each_ns(
      walker, 1.0 * rows * kDepth * columns,
      fmt::format(
          "graph product\ninput x: i8[{0}, {1}]\ninput x.scale: f32[1, {0}]\nweight w: i8[{2}, {1}] packed\n"
          "weight w.scale: f32[{2}]\noutput y: f32[{0}, {2}]\n"
          "y = linear(x, w, w.scale, x_scale: x.scale, x_group: {1})\n",
          rows, kDepth, columns));
  machine.fp32_products = each_ns(
      walker, 1.0 * fp32_rows * kDepth * columns,
      fmt::format("graph product\ninput x: f32[{0}, {1}]\nweight w: f32[{2}, {1}]\noutput y: f32[{0}, {2}]\n"
                  "y = linear(x, w)\n",
                  fp32_rows, kDepth, columns));
  return machine;
}

class Measured {
 public:
  Measured(const Cli& cli, const Wish& wish, LanguageJob& job)
      : card_(cli.options()),
        operators_(places().operators),
        walker_(places().operators, operators_.bytes()) {
    sdaaDeviceProp_t properties = {};
    walk::check(sdaaGetDeviceProperties(&properties, 0), "properties of the card");
    name_ = properties.name;
    const auto cpes = static_cast<unsigned>(properties.rows * properties.columns);
    limits_ = graph::limits_of(cpes);
    const auto with_progress = [&](const char* table, const auto& measure) {
      if (!wish.wants(table)) return;
      Progress progress(!cli.options().quiet, table);
      measure([&](double part) { progress.reached(part); });
    };
    with_progress("machine", [&](const auto&) { machine_ = measure_machine(walker_, cpes); });
    with_progress("throughput", [&](const auto& done) { job.measure(walker_, done); });
    with_progress("gains", [&](const auto& done) {
      const uint32_t rows = std::min(wish.job.prompt, generate::Programs::kChunk);
      gains_ =
          measure_gains(walker_, job.model().shape, {rows, wish.job.prompt - rows}, {1, wish.job.past}, done);
    });
  }

  const std::string& name() const { return name_; }
  bool is_model() const { return name_.ends_with(link::vendor::kFastTier); }
  const graph::Limits& limits() const { return limits_; }
  const Machine& machine() const { return machine_; }
  const std::vector<Gain>& gains() const { return gains_; }

 private:
  UsedCard card_;
  ModuleFile operators_;
  walk::Walker walker_;
  std::string name_;
  graph::Limits limits_ = {};
  Machine machine_ = {};
  std::vector<Gain> gains_;
};

int run(const Cli& cli, const Wish& wish) {
  wish.report.begin();
  if (wish.report.only_draws()) return kDone;
  LanguageJob job(wish.job);
  std::optional<Measured> measured;
  if (wish.needs_card()) measured.emplace(cli, wish, job);
  std::vector<PaperTable> tables;
  if (wish.wants("machine")) tables.push_back(machine_table(measured->machine()));
  if (wish.wants("operations")) tables.push_back(operations_table(job));
  if (wish.wants("bytes")) tables.push_back(bytes_table(job));
  if (wish.wants("intensity")) tables.push_back(intensity_table(job));
  if (wish.wants("throughput")) tables.push_back(throughput_table(job, measured->limits()));
  if (wish.wants("gains")) tables.push_back(gain_table(measured->gains()));
  if (measured && measured->is_model()) {
    for (PaperTable& table : tables) {
      if (std::ranges::any_of(table.rows,
                              [](const PaperRow& row) { return row.source == Source::kMeasured; }))
        table.notes.emplace_back(
            "This card is a functional model: its times are coarse. --tier rtl measures.");
    }
  }
  const std::string made =
      measured ? fmt::format("Measured on {}, commit {}: {}, {} blocks, W4A8.", measured->name(), kVersion,
                             wish.job.shape, job.model().shape.layers)
               : fmt::format("Reckoned without a card, commit {}: {}, {} blocks, W4A8.", kVersion,
                             wish.job.shape, job.model().shape.layers);
  return wish.report.print(cli, made, tables);
}

}  // namespace

void add_llm(Cli& cli, CLI::App& command, const std::function<void(std::function<int()>)>& chosen) {
  const auto wish = std::make_shared<Wish>();
  CLI::App* const llm = command.add_subcommand(
      "llm", "tables of a paper on language models (Qwen 1.8B): limits, demand, what is reached, what gains");
  llm->fallthrough();
  llm->parse_complete_callback([&cli, wish, chosen] { chosen([&cli, wish] { return run(cli, *wish); }); });
  llm->add_option("--table", wish->tables,
                  "only these: machine, operations, bytes, intensity (no card is needed for these three), "
                  "throughput, gains")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kTables), std::end(kTables))))
      ->type_name("NAME");
  llm->add_option("--shape", wish->job.shape,
                  fmt::format("of the model: {} (default: {})", fmt::join(llama_shape_names(), ", "),
                              published::kShape))
      ->check(CLI::IsMember(llama_shape_names()))
      ->type_name("NAME");
  llm->add_option("--blocks", wish->job.blocks, "so many of the model's blocks (default: all)")
      ->check(CLI::Range(1U, 64U))
      ->type_name("N");
  llm->add_option("--prompt", wish->job.prompt, "tokens of the prompt (default: 560)")
      ->check(CLI::Range(1U, 4096U))
      ->type_name("N");
  llm->add_option("--past", wish->job.past, "tokens behind which one is made (default: 585)")
      ->check(CLI::Range(1U, 4095U))
      ->type_name("N");
  wish->report.add_options(*llm);
}

}  // namespace swai::cli::bench
