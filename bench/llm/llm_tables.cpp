// SPDX-License-Identifier: Apache-2.0
#include "bench/llm/llm_tables.hpp"

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <utility>

namespace swai::cli::bench {
namespace {

using graph::Part, published::Stages;

// In which the paper's numbers are, as its formulas show.
constexpr double kGi = 1024.0 * 1024 * 1024;
constexpr double kGiga = 1e9;
constexpr double kPercent = 100;

// A product is a multiplication and an addition.
constexpr double kOperations = 2;

const graph::Demand& needs(const Stage& stage, Part part) { return stage.needs[static_cast<size_t>(part)]; }

// A table whose columns are the stages of a job.
class StageTable {
 public:
  StageTable(PaperTable table, const LanguageJob& job) : table_(std::move(table)), job_(job) {
    table_.columns = {fmt::format("prefill, {} tokens", job.prefill().tokens),
                      fmt::format("decode, behind {}", job.wish().past)};
  }

  PaperRow& add(std::string what, Source source, std::vector<std::optional<double>> values) {
    PaperRow row{std::move(what), source, std::move(values)};
    return table_.rows.emplace_back(std::move(row));
  }
  using Value = std::function<double(const Stage&)>;
  // Only beside the paper's own shape.
  void published(const std::string& what, const Stages& values, std::string ours = {}) {
    if (!job_.is_published()) return;
    add(what, Source::kPublished, {values.prefill, values.decode}).ours = std::move(ours);
  }
  // Of a part of the model: what is printed, what the paper's formulas give, what our nodes need.
  void of_part(const std::string& name, const Stages& printed, const Stages& by_formulas, const Value& ours) {
    const std::string counted = name + ", our nodes";
    published(name + ", the paper's", printed, counted);
    formula(name + ", the paper's formulas", by_formulas);
    of_stages(counted, Source::kFromList, ours);
  }
  PaperRow& formula(std::string what, const Stages& values) {
    return add(std::move(what), Source::kFormula, {values.prefill, values.decode});
  }
  PaperRow& of_stages(std::string what, Source source, const Value& value) {
    return add(std::move(what), source, {value(job_.prefill()), value(job_.decode())});
  }
  void note(std::string words) { table_.notes.push_back(std::move(words)); }
  PaperTable take() { return std::move(table_); }

 private:
  PaperTable table_;
  const LanguageJob& job_;
};

// The paper's letters: l tokens, L of them in all, h wide, i inside, v tokens known.
struct Letters {
  explicit Letters(const LanguageJob& job)
      : blocks(job.model().shape.layers),
        h(job.model().shape.width),
        i(job.model().shape.inner),
        v(job.model().shape.vocabulary),
        L(job.wish().past),
        prompt(job.wish().prompt) {}

  Stages linear_operations() const {
    const auto of = [&](double l) {
      return (blocks * (6 * l * h * i + 8 * l * h * h) + 2 * l * h * v) / kGi;
    };
    return {of(prompt), of(1)};
  }
  // Its table has a byte for each weight of the output; its values come out with half a one.
  Stages linear_bytes() const {
    const auto of = [&](double l) {
      const double block = 18 * l * h + 6 * l * i + 2 * h * h + 1.5 * h * i + 10 * h + 4 * i;
      return (blocks * block + 2 * (l * h + l * v) + h * v / 2 + 2 * v) / kGi;
    };
    return {of(prompt), of(1)};
  }
  Stages attention_operations() const {
    return {blocks * (4 * prompt * prompt * h + 22 * prompt * prompt) / kGi,
            blocks * (4 * L * h + 22 * L) / kGi};
  }
  Stages attention_bytes() const {
    return {blocks * (16 * prompt * h + 24 * prompt * prompt) / kGi,
            blocks * (8 * L * h + 24 * L + 8 * h) / kGi};
  }
  // 200 numbers of two bytes.
  Stages other_bytes() const { return {blocks * 400 * prompt * h / kGi, blocks * 400 * h / kGi}; }

