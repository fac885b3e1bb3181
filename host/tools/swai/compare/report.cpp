// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/compare/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "host/lib/printable.hpp"
#include "host/tools/swai/words.hpp"

namespace swai::cli {

using sdaa::record::Result;
using Kind = Difference::Kind;

namespace {

std::string shortened(std::string text) {
  text = common::printable_lines(text);
  std::ranges::replace(text, '\n', ' ');
  if (text.size() > kShownCharacters) text = text.substr(0, kShownCharacters) + "...";
  return text;
}

std::string how_it_ended(const Side& side) {
  if (!side.status) return "was stopped, because its time was up";
  if (WIFSIGNALED(*side.status))
    return fmt::format("was ended by signal {} ({})", WTERMSIG(*side.status),
                       ::strsignal(WTERMSIG(*side.status)));
  return fmt::format("exit code {}", WEXITSTATUS(*side.status));
}

std::string what_it_was(const Result& result) {
  std::string text = result.what;
  if (!result.name.empty()) {
    const std::string name = shortened(result.name);
    text += result.what == "launch" ? " of " + name : fmt::format(" \"{}\"", name);
  }
  if (result.bytes != 0) text += fmt::format(", {} bytes", result.bytes);
  if (result.place.empty()) return text;
  return text + (result.what == "copy to host" ? " from " : " to ") + result.place;
}

std::string end_of(const std::optional<Result>& result) {
  if (!result) return "there is no such result";
  std::string text = what_it_was(*result) + ": " + result->end.value_or("not known when the program ended");
  if (!result->text.empty()) text += fmt::format(" ({})", shortened(result->text));
  return text;
}

// "byte 12: 3f, not 40" and the words around it.
std::string text_of(const Difference::Bytes& bytes, const Both<Side>& sides) {
  if (bytes.behind != 0) {
    return fmt::format("  it is in bytes {} to {}; only digests of them were kept\n", bytes.offset,
                       bytes.behind - 1);
  }
  const uint64_t at = bytes.offset - bytes.from;
  std::string text = fmt::format("  the first byte that differs is {}\n", bytes.offset);
  for (size_t side = 0; side < sides.size(); ++side) {
    const auto& near = bytes.neighbours[side];
    text += fmt::format("  {:4}  {:#010x}:", sides[side].tier, bytes.from);
    for (size_t i = 0; i < near.size(); ++i) text += fmt::format("{}{:02x}", i == at ? ">" : " ", near[i]);
    const uint64_t word = at & ~uint64_t{3};
    if (word + sizeof(uint32_t) <= near.size()) {
      uint32_t value = 0;
      std::memcpy(&value, &near[word], sizeof value);
      text += fmt::format("   its word: {:#x}, {}, {}", value, std::bit_cast<int32_t>(value),
                          std::bit_cast<float>(value));
    }
    text += '\n';
  }
  return text;
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::kContents:
      return "contents";
    case Kind::kEnd:
      return "end";
    case Kind::kCommand:
      return "command";
    case Kind::kMissing:
      return "missing";
  }
  return "";
}

const char* describe(Kind kind) {
  switch (kind) {
    case Kind::kContents:
      return "it brought other bytes";
    case Kind::kEnd:
      return "it ended in another way";
    case Kind::kCommand:
      return "the program did something else";
    case Kind::kMissing:
      return "one has it, the other ended without";
  }
  return "";
}

std::string text_of(const Difference& difference, const Both<Side>& sides) {
  std::string text = fmt::format("different: result {} of {}: {}\n", difference.number, difference.source,
                                 describe(difference.kind));
  for (size_t side = 0; side < sides.size(); ++side)
    text += fmt::format("  {:4}  {}\n", sides[side].tier, end_of(difference.results[side]));
  if (difference.kind == Kind::kContents) {
    text += difference.results[0]->what == "copy to card"
                ? fmt::format("  the program itself gave other bytes, in {} to {}\n", difference.bytes.offset,
                              difference.bytes.behind - 1)
                : text_of(difference.bytes, sides);
  }
  text += difference.launches.empty() ? "  no launch was the same before it\n"
                                      : "  launches before it, the same on both:";
  for (const Numbered& launch : difference.launches) {
    text += fmt::format("{} {} (result {} of {})", &launch == &difference.launches.front() ? "" : ",",
                        launch.result.name, launch.number, launch.result.source);
  }
  return text + (difference.launches.empty() ? "" : "\n");
}

std::string state_of(const Side& side) {
  std::string text = fmt::format("  {:4}  {}; {}\n", side.tier, how_it_ended(side),
                                 side.processes == 0   ? "it used no card"
                                 : side.faults.empty() ? "the card has noted no fault"
                                                       : "faults that the card has noted:");
  for (const std::string& fault : side.faults) text += fmt::format("        {}\n", shortened(fault));
  std::ifstream in(side.errors());
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) last = line;
  if (!last.empty()) text += fmt::format("        its last line on standard error: {}\n", shortened(last));
  return text;
}

