// SPDX-License-Identifier: Apache-2.0
// swai log, swai fault: what the card's firmware has written down, and what went wrong.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "abi/journal.hpp"
#include "host/tools/cli/module_file.hpp"
#include "host/tools/cli/started_card.hpp"
#include "host/tools/swai/commands.hpp"

namespace swai::cli {
namespace {

constexpr const char* kLogExamples =
    R"(The cycle of the card in front; of several cards the card's number before that.

Examples:
  swai log
  swai log --number 1)";

constexpr const char* kFaultExamples =
    R"(Records of what failed: kernels, transfers, refused commands, groups that do not answer; and what the firmware
left when it ended. They stay until newer ones take their place, and can be read while the firmware is dead.
The card knows no names: --module tells function and source line of what failed in a kernel of that module.
Exit code 1: there are some.

Examples:
  swai fault
  swai fault --module kernel.elf)";

constexpr unsigned kRoom = 64;

template <typename Record>
struct Journal {
  std::vector<Record> records;
  uint64_t lost = 0;
};

// All records that a card still has. `read` is one of the runtime library's functions for it.
template <typename Record, typename Read>
Journal<Record> read_all(Read read, const char* what, unsigned card) {
  Journal<Record> all;
  uint64_t position = 0;
  unsigned count = 0;
  do {
    std::vector<Record> some(kRoom);
    uint64_t missed = 0;
    check(read(some.data(), kRoom, &count, &position, &missed, static_cast<int>(card)),
          fmt::format("{} of card {}", what, card));
    all.records.insert(all.records.end(), some.begin(), some.begin() + count);
    all.lost += missed;
  } while (count == kRoom);
  return all;
}

std::optional<sdaaFirmwareFault_t> read_last_words(unsigned card) {
  sdaaFirmwareFault_t words = {};
  const sdaaError_t found = sdaaDeviceGetFirmwareFault(&words, static_cast<int>(card));
  if (found == sdaaErrorNotFound) return std::nullopt;
  check(found, fmt::format("last words of the firmware of card {}", card));
  return words;
}

// Lines of text about a card; of several each line says whose it is.
class Lines {
 public:
  Lines(const UsedCard& cards, unsigned card)
      : begin_(cards.sockets().size() == 1 ? "" : fmt::format("card {}  ", card)) {}
  void lost(uint64_t count) const {
    if (count != 0) print(fmt::format("({} older ones are gone)", count));
  }
  void at(uint64_t cycle, const std::string& text) const { print(fmt::format("{:>12}  {}", cycle, text)); }
  void print(const std::string& text) const { fmt::print("{}{}\n", begin_, text); }

 private:
  std::string begin_;
};

const char* severity(const sdaaLogRecord_t& one) {
  return journal::text(static_cast<journal::Severity>(one.severity));
}

Json describe(const sdaaLogRecord_t& one) {
  return {{"position", one.position},
          {"cycle", one.cycle},
          {"severity", severity(one)},
          {"id", one.id},
          {"text", one.text}};
}

Json describe(const sdaaFaultRecord_t& one) {
  return {{"position", one.position}, {"cycle", one.cycle},     {"kind", int{one.kind}},
          {"cause", one.cause},       {"group", one.group},     {"core", one.core},
          {"channel", one.channel},   {"segment", one.segment}, {"queue", one.queue},
          {"command", one.command},   {"address", one.address}, {"pc", one.pc},
          {"text", one.text}};
}

Json describe(const std::optional<sdaaFirmwareFault_t>& words) {
  if (!words) return nullptr;
  return {{"cycle", words->cycle}, {"cause", words->cause},         {"pc", words->pc},
          {"value", words->value}, {"registers", words->registers}, {"build", words->build},
          {"text", words->text}};
}

template <typename Record>
Json describe(const Journal<Record>& journal, unsigned card) {
  Json report = {{"card", card}, {"lost", journal.lost}, {"records", Json::array()}};
  for (const Record& one : journal.records) report["records"].push_back(describe(one));
  return report;
}

struct Wish {
  std::optional<unsigned> card;
  std::string module;
};

bool is_of_kernel(const sdaaFaultRecord_t& one) {
  return one.kind == sdaaFaultKernel || one.kind == sdaaFaultKernelTimeout ||
         one.kind == sdaaFaultKernelStuck;
}

