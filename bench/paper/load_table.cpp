// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/load_table.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <vector>

#include "host/lib/argument_text.hpp"
#include "bench/paper/published.hpp"
#include "host/tools/cli/error.hpp"

namespace swai::cli::bench {
namespace {

using Values = std::vector<std::optional<double>>;

double sum(const Json& stages, std::initializer_list<const char*> names) {
  double ms = 0;
  for (const char* const name : names) ms += stages.at(name).get<double>();
  return ms;
}

double total(const Json& stages) {
  double ms = 0;
  for (const auto& [name, spent] : stages.items()) ms += spent.get<double>();
  return ms;
}

Values classic(const Json& stages) {
  return {sum(stages, {"hash"}), sum(stages, {"read"}), sum(stages, {"construct", "initialise", "copy"}),
          sum(stages, {"transfer preparation"}), total(stages)};
}

// All before the copy is one stage, as in the paper.
Values fast(const Json& stages) {
  const double copy = sum(stages, {"copy"});
  return {0, total(stages) - copy, std::nullopt, copy, total(stages)};
}

// What the file is.
template <typename Use>
auto read(const std::string& file, Use use) {
  try {
    return use(file.empty() ? Json::object() : Json::parse(kernel_run::read_file(file)));
  } catch (const Json::exception& error) {
    throw Error(kBadInput,
                fmt::format("{}: not what measure_load.py --stages writes: {}", file, error.what()));
  }
}

void add_ours(PaperTable& table, const Json& measured, const std::string& shape) {
  const Json stages = measured.value(shape, Json::object());
  const auto add = [&](const char* what, const char* key, Values (*values)(const Json&)) {
    PaperRow row{fmt::format("{}: {}, here", shape, what), Source::kMeasured, {}};
    if (stages.contains(key)) {
      row.values = values(stages.at(key));
    } else {
      row.values.assign(table.columns.size(), std::nullopt);
      row.missing = kLoadingMissing;
    }
    table.rows.push_back(std::move(row));
    return stages.contains(key);
  };
  const bool slow = add("PyTorch", "classic", classic), quick = add("fast loading", "fast", fast);
  if (!slow || !quick) return;
  PaperRow row{fmt::format("{}: PyTorch over fast loading, here", shape), Source::kFormula, {}};
  row.values.assign(table.columns.size() - 1, std::nullopt);
  row.values.emplace_back(total(stages.at("classic")) / total(stages.at("fast")));
  row.share = true;
  table.rows.push_back(std::move(row));
}

}  // namespace

PaperTable load_table(const std::string& file) {
  PaperTable table{"loading",
                   "Loading a model: Tables 1 and 5",
                   "ms",
                   "time, ms",
                   {"validation", "parameters", "initialisation", "to the device", "total"},
                   {},
                   {}};
  read(file, [&](const Json& measured) {
    for (const std::string shape : {"base", "large"}) {
      for (const published::Loading& one : published::kLoadings) {
        if (one.shape != shape) continue;
        PaperRow row{fmt::format("{}: {} ({})", shape, one.method, one.table), Source::kPublished, {}};
        row.values.assign(one.ms.begin(), one.ms.end());
        if (one.combined) row.values[2] = std::nullopt;
        table.rows.push_back(std::move(row));
      }
      add_ours(table, measured, shape);
    }
  });
  table.notes.emplace_back(
      "Fast loading has parameters and initialisation as one. Ours are wall times of this machine, so only "
      "their ratio can be compared; both read the same file, and end where the card would take its copy: its "
      "own time is in none. PyTorch's construction, first numbers and load_state_dict count as "
      "initialisation.");
  return table;
}

std::optional<double> loading_ms(const std::string& file, const std::string& shape, const char* way) {
  return read(file, [&](const Json& measured) -> std::optional<double> {
    const Json stages = measured.value(shape, Json::object());
    if (!stages.contains(way)) return std::nullopt;
    return total(stages.at(way));
  });
}

}  // namespace swai::cli::bench
