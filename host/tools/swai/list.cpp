// SPDX-License-Identifier: Apache-2.0
// swai list, swai info: what cards there are, and what they are.
#include <fmt/format.h>

#include "host/tools/cli/started_card.hpp"
#include "host/tools/cli/table.hpp"
#include "host/tools/swai/commands.hpp"
#include "host/tools/swai/tier.hpp"

namespace swai::cli {
namespace {

struct Card {
  sdaaDeviceProp_t properties;
  size_t free;
  uint64_t time;
};

std::vector<Card> all_cards() {
  int count = 0;
  check(sdaaGetDeviceCount(&count), "cards cannot be counted");
  std::vector<Card> cards(static_cast<size_t>(count));
  for (int number = 0; number < count; ++number) {
    const std::string name = fmt::format("card {}", number);
    Card& card = cards[static_cast<size_t>(number)];
    size_t total = 0;
    check(sdaaSetDevice(number), name);
    check(sdaaGetDeviceProperties(&card.properties, number), name);
    check(sdaaMemGetInfo(&card.free, &total), name);
    check(sdaaDeviceGetTime(&card.time), name);
  }
  return cards;
}

Json describe(const Card& card, size_t number) {
  const sdaaDeviceProp_t& is = card.properties;
  return {{"number", number},
          {"name", is.name},
          {"tier", tier_of(is)},
          {"firmware", is.firmware},
          {"firmware_commit", is.firmwareCommit},
          {"groups", is.groups},
          {"rows", is.rows},
          {"columns", is.columns},
          {"cores", is.multiProcessorCount},
          {"clock_khz", is.clockRate},
          {"memory_bytes", is.totalGlobalMem},
          {"memory_free_bytes", card.free},
          {"local_memory_bytes", is.localMemPerCore},
          {"streams", is.streams},
          {"copy_engines", is.asyncEngineCount},
          {"concurrent_kernels", is.concurrentKernels},
          {"max_argument_bytes", is.maxArgumentBytes},
          {"time_ns", card.time}};
}

Json describe_all(const std::vector<Card>& cards) {
  Json report = {{"cards", Json::array()}};
  for (size_t i = 0; i < cards.size(); ++i) report["cards"].push_back(describe(cards[i], i));
  return report;
}

void print_list(const std::vector<Card>& cards) {
  Table table({">card", "name", ">cores", ">memory", ">free", "firmware"});
  for (size_t i = 0; i < cards.size(); ++i) {
    const sdaaDeviceProp_t& is = cards[i].properties;
    table.add({fmt::format("{}", i), is.name, fmt::format("{}", is.multiProcessorCount),
               size_text(is.totalGlobalMem), size_text(cards[i].free), is.firmware});
  }
  fmt::print("{}", table.text());
}

void print_info(const std::vector<Card>& cards) {
  for (size_t i = 0; i < cards.size(); ++i) {
    const sdaaDeviceProp_t& is = cards[i].properties;
    fmt::print("card {}: {}\n", i, is.name);
    fmt::print("  tier          {}\n", is_fast(is) ? "fast: a functional model; its times are coarse"
                                                   : "RTL, simulated cycle by cycle");
    fmt::print("  firmware      {} ({})\n", is.firmware, is.firmwareCommit);
    fmt::print("  cores         {}: {} group{} of {} x {}\n", is.multiProcessorCount, is.groups,
               is.groups == 1 ? "" : "s", is.rows, is.columns);
    fmt::print("  clock         1 GHz: a cycle counts as a nanosecond\n");
    fmt::print("  memory        {}, {} free\n", size_text(is.totalGlobalMem), size_text(cards[i].free));
    fmt::print("  local memory  {} per core\n", size_text(is.localMemPerCore));
    fmt::print("  at once       {} streams, {} copies, {} kernel{}\n", is.streams, is.asyncEngineCount,
               is.concurrentKernels, is.concurrentKernels == 1 ? "" : "s");
    fmt::print("  up for        {:.3f} ms\n", static_cast<double>(cards[i].time) / 1e6);
  }
}

int show(const Cli& cli, void (*print)(const std::vector<Card>& cards)) {
  const UsedCard card(cli.options());
  const auto cards = all_cards();
  if (cli.options().json) {
    cli.print(describe_all(cards));
  } else {
    print(cards);
  }
  return kDone;
}

}  // namespace

void add_list(Cli& cli) {
  cli.add("list", "list the cards, a line each", [&cli] { return show(cli, print_list); });
}

void add_info(Cli& cli) {
  cli.add("info", "tell what the cards are", [&cli] { return show(cli, print_info); });
}

}  // namespace swai::cli
