// SPDX-License-Identifier: Apache-2.0
// swai dump: what is needed to look into a card afterwards. Only the link is used, so that it works whatever
// has become of the card's firmware.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "card_regs.hpp"
#include "host/lib/argument_text.hpp"
#include "host/lib/new_file.hpp"
#include "host/runtime/bars.hpp"
#include "host/runtime/journal.hpp"
#include "host/tools/cli/link_errors.hpp"
#include "host/tools/cli/progress.hpp"
#include "host/tools/cli/started_card.hpp"
#include "host/tools/cli/table.hpp"
#include "host/tools/swai/card_state.hpp"
#include "host/tools/swai/commands.hpp"
#include "host/transport/card.hpp"

namespace swai::cli {
namespace {

using sdaa::kControlBar;
using sdaa::kMemoryBar;

constexpr const char* kExamples =
    R"(Memory: ADDRESS as the card has it (the groups' begins at 0x8000000000, the kernel's own first), hexadecimal on a terminal,
raw into files and pipes. State: registers, journals, what the firmware left when it ended, telemetry, clients, of all
cards; as one JSON object. Both work when the firmware is dead. Of a card that a daemon shares a client sees what is
its own or everybody's; the rest is told to be refused.

Examples:
  swai --card card.sock dump memory 0x8010000000 256
  swai --card card.sock dump memory 0x8010000000 1M -o memory.bin
  swai dump state -o state.json)";

struct Wish {
  std::string address;
  uint64_t bytes = 0;
  unsigned card = 0;
  std::string file;
};

std::string hex(uint64_t value) { return fmt::format("{:#x}", value); }

// --- Memory

void print_hex(uint64_t address, std::span<const uint8_t> bytes) {
  constexpr size_t kLine = 16;
  for (size_t at = 0; at < bytes.size(); at += kLine) {
    const auto line = bytes.subspan(at, std::min(kLine, bytes.size() - at));
    std::string numbers;
    std::string text;
    for (size_t i = 0; i < line.size(); ++i) {
      numbers += fmt::format("{:02x} {}", line[i], i == kLine / 2 - 1 ? " " : "");
      text += line[i] >= ' ' && line[i] <= '~' ? static_cast<char>(line[i]) : '.';
    }
    fmt::print("{:010x}  {:<50}|{}|\n", address + at, numbers, text);
  }
}

// The card answers reads of what is the kernel's own with ones only.
void check_visible(link::Card& card, uint64_t address, uint64_t bytes) {
  namespace pcie = regs::pcie;
  const auto read = [&](uint64_t offset) { return card.read<uint64_t>(kControlBar, offset); };
  for (const auto& [base, limit] : {std::pair(pcie::deny0_base::kOffset, pcie::deny0_limit::kOffset),
                                    std::pair(pcie::deny1_base::kOffset, pcie::deny1_limit::kOffset),
                                    std::pair(pcie::deny2_base::kOffset, pcie::deny2_limit::kOffset),
                                    std::pair(pcie::deny3_base::kOffset, pcie::deny3_limit::kOffset)}) {
    const uint64_t begin = read(base);
    const uint64_t end = read(limit);
    if (address < end && address + bytes > begin)
      throw Error(kBadInput, fmt::format("{} to {} is the kernel's own, which the card does not show",
                                         hex(begin), hex(end - 1)));
  }
}

std::vector<uint8_t> read_memory(const Cli& cli, link::Card& card, uint64_t address, uint64_t bytes) {
  constexpr uint64_t kPiece = 64 << 10;
  const uint64_t begin = regs::kHbmRegion.base;
  const protocol::Info info = sdaa::read_info(card);
  const uint64_t all = info.memory_per_group * info.groups;
  if (address < begin || address - begin > all || bytes > all - (address - begin))
    throw Error(kBadInput,
                fmt::format("the card has memory from {} to {}", hex(begin), hex(begin + all - 1)));
  check_visible(card, address, bytes);
  std::vector<uint8_t> memory(bytes);
  Progress progress(!cli.options().quiet, "memory");
  for (uint64_t at = 0; at < bytes; at += kPiece) {
    const uint64_t piece = std::min(kPiece, bytes - at);
    card.read_block(kMemoryBar, address - begin + at, std::span(memory).subspan(at, piece));
    progress.reached(static_cast<double>(at + piece) / static_cast<double>(bytes));
  }
  return memory;
}

int dump_memory(const Cli& cli, const Wish& wish) {
  const uint64_t address = kernel_run::parse_number(wish.address, ~uint64_t{0}, "ADDRESS");
  if (!wish.file.empty()) kernel_run::check_writable(wish.file);
  const UsedCard used(cli.options(), wish.card);
  const auto card = link::Card::open(used.sockets()[used.numbers().front()]);
  const std::vector<uint8_t> memory = read_memory(cli, *card, address, wish.bytes);
  if (!wish.file.empty()) {
    common::write_file(wish.file, memory);
  } else if (cli.options().json) {
    std::string text;
    for (const uint8_t byte : memory) text += fmt::format("{:02x}", byte);
    cli.print({{"card", wish.card}, {"address", hex(address)}, {"bytes", wish.bytes}, {"hex", text}});
  } else if (::isatty(STDOUT_FILENO) != 0) {
    print_hex(address, memory);
  } else {
    std::fwrite(memory.data(), 1, memory.size(), stdout);
  }
  return kDone;
}

// --- State

int dump_state(const Cli& cli, const Wish& wish) {
  if (!wish.file.empty()) kernel_run::check_writable(wish.file);
  const UsedCard used(cli.options(), wish.card);
  Json cards = Json::array();
  for (const std::string& socket : used.sockets()) {
    const auto card = link::Card::open(socket);
    cards.push_back(describe_state(*card, cards.size()));
  }
  const Json report = cli.whole({{"cards", std::move(cards)}});
  const std::string text = report.dump(2) + "\n";
  if (wish.file.empty()) {
    fmt::print("{}", text);
  } else {
    common::write_file(wish.file, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  }
  return kDone;
}

}  // namespace

void add_dump(Cli& cli) {
  const auto wish = std::make_shared<Wish>();
  const auto what = std::make_shared<int (*)(const Cli&, const Wish&)>(dump_state);
  CLI::App* const command = cli.add(
      "dump", "write what a card holds: dump memory ADDRESS BYTES, dump state",
      [&cli, wish, what] { return with_reasons([&] { return (*what)(cli, *wish); }); }, kExamples);
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* description, int (*action)(const Cli&, const Wish&)) {
    CLI::App* const one = command->add_subcommand(name, description);
    one->fallthrough();
    one->parse_complete_callback([what, action] { *what = action; });
    one->add_option("-o,--output", wish->file, "into this file instead")->type_name("FILE");
    return one;
  };
  add("state", "registers, journals, faults, telemetry, clients: one JSON object", dump_state);
  CLI::App* const memory = add("memory", "the card's memory", dump_memory);
  memory->add_option("ADDRESS", wish->address, "where, as the card has it")->required();
  memory->add_option("BYTES", wish->bytes, "how many: 256, 4K, 1M ...")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32))
      ->required();
  memory->add_option("--number", wish->card, "of the card, when there are several (default: 0)")
      ->type_name("N");
}

}  // namespace swai::cli