// Function and line where a kernel failed; empty for other faults, and what is not known.
std::string place_of(const sdaaFaultRecord_t& one, const module::ModuleText& known) {
  return is_of_kernel(one) ? known.lines.place(static_cast<uint32_t>(one.pc)) : "";
}

// What the kernel itself says of it.
std::string_view why(const sdaaFaultRecord_t& one, const module::ModuleText& known) {
  if (one.kind != sdaaFaultKernel) return {};
  return known.stops.why(static_cast<launch::Cause>(one.cause), static_cast<uint32_t>(one.pc));
}

// `file`: of the module, which the record does not name: another one has something else there.
std::string line_of(const sdaaFaultRecord_t& one, const module::ModuleText& known, const std::string& file) {
  const std::string place = place_of(one, known);
  const std::string_view own = why(one, known);
  if (place.empty()) return one.text;
  return own.empty() ? fmt::format("{} (in {}: {})", one.text, file, place)
                     : fmt::format("{} (in {}: {}: {})", one.text, file, place, own);
}

int log(const Cli& cli, const Wish& wish) {
  const UsedCard cards(cli.options(), wish.card);
  Json report = {{"cards", Json::array()}};
  for (const unsigned card : cards.numbers()) {
    const auto journal = read_all<sdaaLogRecord_t>(sdaaDeviceReadLog, "log", card);
    report["cards"].push_back(describe(journal, card));
    if (cli.options().json) continue;
    const Lines lines(cards, card);
    lines.lost(journal.lost);
    for (const auto& one : journal.records)
      lines.at(one.cycle, fmt::format("{:<7}  {}", severity(one), one.text));
  }
  if (cli.options().json) cli.print(report);
  return kDone;
}

int fault(const Cli& cli, const Wish& wish) {
  module::ModuleText known;
  if (!wish.module.empty()) known = ModuleFile(wish.module).text();
  const UsedCard cards(cli.options(), wish.card);
  Json report = {{"cards", Json::array()}};
  bool any = false, nameless = false;
  for (const unsigned card : cards.numbers()) {
    const auto journal = read_all<sdaaFaultRecord_t>(sdaaDeviceReadFaults, "faults", card);
    const auto words = read_last_words(card);
    const bool clean = journal.records.empty() && !words;
    any |= !clean;
    report["cards"].push_back(describe(journal, card));
    report["cards"].back()["firmware"] = describe(words);
    for (size_t i = 0; i < journal.records.size(); ++i) {
      Json& record = report["cards"].back()["records"][i];
      record["place"] = place_of(journal.records[i], known);
      record["why"] = why(journal.records[i], known);
    }
    if (cli.options().json) continue;
    const Lines lines(cards, card);
    lines.lost(journal.lost);
    for (const auto& one : journal.records) lines.at(one.cycle, line_of(one, known, wish.module));
    nameless |= wish.module.empty() && std::ranges::any_of(journal.records, is_of_kernel);
    if (words) lines.at(words->cycle, fmt::format("the firmware ended: {}", words->text));
    if (clean) lines.print("no faults");
  }
  if (cli.options().json) cli.print(report);
  if (nameless && !cli.options().quiet)
    fmt::print(stderr,
               "swai: --module FILE, with the module of the kernel, tells its function and source line\n");
  return any ? kFailed : kDone;
}

CLI::App& add_journal(Cli& cli, const char* name, const char* what, int (*action)(const Cli&, const Wish&),
                      const char* examples, const std::shared_ptr<Wish>& wish) {
  CLI::App* const command = cli.add(
      name, what, [&cli, wish, action] { return action(cli, *wish); }, examples);
  command->add_option("--number", wish->card, "of the card, when there are several (default: all)")
      ->type_name("N");
  return *command;
}

}  // namespace

void add_log(Cli& cli) {
  add_journal(cli, "log", "print what the cards' firmware has written down", log, kLogExamples,
              std::make_shared<Wish>());
  const auto wish = std::make_shared<Wish>();
  add_journal(cli, "fault", "print what went wrong on the cards", fault, kFaultExamples, wish)
      .add_option("--module", wish->module, "names function and line of a kernel of this module")
      ->type_name("FILE");
}

}  // namespace swai::cli