bool ended_alike(const Both<Side>& sides) {
  return sides[0].status && sides[1].status && *sides[0].status == *sides[1].status;
}

}  // namespace

bool is_same(const Findings& found, const Both<Side>& sides) {
  return !found.difference && !found.line && ended_alike(sides) && sides[0].processes == sides[1].processes;
}

std::string text_of(const Findings& found, const Both<Side>& sides) {
  std::string text;
  const std::string compared =
      fmt::format("{} with {}", counted(found.results, "result"), counted(found.bytes, "byte"));
  if (is_same(found, sides)) {
    text = fmt::format("same: {}; {}\n", compared, how_it_ended(sides[0]));
    if (sides[0].processes == 0) text += "The program used no card of the runtime library.\n";
  } else if (found.difference) {
    text = text_of(*found.difference, sides);
    if (found.process != 0)
      text += fmt::format("  in process {} of those that used a card\n", found.process + 1);
  } else if (!ended_alike(sides)) {
    text = fmt::format("different: the program ends in another way, or not, after {} that are the same\n",
                       compared);
  } else if (found.line) {
    text = fmt::format(
        "different: line {} of standard output, after {} that are the same (--ignore-output, "
        "where it shows times)\n",
        found.line->number, compared);
    for (size_t side = 0; side < sides.size(); ++side) {
      const auto& line = found.line->lines[side];
      text +=
          fmt::format("  {:4}  {}\n", sides[side].tier, line ? shortened(*line) : "there is no such line");
    }
  } else {
    text = fmt::format("different: {} used a card on {}, {} on {}\n", counted(sides[0].processes, "process"),
                       sides[0].tier, sides[1].processes, sides[1].tier);
  }
  if (found.unknown != 0) {
    text += fmt::format("The contents of {} were not compared, because they are not known on both sides.\n",
                        counted(found.unknown, "result"));
  }
  if (found.is_cut) text += "A record became too long: what came behind was not compared.\n";
  if (found.has_no_end) {
    text +=
        "A record has no end, because its process was killed, or left with _exit, or there was no room: what "
        "it knew last may be missing.\n";
  }
  if (is_same(found, sides)) return text;
  for (const Side& side : sides) text += state_of(side);
  return text;
}

// --- For machines

namespace {

Json json_of(const std::optional<Result>& result, const std::vector<uint8_t>& neighbours) {
  if (!result) return nullptr;
  Json all = {
      {"what", result->what}, {"name", result->name}, {"bytes", result->bytes}, {"place", result->place}};
  all["end"] = result->end ? Json(*result->end) : Json();
  if (!result->text.empty()) all["text"] = result->text;
  if (!neighbours.empty()) all["neighbours"] = fmt::format("{:02x}", fmt::join(neighbours, ""));
  return all;
}

Json json_of(const Difference& difference, const Both<Side>& sides) {
  Json all = {
      {"kind", name_of(difference.kind)}, {"source", difference.source}, {"number", difference.number}};
  if (difference.kind == Kind::kContents) {
    all["offset"] = difference.bytes.offset;
    all["exact"] = difference.bytes.behind == 0;
    all["neighbours_from"] = difference.bytes.from;
  }
  for (size_t side = 0; side < sides.size(); ++side)
    all[sides[side].tier] = json_of(difference.results[side], difference.bytes.neighbours[side]);
  all["launches"] = Json::array();
  for (const Numbered& launch : difference.launches) {
    all["launches"].push_back(
        {{"source", launch.result.source}, {"number", launch.number}, {"name", launch.result.name}});
  }
  return all;
}

Json json_of_line(const DifferentLine& line, const Both<Side>& sides) {
  Json all = {{"kind", "output"}, {"line", line.number}};
  for (size_t side = 0; side < sides.size(); ++side)
    all[sides[side].tier] = line.lines[side] ? Json(shortened(*line.lines[side])) : Json();
  return all;
}

}  // namespace

Json json_of(const Findings& found, const Both<Side>& sides) {
  Json all = {{"same", is_same(found, sides)}, {"results", found.results}, {"bytes", found.bytes},
              {"unknown", found.unknown},      {"cut", found.is_cut},      {"no_end", found.has_no_end}};
  for (const Side& side : sides) {
    all["sides"][side.tier] = {{"exit_code", side.status ? Json(exit_code(*side.status)) : Json()},
                               {"processes", side.processes},
                               {"faults", side.faults}};
  }
  if (found.difference) {
    all["difference"] = json_of(*found.difference, sides);
    all["difference"]["process"] = found.process;
  } else if (!ended_alike(sides)) {
    all["difference"] = {{"kind", "exit"}};
  } else if (found.line) {
    all["difference"] = json_of_line(*found.line, sides);
  } else if (!is_same(found, sides)) {
    all["difference"] = {{"kind", "processes"}};
  }
  return all;
}

}  // namespace swai::cli
