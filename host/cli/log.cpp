// swai log, swai fault: what the card's firmware has written down, and what went wrong.
#include <fmt/format.h>

#include <memory>

#include "firmware/abi/journal.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/started_card.hpp"

namespace swai::cli {
namespace {

constexpr const char* kFaultExamples =
    R"(Records of what failed: kernels, transfers, refused commands, groups that do not answer; and what the firmware
left when it ended. They stay until newer ones take their place, and can be read while the firmware is dead.
Exit code 1: there are some.)";

constexpr unsigned kRoom = 64;

// All records that the card still has. `read` is one of the runtime library's functions for it.
template <typename Record, typename Read>
std::vector<Record> read_all(Read read, const char* what, uint64_t& lost) {
  std::vector<Record> all;
  uint64_t position = 0;
  unsigned count = 0;
  lost = 0;
  do {
    std::vector<Record> some(kRoom);
    uint64_t missed = 0;
    check(read(some.data(), kRoom, &count, &position, &missed, 0), what);
    all.insert(all.end(), some.begin(), some.begin() + count);
    lost += missed;
  } while (count == kRoom);
  return all;
}

void say_lost(uint64_t lost) {
  if (lost != 0) fmt::print("({} older ones are gone)\n", lost);
}

int log(const Cli& cli) {
  const auto severity = [](const sdaaLogRecord_t& one) {
    return journal::text(static_cast<journal::Severity>(one.severity));
  };
  const UsedCard card(cli.options());
  uint64_t lost = 0;
  const auto records = read_all<sdaaLogRecord_t>(sdaaDeviceReadLog, "log", lost);
  if (cli.options().json) {
    Json report = {{"lost", lost}, {"records", Json::array()}};
    for (const auto& one : records) {
      report["records"].push_back({{"position", one.position},
                                   {"cycle", one.cycle},
                                   {"severity", severity(one)},
                                   {"id", one.id},
                                   {"text", one.text}});
    }
    cli.print(report);
    return kDone;
  }
  say_lost(lost);
  for (const auto& one : records) fmt::print("{:>12}  {:<7}  {}\n", one.cycle, severity(one), one.text);
  return kDone;
}

int fault(const Cli& cli) {
  const UsedCard card(cli.options());
  uint64_t lost = 0;
  const auto records = read_all<sdaaFaultRecord_t>(sdaaDeviceReadFaults, "faults", lost);
  sdaaFirmwareFault_t firmware = {};
  const sdaaError_t found = sdaaDeviceGetFirmwareFault(&firmware, 0);
  const bool ended = found == sdaaSuccess;
  if (!ended && found != sdaaErrorNotFound) check(found, "the firmware's last words");
  if (cli.options().json) {
    Json report = {{"lost", lost}, {"records", Json::array()}, {"firmware", nullptr}};
    for (const auto& one : records) {
      report["records"].push_back({{"position", one.position},
                                   {"cycle", one.cycle},
                                   {"kind", int{one.kind}},
                                   {"cause", one.cause},
                                   {"group", one.group},
                                   {"core", one.core},
                                   {"channel", one.channel},
                                   {"segment", one.segment},
                                   {"queue", one.queue},
                                   {"command", one.command},
                                   {"address", one.address},
                                   {"pc", one.pc},
                                   {"text", one.text}});
    }
    if (ended) {
      report["firmware"] = {
          {"cycle", firmware.cycle}, {"cause", firmware.cause},         {"pc", firmware.pc},
          {"value", firmware.value}, {"registers", firmware.registers}, {"build", firmware.build},
          {"text", firmware.text}};
    }
    cli.print(report);
  } else {
    say_lost(lost);
    for (const auto& one : records) fmt::print("{:>12}  {}\n", one.cycle, one.text);
    if (ended) fmt::print("{:>12}  the firmware ended: {}\n", firmware.cycle, firmware.text);
    if (records.empty() && !ended) fmt::print("no faults\n");
  }
  return records.empty() && !ended ? kDone : kFailed;
}

}  // namespace

void add_log(Cli& cli) {
  cli.add("log", "print what the card's firmware has written down", [&cli] { return log(cli); });
  cli.add(
      "fault", "print what went wrong on the card", [&cli] { return fault(cli); }, kFaultExamples);
}

}  // namespace swai::cli
