// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/trace_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>

#include "host/tools/cli/error.hpp"
#include "host/tools/cli/table.hpp"
#include "host/tools/swai/words.hpp"

namespace swai::cli {

using namespace activity;

namespace {

// Less than this share of the time is not worth a word.
constexpr double kWorthAWord = 0.0005;
constexpr const char* kOfCore = " core ";

constexpr std::array<const char*, kEngines> kRateNames = {"lines of memory", "words sent and received",
                                                          "words sent and received", "rows entered",
                                                          "groups computed"};

using Shares = std::vector<std::pair<std::string, double>>;
using Names = std::initializer_list<std::pair<Count, const char*>>;

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// What is so long begins a new line.
constexpr size_t kWidth = 100;
constexpr size_t kIndent = 18;

// A line, or several: what it is of, then shares, the largest first.
std::string line(std::string_view of, Shares shares) {
  std::erase_if(shares, [](const auto& one) { return one.second < kWorthAWord; });
  std::ranges::stable_sort(shares, std::greater{}, [](const auto& one) { return one.second; });
  std::string text = fmt::format("  {:<{}}", of, kIndent - 2);
  size_t column = text.size();
  for (size_t i = 0; i < shares.size(); ++i) {
    const std::string word =
        fmt::format("{} {}{}", shares[i].first, percent(shares[i].second), i + 1 == shares.size() ? "" : ",");
    if (column > kIndent && column + word.size() > kWidth) {
      text += fmt::format("\n{:{}}", "", kIndent);
      column = kIndent;
    } else if (column > kIndent) {
      text += ' ';
    }
    text += word;
    column += word.size() + 1;
  }
  return text + (shares.empty() ? "nothing\n" : "\n");
}

Json json_of(const Shares& shares) {
  Json result = Json::object();
  for (const auto& [what, share] : shares) result[what] = share;
  return result;
}

Shares of_counts(const LaunchWork& work, Names names) {
  Shares shares;
  for (const auto& [count, name] : names) shares.emplace_back(name, work.share(work.counts[count]));
  return shares;
}

Shares while_it_runs(const LaunchWork& work) {
  return of_counts(work, {{kInstructions, "instructions"},
                          {kCodeWaits, "waits for code"},
                          {kLocalMemoryWaits, "waits for local memory"},
                          {kWindowWaits, "waits for the window"},
                          {kDivisionWaits, "waits for divisions"}});
}

// Of the core, in all cycles or in some of them.
Shares states_of(const LaunchWork& work, const std::array<uint64_t, kStates>& cycles) {
  Shares shares;
  for (unsigned s = 0; s < kStates; ++s) {
    const bool waits = s != kRuns && s != kStopped;
    shares.emplace_back(fmt::format("{}{}", waits ? "waits for " : "", kStateNames[s]),
                        work.share(cycles[s]));
  }
  return shares;
}

std::pair<std::string, double> outside(const LaunchWork& work) {
  uint64_t inside = 0;
  for (const uint64_t cycles : work.states) inside += cycles;
  return {"is not yet, or no more in the launch",
          work.share(work.core_cycles - std::min(work.core_cycles, inside))};
}

Shares idle_of(const LaunchWork& work, unsigned engine) {
  Shares shares = states_of(work, work.idle[engine]);
  shares.push_back(outside(work));
  return shares;
}

Shares stalls_of(const LaunchWork& work, unsigned engine) {
  if (engine == kSystolicUnit)
    return of_counts(
        work, {{kWeightWaits, "weights"}, {kActivationWaits, "activations"}, {kDrainWaits, "the drain"}});
  if (engine == kVectorUnit)
    return of_counts(work, {{kOperandWaits, "operands"}, {kRoomWaits, "room for results"}});
  return {};
}

Json json_of(const LaunchWork& work) {
  const auto [roof, share] = work.roof();
  Json core = json_of(states_of(work, work.states));
  core.update(json_of(Shares{outside(work)}));
  core["while it runs"] = json_of(while_it_runs(work));
  Json units = Json::object();
  for (unsigned e = 0; e < kEngines; ++e) {
    units[kEngineNames[e]] = {{"busy", work.share(work.busy[e])},
                              {"rate", work.rate(e)},
                              {"stands still for", json_of(stalls_of(work, e))},
                              {"idle while the core", json_of(idle_of(work, e))}};
  }
  return {{"kernel", work.kernel}, {"launches", work.launches},
          {"failed", work.failed}, {"cycles", work.cycles},
          {"cores", work.cores},   {"roofline", {{"unit", kEngineNames[roof]}, {"share", share}}},
          {"core", core},          {"units", units}};
}

std::string name_of_roof(unsigned engine) { return engine == kDmaEngine ? "memory" : kEngineNames[engine]; }

// What keeps the unit that is nearest to its roof from it.
std::string why(const LaunchWork& work) {
  const auto [roof, share] = work.roof();
  if (share == 0) return "  neither arithmetic nor DMA\n";
  std::string text =
      fmt::format("  the roof is the {}: it did {} of what it can do\n", name_of_roof(roof), percent(share));
  text += fmt::format("  it had no work in {} of the time, while the core\n",
                      percent(1 - work.share(work.busy[roof])));
  text += line("", idle_of(work, roof));
  const Shares stalls = stalls_of(work, roof);
  if (!stalls.empty()) text += "  it had work, but stood still for\n" + line("", stalls);
  return text;
}

std::string text_of(const LaunchWork& work) {
  Shares states = states_of(work, work.states);
  states.push_back(outside(work));
  std::string text = fmt::format("\n{}: {}, {} on {}\n", work.kernel, counted(work.launches, "launch"),
                                 counted(work.cycles, "cycle"), counted(work.cores, "core"));
  text += line("core", states) + line("  while it runs", while_it_runs(work));
  for (unsigned e = 0; e < kEngines; ++e) {
    if (work.busy[e] != 0)
      text += line(kEngineNames[e], {{"busy", work.share(work.busy[e])}, {kRateNames[e], work.rate(e)}});
  }
  return text + why(work);
}

}  // namespace

void LaunchWork::add_core(const TraceSlice& core) {
  ++cores;
  core_cycles += cycles;
  for (unsigned s = 0; s < kStates; ++s) states[s] += core.number(in_state(s));
  for (unsigned i = 0; i < kCounts; ++i) counts[i] += core.number(kCountNames[i]);
  for (unsigned e = 0; e < kEngines; ++e) {
    busy[e] += core.number(activity::busy(e));
    for (unsigned s = 0; s < kStates; ++s) idle[e][s] += core.number(activity::idle(e, s));
  }
}

void LaunchWork::add(const LaunchWork& other) {
  const auto sum = [](auto& to, const auto& from) {
    for (size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  };
  launches += other.launches;
  failed += other.failed;
  cores = std::max(cores, other.cores);
  cycles += other.cycles;
  core_cycles += other.core_cycles;
  sum(states, other.states);
  sum(counts, other.counts);
  sum(busy, other.busy);
  for (unsigned e = 0; e < kEngines; ++e) sum(idle[e], other.idle[e]);
}

double LaunchWork::share(uint64_t of_core_cycles) const {
  return core_cycles == 0 ? 0 : static_cast<double>(of_core_cycles) / static_cast<double>(core_cycles);
}

// A core's array takes a row in a cycle, its vector unit a group of elements, a channel a word; the memory of
// the whole group moves one line.
double LaunchWork::rate(unsigned engine) const {
  switch (engine) {
    case kSystolicUnit:
      return share(counts[kRows]);
    case kVectorUnit:
      return share(counts[kGroups]);
    case kRowChannel:
      return share(counts[kRowWords]);
    case kColumnChannel:
      return share(counts[kColumnWords]);
    default:
      return cycles == 0 ? 0 : static_cast<double>(counts[kLines]) / static_cast<double>(cycles);
  }
}

std::pair<Engine, double> LaunchWork::roof() const {
  std::pair<Engine, double> most{kSystolicUnit, 0};
  for (const Engine engine : {kSystolicUnit, kVectorUnit, kDmaEngine})
    if (rate(engine) > most.second) most = {engine, rate(engine)};
  return most;
}

TraceSummary::TraceSummary(const std::string& path) {
  const auto slices = read_trace(path, [](const std::string& track) { return track.starts_with("group "); });
  std::map<std::pair<std::string, uint64_t>, size_t> places;
  const auto key = [](const TraceSlice& slice, const char* number) {
    return std::pair{slice.card + ' ' + slice.track.substr(0, slice.track.find(kOfCore)),
                     slice.number(number)};
  };
  for (const TraceSlice& slice : slices) {
    // Beside launches there are resets of the group; what was cut off says nothing.
    if (slice.track.find(kOfCore) != std::string::npos || slice.number("cycles") == 0) continue;
    places[key(slice, "number")] = launches_.size();
    LaunchWork launch;
    launch.kernel = slice.name;
    launch.card = slice.card;
    launch.group = slice.track;
    launch.number = slice.number("number");
    launch.begin = slice.begin;
    launch.failed = slice.number("failed");
    launch.cycles = slice.end - slice.begin;
    launches_.push_back(launch);
  }
  for (const TraceSlice& slice : slices) {
    if (slice.track.find(kOfCore) == std::string::npos) continue;
    const auto place = places.find(key(slice, "launch"));
    if (place != places.end()) launches_[place->second].add_core(slice);
  }
  if (launches_.empty()) throw Error(kBadInput, fmt::format("{}: there is no launch in it", path));
  for (const LaunchWork& launch : launches_) {
    const auto same = std::ranges::find(kernels_, launch.kernel, &LaunchWork::kernel);
    if (same == kernels_.end()) {
      kernels_.push_back(launch);
    } else {
      same->add(launch);
    }
  }
}

std::string TraceSummary::text() const {
  Table table({"kernel", "group", ">launch", ">begins", ">cycles", ">cores", ">roofline", "of"});
  for (const LaunchWork& launch : launches_) {
    const auto [roof, share] = launch.roof();
    table.add({launch.kernel, fmt::format("{}, {}", launch.card, launch.group), std::to_string(launch.number),
               std::to_string(launch.begin), std::to_string(launch.cycles), std::to_string(launch.cores),
               percent(share), launch.failed != 0 ? "failed" : name_of_roof(roof)});
  }
  std::string text = table.text();
  for (const LaunchWork& kernel : kernels_) text += text_of(kernel);
  return text;
}

Json TraceSummary::json() const {
  Json report = {{"launches", Json::array()}, {"kernels", Json::array()}};
  for (const LaunchWork& launch : launches_) {
    Json one = json_of(launch);
    one["card"] = launch.card;
    one["group"] = launch.group;
    one["number"] = launch.number;
    one["begin"] = launch.begin;
    report["launches"].push_back(one);
  }
  for (const LaunchWork& kernel : kernels_) report["kernels"].push_back(json_of(kernel));
  return report;
}

}  // namespace swai::cli
