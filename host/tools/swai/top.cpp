// SPDX-License-Identifier: Apache-2.0
// swai top: what the cards do, and for whom.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <string_view>

#include "abi/protocol.hpp"
#include "host/runtime/bars.hpp"
#include "host/runtime/error.hpp"
#include "host/runtime/firmware.hpp"
#include "host/tools/cli/table.hpp"
#include "host/tools/swai/commands.hpp"
#include "host/tools/swai/daemon.hpp"
#include "host/tools/swai/keys.hpp"
#include "host/transport/served.hpp"

namespace swai::cli {
namespace {

using std::chrono::steady_clock;

constexpr const char* kExamples =
    R"(Shows cards that `swai serve` shares, without disturbing who uses them. BUSY is the part of the time in which
launches of the client ran, of all core groups together; a card's time only passes while programs wait for it. RUNNING are
launches that run at this moment, LAUNCHES those that have ended.

Examples:
  swai top                      # until q or Ctrl-C
  swai top --json               # for machines: a line with a JSON object for each look
  swai top --count 1            # once)";

// Those that have no room on a terminal go in this order.
constexpr std::string_view kUnimportant[] = {"queues",  "to host", "to card",  "client",
                                             "running", "memory",  "launches", "process"};

struct Wish {
  double interval = 1;
  unsigned count = 0;
};

struct Reading {
  steady_clock::time_point real;
  uint64_t cycle = 0;
  std::vector<protocol::ClientUsage> clients;
};

class Watched {
 public:
  explicit Watched(const std::string& socket)
      : card_(link::Card::open(socket)),
        firmware_(sdaa::find_firmware(*card_, sdaa::Limits{}, sdaa::Restart::kNo)) {}

  const protocol::Info& info() const { return firmware_.info; }
  Reading read() {
    Reading now{.real = steady_clock::now(), .cycle = card_->cycle(), .clients = {}};
    now.clients.resize(info().clients_count);
    card_->read_block(
        sdaa::kMemoryBar, sdaa::kSram + info().clients_offset,
        {reinterpret_cast<uint8_t*>(now.clients.data()), now.clients.size() * sizeof(protocol::ClientUsage)});
    return now;
  }

