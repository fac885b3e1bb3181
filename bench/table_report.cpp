// SPDX-License-Identifier: Apache-2.0
#include "bench/table_report.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <optional>

#include "host/lib/argument_text.hpp"
#include "bench/svg.hpp"
#include "host/tools/cli/error.hpp"

namespace swai::cli::bench {
namespace {

// "large, 260 s (HP0)" is large-260-s-hp0.
std::string file_name(const std::string& column) {
  std::string name;
  for (const char letter : column) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) != 0) {
      name += static_cast<char>(std::tolower(byte));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (name.ends_with('-')) name.pop_back();
  return name;
}

// A picture of each column.
void draw(const PaperTable& table, const std::string& made, const std::string& folder) {
  if (folder.empty()) return;
  for (size_t column = 0; column < table.columns.size(); ++column) {
    const std::optional<Figure> figure = figure_of(table, column);
    if (!figure) continue;
    const std::string picture = svg(*figure, made);
    kernel_run::write_file(fmt::format("{}/{}-{}.svg", folder, table.name, file_name(table.columns[column])),
                           {reinterpret_cast<const uint8_t*>(picture.data()), picture.size()});
  }
}

}  // namespace

void TableReport::add_options(CLI::App& app) {
  auto* const pictures =
      app.add_option("-o,--svg", pictures_, "pictures into this folder")->type_name("FOLDER");
  app.add_option("--draw", drawn_, "pictures of what --json printed before; no card is needed")
      ->needs(pictures)
      ->type_name("FILE");
}

void TableReport::begin() const {
  if (pictures_.empty()) return;
  std::error_code problem;
  std::filesystem::create_directories(pictures_, problem);
  if (problem) throw Error(kBadInput, fmt::format("--svg {}: {}", pictures_, problem.message()));
}

bool TableReport::only_draws() const {
  if (drawn_.empty()) return false;
  const std::vector<uint8_t> bytes = kernel_run::read_file(drawn_);
  try {
    const Json report = Json::parse(bytes);
    for (const Json& table : report.at("tables")) draw(table_of(table), report.at("made"), pictures_);
  } catch (const Json::exception& error) {
    throw Error(kBadInput,
                fmt::format("{}: not what `{} --json` prints: {}", drawn_, command_, error.what()));
  }
  return true;
}

int TableReport::print(const Cli& cli, const std::string& made, const std::vector<PaperTable>& tables) const {
  for (const PaperTable& table : tables) draw(table, made, pictures_);
  if (!cli.options().json) {
    for (const PaperTable& table : tables) fmt::print("{}\n", text_of(table));
    fmt::print("{}\n", made);
    return kDone;
  }
  Json report = {{"made", made}, {"tables", Json::array()}};
  for (const PaperTable& table : tables) report["tables"].push_back(json_of(table));
  cli.print(report);
  return kDone;
}

}  // namespace swai::cli::bench