  double blocks, h, i, v, L, prompt;
};

}  // namespace

PaperTable machine_table(const Machine& machine) {
  PaperTable table{"machine",
                   "What the machine reaches: section V.A",
                   "G a second",
                   "bytes or operations a second, G",
                   {"memory, bytes", "int8, operations", "fp32, operations"},
                   {},
                   {}};
  table.more_is_better = true;
  const auto add = [&](std::string what, Source source, double memory, double integer, double real) {
    PaperRow row{std::move(what), source, {memory, integer, real}};
    table.rows.push_back(std::move(row));
  };
  add("the paper's: STREAM, MegPeak", Source::kPublished, published::kGigabytes, published::kIntegerGflops,
      published::kFloatGflops);
  table.rows.back().ours = "the card's limits";
  add("the card's limits", Source::kFormula, machine.limits.bytes, kOperations * machine.limits.products,
      kOperations * machine.limits.slots);
  add("operators: copy, linear in int8, in fp32", Source::kMeasured, machine.copied,
      kOperations * machine.products, kOperations * machine.fp32_products);
  PaperRow& ours = table.rows[1];
  const auto add_worse = [&](size_t column, const char* why) {
    if (*ours.values[column] >= *table.rows[0].values[column]) return;
    ours.worse += fmt::format("{}{}", ours.worse.empty() ? "" : "; ", why);
  };
  add_worse(0, "one core group has one stack of HBM, the paper's machine has a server's memory");
  add_worse(1, "so few cores have fewer products of bytes");
  add_worse(2, "so few cores have fewer products of fp32 numbers");
  table.notes.emplace_back(
      "At 1 GHz: a cycle is 1 ns. The limit of memory is what DMA reaches, 98.1 % of its peak.");
  return table;
}

PaperTable operations_table(const LanguageJob& job) {
  StageTable table(
      {"operations", "Operations: tables of section V.B", "G (2^30)", "operations, 2^30", {}, {}, {}}, job);
  const Letters letters(job);
  const auto needed = [](Part part) {
    return [part](const Stage& stage) {
      const graph::Demand& need = needs(stage, part);
      return kOperations * (need.products + (part == Part::kLinear ? need.slots : 0)) / kGi;
    };
  };
  table.of_part("linear layers", published::kLinearOperations, letters.linear_operations(),
                needed(Part::kLinear));
  table.of_part("attention", published::kAttentionOperations, letters.attention_operations(),
                needed(Part::kAttention));
  table.note(
      "Ours have fewer in a prompt: only its last token goes through the output of the model, and no token "
      "looks "
      "at those behind it.");
  return table.take();
}

PaperTable bytes_table(const LanguageJob& job) {
  StageTable table({"bytes", "Bytes of memory: tables of section V.B", "GiB", "bytes, GiB", {}, {}, {}}, job);
  const Letters letters(job);
  const auto needed = [](Part part) {
    return [part](const Stage& stage) { return needs(stage, part).bytes / kGi; };
  };
  table.of_part("linear layers", published::kLinearBytes, letters.linear_bytes(), needed(Part::kLinear));
  table.of_part("attention", published::kAttentionBytes, letters.attention_bytes(), needed(Part::kAttention));
  table.of_part("all else", published::kOtherBytes, letters.other_bytes(), needed(Part::kOther));
  table.note(fmt::format(
      "A prompt goes through the model {} tokens at a time, and reads the weights as often. Each node reads "
      "and "
      "writes memory once; activations between nodes are fp32, the output's weights have eight bits.",
      generate::Programs::kChunk));
  return table.take();
}

PaperTable intensity_table(const LanguageJob& job) {
  StageTable table({"intensity",
                    "Operations for each byte: section V.B",
                    "operations a byte",
                    "operations a byte",
                    {},
                    {},
                    {}},
                   job);
  const auto counted = [&](const char* what, Part part) {
    table.of_stages(what, Source::kFromList, [part](const Stage& stage) {
      return kOperations * needs(stage, part).products / needs(stage, part).bytes;
    });
  };
  table.published("linear layers, the paper's", published::kLinearIntensity);
  counted("linear layers, our nodes", Part::kLinear);
  table.published("attention, the paper's", published::kAttentionIntensity);
  counted("attention, our nodes", Part::kAttention);
  return table.take();
}

PaperTable throughput_table(const LanguageJob& job, const graph::Limits& limits) {
  StageTable table({"throughput",
                    "Tokens a second against the machine's limits: section V.D",
                    "tokens a second",
                    "tokens a second",
                    {},
                    {},
                    {}},
                   job);
  const auto peak = [&](const Stage& stage) { return stage.tokens * kGiga / stage.least(limits); };
  const auto reached = [](const Stage& stage) { return stage.tokens * kGiga / stage.nanoseconds; };
  table.published("peak, the paper's", published::kPeak);
  table.published("reached, the paper's", published::kReached, "reached, ours");
  if (job.is_published()) {
    table
        .formula("share, the paper's", {published::kReached.prefill / published::kPeak.prefill,
                                        published::kReached.decode / published::kPeak.decode})
        .share = true;
  }
  table.of_stages("peak, ours: each operator at its own limit", Source::kFormula, peak);
  PaperRow& ours = table.of_stages("reached, ours", Source::kMeasured, reached);
  if (job.is_published() && *ours.values.back() < published::kReached.decode)
    ours.worse = "in decode: all weights are read for each token, and memory is slower than the paper's";
  table
      .of_stages("share, ours", Source::kFormula,
                 [&](const Stage& stage) { return reached(stage) / peak(stage); })
      .share = true;
  if (job.model().shape.layers != job.whole_layers()) {
    table.note(fmt::format("With {} of {} blocks, and the output of the model.", job.model().shape.layers,
                           job.whole_layers()));
  }
  table.note("Weights are random. The launch of each list is in the time, the host's software is not.");
  PaperTable made = table.take();
  made.more_is_better = true;
  return made;
}

PaperTable gain_table(const std::vector<Gain>& gains) {
  PaperTable table{
      "gains", "What optimisations gain: section V.C", "% faster", "faster, %", {"prefill", "decode"}, {},
      {}};
  table.more_is_better = true;
  const auto percent = [](double without, double with) { return kPercent * (without / with - 1); };
  for (const Gain& gain : gains) {
    PaperRow paper{
        gain.what + ", the paper's", Source::kPublished, {gain.published.prefill, gain.published.decode}};
    PaperRow ours{gain.what + ", ours",
                  Source::kMeasured,
                  {percent(gain.ns_without.prefill, gain.ns_with.prefill),
                   percent(gain.ns_without.decode, gain.ns_with.decode)}};
    paper.ours = ours.what;
    table.rows.push_back(std::move(paper));
    table.rows.push_back(std::move(ours));
    table.notes.push_back(fmt::format("{}: {}: {:.0f} and {:.0f} us; {}: {:.0f} and {:.0f} us.", gain.what,
                                      gain.with, gain.ns_with.prefill / 1e3, gain.ns_with.decode / 1e3,
                                      gain.without, gain.ns_without.prefill / 1e3,
                                      gain.ns_without.decode / 1e3));
  }
  table.notes.emplace_back(
      "The paper's are of the whole model. Ours are in fp32, of what the optimisation changes alone: "
      "attention of "
      "one block, a product with one matrix.");
  return table;
}

}  // namespace swai::cli::bench
