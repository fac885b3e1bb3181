// SPDX-License-Identifier: Apache-2.0
#include "sim/run/kernel/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/iss/cpe/text.hpp"

namespace swai::kernel_run {

namespace {

uint64_t total(const Counter& counter) {
  return std::accumulate(counter.by_cpe.begin(), counter.by_cpe.end(), uint64_t{0});
}

// Of those that took part.
std::vector<uint64_t> taking_part(const Counter& counter, uint32_t mask) {
  std::vector<uint64_t> values;
  for (size_t i = 0; i < counter.by_cpe.size(); ++i) {
    if ((mask >> i & 1) != 0) values.push_back(counter.by_cpe[i]);
  }
  return values;
}

}  // namespace

std::string report(const Job& job, const Outcome& outcome, bool counters) {
  std::string text = fmt::format("{}: {}", job.kernel(), outcome.ending);
  if (outcome.cycles && outcome.tier == "rtl") {
    text += fmt::format(", {} cycles", *outcome.cycles);
  } else if (outcome.cycles) {
    text += fmt::format(", about {} cycles ({} tier)", *outcome.cycles, outcome.tier);
  }
  if (const size_t mistakes = outcome.findings ? outcome.findings->size() : 0; mistakes != 0) {
    text += fmt::format(", {} {} found", mistakes, mistakes == 1 ? "mistake" : "mistakes");
  }
  text += "\n";
  const auto place = [&](uint32_t pc) { return job.program().text().lines.place(job.kernel(), pc); };
  for (size_t i = 0; i < outcome.faults.size(); ++i) {
    const Fault& fault = outcome.faults[i];
    if (fault.cause == iss::cpe::Cause::kNone) continue;
    // Of a CPE that was stopped from outside it is more interesting what it did.
    const bool stopped = fault.cause == iss::cpe::Cause::kWatchdog || fault.cause == iss::cpe::Cause::kKilled;
    const module::ModuleText& known = job.program().text();
    const std::string_view why = known.stops.why(fault.cause, fault.pc);
    const std::string state = !why.empty()                           ? std::string(why)
                              : stopped && i < outcome.states.size() ? outcome.states[i]
                                                                     : iss::cpe::text(fault);
    text += fmt::format("  CPE {}: {} ({})\n", i, state, known.lines.place(job.kernel(), fault.pc));
  }
  if (outcome.findings) {
    for (const Finding& finding : *outcome.findings)
      text += fmt::format("  {}\n", iss::cpe::text(finding, place));
  }
  if (!counters) return text;
  for (const Figure& figure : outcome.figures) {
    text += fmt::format("  {:<28}{:>14.3f} {}\n", figure.name, figure.value, figure.unit);
  }
  if (!outcome.counters.empty()) {
    text += fmt::format("  {:<28}{:>14}{:>14}{:>14}\n", "", "all CPEs", "least", "most");
  }
  for (const Counter& counter : outcome.counters) {
    const std::vector<uint64_t> values = taking_part(counter, job.launch().mask);
    if (values.empty()) continue;
    const auto [least, most] = std::ranges::minmax(values);
    text += fmt::format("  {:<28}{:>14}{:>14}{:>14}\n", counter.name, total(counter), least, most);
  }
  return text;
}

std::string table(const Outcome& outcome, unsigned columns) {
  std::string text;
  for (const Counter& counter : outcome.counters) {
    text += fmt::format("  {}\n", counter.name);
    for (size_t i = 0; i < counter.by_cpe.size(); ++i) {
      text += fmt::format("{:>11}{}", counter.by_cpe[i], (i + 1) % columns == 0 ? "\n" : "");
    }
  }
  return text;
}

nlohmann::ordered_json finding_json(const Finding& finding, const module::SourceLines& lines,
                                    std::string_view kernel) {
  using iss::cpe::kLdmBase;
  const auto party = [&](const Finding::Party& one) {
    return nlohmann::ordered_json{{"who", iss::cpe::text(one)}, {"pc", one.pc}, {"line", lines.at(one.pc)}};
  };
  nlohmann::ordered_json json = {{"kind", iss::cpe::text(finding.kind)}, {"text", ""}};
  json["text"] = iss::cpe::text(finding, [&](uint32_t pc) { return lines.place(kernel, pc); });
  json["cpes"] = finding.cpes;
  json["times"] = finding.times;
  json.update(party(finding.late));
  if (finding.kind == Finding::kNotCleaned) {
    json["memory"] = finding.line.address;
    json["written_at"] = finding.line.writer;
    return json;
  }
  json["under_way"] = party(finding.early);
  json["ldm"] = {kLdmBase + finding.bytes.begin, kLdmBase + finding.bytes.end};
  return json;
}

nlohmann::ordered_json report_json(const Job& job, const std::vector<Outcome>& outcomes) {
  using Json = nlohmann::ordered_json;
  const Outcome& last = outcomes.back();
  Json json = {{"version", 1},
               {"module", job.program().path()},
               {"kernel", job.kernel()},
               {"tier", last.tier},
               {"mask", job.launch().mask},
               {"passed", last.ok},
               {"ending", last.ending},
               {"launches", Json::array()},
               {"faults", Json::array()},
               {"counters", Json::object()},
               {"figures", Json::object()}};
  for (const Outcome& outcome : outcomes) {
    Json launch = {{"ending", outcome.ending}};
    if (outcome.cycles) launch["cycles"] = *outcome.cycles;
    json["launches"].push_back(launch);
  }
  for (size_t i = 0; i < last.faults.size(); ++i) {
    const Fault& fault = last.faults[i];
    if (fault.cause == iss::cpe::Cause::kNone) continue;
    json["faults"].push_back({{"cpe", i},
                              {"cause", iss::cpe::text(fault.cause)},
                              {"access", iss::cpe::text(fault.access)},
                              {"dma", fault.dma},
                              {"pc", fault.pc},
                              {"line", job.program().text().lines.at(fault.pc)},
                              {"why", job.program().text().stops.why(fault.cause, fault.pc)},
                              {"segment", fault.segment},
                              {"offset", fault.offset}});
  }
  if (last.findings) json["mistakes"] = Json::array();
  for (const Finding& finding : last.findings.value_or(std::vector<Finding>())) {
    json["mistakes"].push_back(finding_json(finding, job.program().text().lines, job.kernel()));
  }
  if (!last.states.empty()) json["states"] = last.states;
  for (const Counter& counter : last.counters) json["counters"][counter.name] = counter.by_cpe;
  for (const Figure& figure : last.figures) json["figures"][figure.name] = figure.value;
  return json;
}

}  // namespace swai::kernel_run
