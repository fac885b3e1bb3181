// SPDX-License-Identifier: Apache-2.0
#include "bench/on_processor.hpp"

#include <fmt/format.h>

#include <regex>
#include <sstream>

#include "host/tools/cli/error.hpp"
#include "host/tools/cli/json.hpp"
#include "host/tools/cli/places.hpp"
#include "host/tools/cli/started_card.hpp"

namespace swai::cli::bench {
namespace {

// Each line that the firmware prints, up to one with `last`.
std::vector<std::string> lines_of(const Options& options, const char* firmware, const std::string& last) {
  const auto flash = places().flash.parent_path() / (std::string(firmware) + ".flash");
  std::istringstream console(StartedCard::console_of(options, flash, last));
  std::vector<std::string> lines;
  for (std::string line; std::getline(console, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

// The line of a launch with this name.
Json launch(const std::vector<std::string>& lines, const std::string& name) {
  for (const std::string& line : lines) {
    const Json found = Json::parse(line, nullptr, false);
    if (found.is_object() && found.value("bench", "") == name) return found;
  }
  throw Error(kFailed, fmt::format("the card did not measure {}", name));
}

}  // namespace

void measure_allocators(const Options& options, OnProcessor& result) {
  static const std::regex kLine(R"((fresh|used) heap, bytes (\d+) ours (\d+) libc (\d+))");
  const auto lines = lines_of(options, "alloc-bench", fmt::format("used heap, bytes {} ours", 1 << 30));
  for (const std::string heap : {"fresh", "used"}) {
    Series ours{fmt::format("ours, {} heap", heap), false, {}};
    Series libc{fmt::format("the C library's malloc, {} heap", heap), true, {}};
    for (const std::string& line : lines) {
      std::smatch part;
      if (!std::regex_match(line, part, kLine) || part[1] != heap) continue;
      const uint64_t bytes = std::stoull(part[2]);
      ours.points.push_back({bytes, std::stod(part[3])});
      libc.points.push_back({bytes, std::stod(part[4])});
    }
    if (ours.points.empty()) throw Error(kFailed, "the card did not measure its allocators");
    result.allocators.push_back(std::move(ours));
    result.allocators.push_back(std::move(libc));
  }
}

void measure_starts(const Options& options, OnProcessor& result) {
  const auto lines = lines_of(options, "launch-bench", "\"launch_classic\"");
  result.fast_start_ns = launch(lines, "launch_empty").at("median").get<double>();
  result.classic_start_ns = launch(lines, "launch_classic").at("cycles").get<double>();
}

}  // namespace swai::cli::bench
