// SPDX-License-Identifier: Apache-2.0
#include "bench/paper_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/tools/cli/error.hpp"
#include "host/tools/cli/table.hpp"

namespace swai::cli::bench {
namespace {

struct NamedSource {
  Source source;
  const char* name;
};
constexpr std::array<NamedSource, 4> kSources = {{{Source::kPublished, "published"},
                                                  {Source::kMeasured, "measured"},
                                                  {Source::kFromList, "from the list"},
                                                  {Source::kFormula, "reckoned"}}};

Source source_named(const std::string& name) {
  const auto found = std::ranges::find(kSources, name, &NamedSource::name);
  if (found == kSources.end()) throw Error(kBadInput, fmt::format("no values are '{}'", name));
  return found->source;
}

std::string number(double value) {
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

// What stands below a row: why something is not there, why ours is worse.
std::vector<std::string> remarks_of(const PaperTable& table) {
  std::vector<std::string> lines;
  for (const PaperRow& row : table.rows) {
    if (!row.missing.empty()) lines.push_back(fmt::format("Not measured: {}: {}.", row.what, row.missing));
    if (!row.worse.empty()) lines.push_back(fmt::format("Ours is worse: {}: {}.", row.what, row.worse));
  }
  lines.insert(lines.end(), table.notes.begin(), table.notes.end());
  return lines;
}

}  // namespace

const char* to_text(Source source) { return std::ranges::find(kSources, source, &NamedSource::source)->name; }

std::string text_of(const PaperTable& table) {
  std::vector<std::string> names = {table.unit, "source"};
  for (const std::string& column : table.columns) names.push_back(">" + column);
  Table rows(names);
  for (const PaperRow& row : table.rows) {
    std::vector<std::string> cells = {row.what, to_text(row.source)};
    for (const auto& value : row.values) cells.push_back(value ? number(*value) : "-");
    rows.add(std::move(cells));
  }
  std::string text = fmt::format("{}\n{}", table.title, rows.text());
  for (const std::string& line : remarks_of(table)) text += line + "\n";
  return text;
}

std::optional<Figure> figure_of(const PaperTable& table, size_t column) {
  Figure figure;
  figure.title = fmt::format("{}: {}", table.title, table.columns[column]);
  figure.unit = table.unit;
  figure.axis = table.axis;
  for (const PaperRow& row : table.rows) {
    const std::optional<double>& value = row.values[column];
    if (!value || row.share) continue;
    if (row.source != Source::kPublished) {
      const bool baseline = row.what.starts_with("two-tier");
      figure.series.push_back(
          {fmt::format("{} ({})", row.what, to_text(row.source)), baseline, {{0, *value}}});
      continue;
    }
    const auto ours = std::ranges::find(table.rows, row.ours, &PaperRow::what);
    if (ours == table.rows.end() || !ours->values[column]) continue;
    figure.published.push_back({row.what, number(*value), *ours->values[column], *value,
                                table.more_is_better ? Published::Kind::kFactor : Published::Kind::kTime,
                                ours->worse});
  }
  if (figure.series.empty()) return std::nullopt;
  figure.notes = remarks_of(table);
  return figure;
}

Json json_of(const PaperTable& table) {
  Json rows = Json::array();
  for (const PaperRow& row : table.rows) {
    Json values = Json::array();
    for (const auto& value : row.values) values.push_back(value ? Json(*value) : Json(nullptr));
    Json one = {{"what", row.what}, {"source", to_text(row.source)}, {"values", std::move(values)}};
    if (!row.missing.empty()) one["not_measured"] = row.missing;
    if (!row.worse.empty()) one["worse"] = row.worse;
    if (!row.ours.empty()) one["ours"] = row.ours;
    if (row.share) one["share"] = true;
    rows.push_back(std::move(one));
  }
  return {{"table", table.name},      {"title", table.title},
          {"unit", table.unit},       {"axis", table.axis},
          {"columns", table.columns}, {"rows", std::move(rows)},
          {"notes", table.notes},     {"more_is_better", table.more_is_better}};
}

PaperTable table_of(const Json& report) {
  PaperTable table{report.at("table"),   report.at("title"),
                   report.at("unit"),    report.at("axis"),
                   report.at("columns"), {},
                   report.at("notes"),   report.value("more_is_better", false)};
  for (const Json& one : report.at("rows")) {
    PaperRow row{one.at("what"), source_named(one.at("source")), {}};
    for (const Json& value : one.at("values"))
      row.values.push_back(value.is_null() ? std::nullopt : std::optional(value.get<double>()));
    if (row.values.size() != table.columns.size()) throw Error(kBadInput, "a row without all columns");
    row.missing = one.value("not_measured", "");
    row.worse = one.value("worse", "");
    row.ours = one.value("ours", "");
    row.share = one.value("share", false);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace swai::cli::bench