 private:
  std::unique_ptr<link::Card> card_;
  sdaa::Firmware firmware_;
};

struct Program {
  int process = 0;
  std::string name;
};
// Whose each context is, by card and context. A daemon tells that to its own user only.
std::map<std::pair<size_t, uint64_t>, Program> programs() {
  std::map<std::pair<size_t, uint64_t>, Program> found;
  Json reply = {{"clients", Json::array()}};
  try {
    reply = ask_daemon({{"command", "clients"}});
  } catch (const Error&) {
    return found;
  }
  for (const Json& one : reply.at("clients")) {
    found[{one.at("card").get<size_t>(), one.at("context").get<uint64_t>()}] = {
        one.at("process").get<int>(),
        one.at("program").get<std::string>() + (one.at("ended").get<bool>() ? " (ended)" : "")};
  }
  return found;
}

// What a client did since the reading before, if it was there then.
protocol::ClientUsage before(const Reading& last, size_t place, const protocol::ClientUsage& now) {
  const bool same = place < last.clients.size() && last.clients[place].context == now.context;
  return same ? last.clients[place] : protocol::ClientUsage{};
}

struct View {
  Json cards = Json::array();
  std::string text;
};

// "1.5 MiB": for a look, not for sums.
std::string rounded(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  unsigned unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return fmt::format("{:.{}f} {}", value, unit == 0 ? 0 : 1, kUnits[unit]);
}

// "1.25 M".
std::string rounded_count(uint64_t count) {
  if (count < 100'000) return fmt::format("{}", count);
  return count < 10'000'000 ? fmt::format("{:.0f} k", static_cast<double>(count) / 1e3)
                            : fmt::format("{:.1f} M", static_cast<double>(count) / 1e6);
}

void add_card(View& view, size_t number, const protocol::Info& info, const Reading& last, const Reading& now,
              const std::map<std::pair<size_t, uint64_t>, Program>& programs, size_t width) {
  const double seconds = std::chrono::duration<double>(now.real - last.real).count();
  const uint64_t cycles = now.cycle - last.cycle;
  const double rate = seconds > 0 ? static_cast<double>(cycles) / seconds / 1e3 : 0;
  const uint64_t room = info.memory_per_group * info.groups;
  uint64_t used = 0;
  Json card = {{"card", number},
               {"cycle", now.cycle},
               {"cycles_per_second", rate * 1e3},
               {"memory_bytes", room},
               {"clients", Json::array()}};
  Table table({">client", ">process", "program", ">running", ">launches", ">busy", ">memory", ">to card",
               ">to host", ">queues"});
  for (size_t i = 0; i < now.clients.size(); ++i) {
    const protocol::ClientUsage& is = now.clients[i];
    if (is.attached != protocol::Attached::kYes) continue;
    used += is.memory;
    const protocol::ClientUsage was = before(last, i, is);
    const auto found = programs.find({number, is.context});
    const Program program = found == programs.end() ? Program{0, "?"} : found->second;
    // What the card tells of a launch that runs may be some time old.
    const double busy = cycles == 0 || is.busy < was.busy
                            ? 0
                            : std::min(1.0, static_cast<double>(is.busy - was.busy) /
                                                static_cast<double>(cycles * info.groups));
    card["clients"].push_back({{"context", is.context},
                               {"process", program.process},
                               {"program", program.name},
                               {"queues", is.queues},
                               {"memory_bytes", is.memory},
                               {"allocations", is.allocations},
                               {"modules", is.modules},
                               {"commands", is.commands},
                               {"launches", is.launches},
                               {"launches_running", is.running},
                               {"busy_cycles", is.busy},
                               {"busy", busy},
                               {"bytes_to_card", is.bytes_to_card},
                               {"bytes_to_host", is.bytes_to_host}});
    table.add({fmt::format("{}", is.context), fmt::format("{}", program.process), program.name,
               fmt::format("{}", is.running), rounded_count(is.launches), fmt::format("{:.0f} %", busy * 100),
               rounded(is.memory), rounded(is.bytes_to_card), rounded(is.bytes_to_host),
               fmt::format("{}", is.queues)});
  }
  card["memory_used_bytes"] = used;
  const auto time = fmt::format("card {}: {:.3f} ms, {:.0f} thousand cycles a second,", number,
                                static_cast<double>(now.cycle) / 1e6, rate);
  const auto memory = fmt::format("{} of {} in use", rounded(used), rounded(room));
  const bool one_line = time.size() + 1 + memory.size() <= width;
  view.text += fmt::format("{}{}{}\n{}", time, one_line ? " " : "\n        ", memory,
                           table.text_within(width, kUnimportant));
  view.cards.push_back(std::move(card));
}

// "jobs: 1 runs, 2 wait"; nothing for who may not ask.
std::string jobs_text() {
  unsigned run = 0, wait = 0;
  try {
    const Json reply = ask_daemon({{"command", "list"}});
    for (const Json& job : reply.at("jobs")) {
      run += job.at("state") == "running" ? 1 : 0;
      wait += job.at("state") == "waiting" ? 1 : 0;
    }
  } catch (const Error&) {
    return "";
  }
  return run + wait == 0 ? "" : fmt::format("jobs: {} running, {} waiting\n", run, wait);
}

int top(const Cli& cli, const Wish& wish) {
  const auto sockets = link::served_cards();
  if (sockets.empty()) throw Error(kNoCard, "no daemon runs; `swai serve` in another terminal starts it");
  std::vector<Watched> cards;
  std::vector<Reading> last;
  for (const std::string& socket : sockets) {
    cards.emplace_back(socket);
    last.push_back(cards.back().read());
  }
  const bool on_terminal = !cli.options().json && ::isatty(STDOUT_FILENO) != 0;
  const bool screen = on_terminal && wish.count == 0;
  Keys keys(screen);
  for (unsigned shown = 0; wish.count == 0 || shown < wish.count; ++shown) {
    if (keys.quit_within(std::chrono::duration<double>(wish.interval))) return kDone;
    const auto names = programs();
    const size_t width = on_terminal ? terminal_width() : std::string::npos;
    View view;
    for (size_t i = 0; i < cards.size(); ++i) {
      Reading now = cards[i].read();
      add_card(view, i, cards[i].info(), last[i], now, names, width);
      last[i] = std::move(now);
    }
    if (cli.options().json) {
      cli.print_line({{"cards", std::move(view.cards)}});
    } else {
      view.text += jobs_text();
      fmt::print("{}{}{}", screen ? "\x1b[H\x1b[2J" : "", cut(view.text, width), screen ? "q ends\n" : "");
    }
    std::fflush(stdout);
  }
  return kDone;
}

}  // namespace

void add_top(Cli& cli) {
  const auto wish = std::make_shared<Wish>();
  CLI::App* const command = cli.add(
      "top", "show what served cards do, and for whom",
      [&cli, wish] {
        try {
          return top(cli, *wish);
        } catch (const sdaa::Failure& failure) {
          throw Error(kCardLost, failure.what());
        } catch (const link::Error& error) {
          throw Error(kCardLost, error.what());
        }
      },
      kExamples);
  command->add_option("--interval", wish->interval, "seconds between two looks")
      ->check(CLI::Range(0.05, 3600.0))
      ->capture_default_str();
  command->add_option("--count", wish->count, "so many times (0: until q or Ctrl-C)")->capture_default_str();
}

}  // namespace swai::cli
