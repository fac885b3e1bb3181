// SPDX-License-Identifier: Apache-2.0
// A table of the paper, with the paper's values and ours, each with where it comes from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/figures.hpp"
#include "host/tools/cli/json.hpp"

namespace swai::cli::bench {

enum class Source {
  kPublished,  // printed in the paper
  kMeasured,   // on a card, now
  kFromList,   // counted from a list of operators
  kFormula,    // reckoned from other values
};
const char* to_text(Source source);

struct PaperRow {
  std::string what;
  Source source = Source::kPublished;
  std::vector<std::optional<double>> values;  // one for each column
  std::string missing = {};                   // why values that are not there were not measured
  std::string worse = {};                     // why ours are worse, where they are
  bool share = false;                         // of other rows, so not in their unit
  std::string ours = {};                      // of what is published: the row that has ours
};

struct PaperTable {
  std::string name;   // "launches"
  std::string title;  // with the places in the paper
  std::string unit;
  std::string axis;
  std::vector<std::string> columns;
  std::vector<PaperRow> rows;
  std::vector<std::string> notes;
  bool more_is_better = false;
};

std::string text_of(const PaperTable& table);
// A column as bars; nothing where there is nothing of ours to draw.
std::optional<Figure> figure_of(const PaperTable& table, size_t column);
Json json_of(const PaperTable& table);
// What json_of has made. Throws Json's exceptions, or Error.
PaperTable table_of(const Json& report);

}  // namespace swai::cli::bench
