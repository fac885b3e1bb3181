// SPDX-License-Identifier: Apache-2.0
#include "sim/card/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "build/gen/version.hpp"

namespace swai::card {
namespace {

// Enough for fifty boots; without a limit a card that hangs would hang the caller, too.
constexpr uint64_t kUntilReadyCycles = 100'000'000;

constexpr const char* kIntroduction =
    R"(Runs the card in simulation: management processor, boot ROM, flash chip and
console, cycle by cycle. One card clock counts as 1 ns.

The card boots from the flash image FILE, a plain image of the chip that survives
restarts and that `swai-image` reads and writes. A missing file is created, erased:
then the boot ROM stays in recovery and says so. The console is this terminal:
what you type goes to the card, Ctrl-C ends the simulation. A card that sleeps
costs no CPU: its clock stands still until there is input.)";

constexpr const char* kExamples = R"(Examples:
  swai-card --flash card.flash                        boot, with this terminal as console
  swai-card --flash card.flash --until-ready --stats  boot, print figures, end
  echo help | swai-card --flash card.flash            input from a pipe: each byte is handed over when the card
                                                      sleeps; the end of the input ends the run
  swai-card --flash card.flash --socket card.sock
                                                      serve any vfio-user client
  swai-card --flash card.flash --gdb 3333             halt before the first instruction and wait for
                                                      gdb-multiarch -ex 'target remote localhost:3333'
  build/wave/swai-card --flash card.flash --until-ready --wave boot.fst --wave-from 20000 --wave-to 30000
  swai-card --tier fast --flash card.flash --until-ready --save booted.snapshot
  swai-card --tier fast --flash card.flash --restore booted.snapshot --socket card.sock
                                                      boot once, and go on from there as often as you like

Exit codes:
  0  the run ended in order: ready (--until-ready), input at its end and the card asleep, Ctrl-C or SIGTERM
  1  the card is in recovery or has failed, did not become ready, or --max-cycles ran out
  2  bad usage, or a file that cannot be used)";

// What only the card in RTL has; null: nothing of it is asked for.
const char* rtl_only(const Options& options) {
  const bool waves = !options.wave.empty();
  if (options.gdb) return "--gdb";
  if (options.seed) return "--seed";
  if (!options.trace.empty()) return "--trace";
  if (!options.events.empty()) return "--events";
  return waves ? "--wave" : nullptr;
}

// And what only the model has.
const char* fast_only(const Options& options) {
  if (!options.restore.empty()) return "--restore";
  if (!options.check.empty()) return "--check";
  return options.save.empty() ? nullptr : "--save";
}

std::string default_rom() {
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  // Beside this program, or above it for the variants in build/wave and the like.
  for (const auto& folder : {self.parent_path(), self.parent_path().parent_path()}) {
    const auto candidate = folder / "firmware" / "rom.hex";
    if (std::filesystem::exists(candidate, ignored)) return candidate.string();
  }
  return (self.parent_path() / "firmware" / "rom.hex").string();
}

}  // namespace

void become(const Options& options, char** argv) {
  const bool fast = options.tier == kFastTier;
  if (options.tier == kThisTier && (fast || options.config == kThisConfiguration)) return;
  const char* const name =
      fast ? kFastProgram : std::ranges::find(kConfigurations, options.config, &Configuration::name)->program;
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string program = (self.parent_path() / name).string();
  // Each program takes itself for another configuration when none is named.
  std::vector<char*> words;
  for (; *argv != nullptr; ++argv) words.push_back(*argv);
  std::string config = "--config=" + options.config;
  std::string tier = "--tier=" + options.tier;
  words.insert(words.end(), {config.data(), tier.data(), nullptr});
  ::execv(program.c_str(), words.data());
  throw std::runtime_error(
      fmt::format("configuration {}, tier {}: cannot run {}: {}; `make build/{}` builds it", options.config,
                  options.tier, program, std::strerror(errno), name));
}

std::optional<int> parse_options(int argc, char** argv, Options& options) {
  CLI::App app(kIntroduction, "swai-card");
  app.footer(kExamples);
  app.set_version_flag("--version", std::string("swai-card ") + kVersion);
  std::string console = "-";

  std::map<std::string, std::string> configs;
  std::string configs_help = "which card:";
  for (const Configuration& config : kConfigurations) {
    const std::string name(config.name);
    configs[name] = name;
    configs_help += fmt::format("\n{:<5} {}", config.name, config.what);
  }
  app.add_option("--config", options.config, configs_help)
      ->check(CLI::IsMember(configs))
      ->take_last()
      ->type_name("NAME");
  app.add_option(
         "--tier", options.tier,
         "rtl: the card in RTL, cycle by cycle (default); fast: its functional model, which runs the same\n"
         "software a thousand times as fast and says nothing about cycles")
      ->check(CLI::IsMember({std::string(kRtlTier), std::string(kFastTier)}))
      ->take_last()
      ->envname("SWAI_TIER")
      ->type_name("NAME");
  app.add_option("--flash", options.flash, "flash image; created (erased) when missing")
      ->required()
      ->type_name("FILE");
  app.add_option("--flash-size", options.flash_size,
                 "size of the chip, 1M to 16M, a power of two (default: that of the file, or 16M)")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("BYTES");
  app.add_option("--flash-speed", options.flash_speed,
                 "the chip programs and erases N times as fast (default 1)")
      ->check(CLI::Range(1.0, 1e9))
      ->type_name("N");
  app.add_option("--rom", options.rom, "boot ROM, rows of 512 bits in hex (default: the one that was built)")
      ->type_name("FILE");
  app.add_option(
         "--console", console,
         "-: this terminal or pipe (default); none; a terminal device; or a file that takes the output")
      ->type_name("-|none|FILE");
  app.add_flag("--until-ready", options.until_ready, "end when the kernel is ready and sleeps");
  app.add_option(
         "--max-cycles", options.max_cycles,
         "end after N card clocks, with exit code 1 (default: no limit; 100 million with --until-ready)")
      ->type_name("N");
  app.add_flag("--stats", options.stats, "print image bytes, boot cycles and simulated kHz at the end");
  app.add_flag("--json", options.json,
               "the same as JSON on standard output; the console moves to standard error");
  app.add_flag("--quiet", options.quiet, "no progress on standard error");
  app.add_option("--trace", options.trace, "write one line per retired instruction")->type_name("FILE");
  auto* events = app.add_option("--events", options.events,
                                "write what the card's engines do as a Perfetto trace (ui.perfetto.dev)")
                     ->type_name("FILE");
  auto* paused = app.add_flag("!--events-paused", options.events_on, "record only when a client asks for it")
                     ->needs(events);
  app.add_option("--events-limit", options.events_limit,
                 "record nothing more when FILE has so many bytes (default 1G)")
      ->transform(CLI::AsSizeValue(false))
      ->needs(events)
      ->type_name("BYTES");
  auto* from_ready =
      app.add_flag("--events-from-ready", options.events_from_ready,
                   "record from where the cards have booted and wait for clients; time 0 is there")
          ->needs(events)
          ->excludes(paused);
  auto* wave =
      app.add_option("--wave", options.wave, "write waves (only build/wave/swai-card)")->type_name("FILE");
  app.add_option("--wave-from", options.wave_from, "first clock in the waves")->type_name("N");
  app.add_option("--wave-to", options.wave_to, "last clock in the waves")->type_name("N");
  auto* trigger =
      app.add_option("--wave-trigger", options.wave_trigger,
                     "begin the waves with the first irq[:VECTOR], doorbell[:N], dma[:CHANNEL], reset,\n"
                     "fault or pc=ADDR (an instruction retires) from --wave-from on")
          ->check([](const std::string& text) { return Trigger::parse(text) ? "" : "no trigger: " + text; })
          ->needs(wave)
          ->type_name("EVENT");
  app.add_option("--wave-length", options.wave_length, "so many clocks from there on (default 1000)")
      ->check(CLI::PositiveNumber)
      ->needs(trigger)
      ->type_name("N");
  app.add_option("--gdb", options.gdb, "serve gdb on this TCP port of this machine; 0: any free port")
      ->type_name("PORT");
  app.add_option("--seed", options.seed,
                 "memories and registers start with random contents; without a seed they start with zeros,\n"
                 "so that cycle counts are the same in every build")
      ->type_name("N");

  app.add_option(
         "--restore", options.restore,
         "begin with the state in FILE, which --save has written, instead of power-on: same firmware,\n"
         "same configuration, same contents of the flash chip (--tier fast). Card n of several has FILE.n")
      ->envname("SWAI_RESTORE")
      ->type_name("FILE");
  app.add_option(
         "--save", options.save,
         "write the card's state to FILE when the run ends: memory, cores, devices, queues (--tier fast);\n"
         "ready (--until-ready), end of the input, --max-cycles, Ctrl-C or SIGTERM, with --socket, too")
      ->type_name("FILE");

  auto* check =
      app.add_option(
             "--check", options.check,
             "look for what hardware does not forgive: forgotten waits, operands and results that are\n"
             "overwritten, lines that the processor's cache still has. Each place is told on standard "
             "error,\n"
             "and added to FILE as a JSON object, a line; -: no file (--tier fast)")
          ->envname("SWAI_CHECK")
          ->type_name("FILE");
  app.add_option("--check-module", options.check_modules,
                 "a module of kernels, for their names and lines; may be given again")
      ->needs(check)
      ->envname("SWAI_CHECK_MODULES")
      ->delimiter(':')
      ->type_name("FILE");

  auto* socket =
      app.add_option("--socket", options.socket,
                     "serve the card on this vfio-user socket once it has booted; the console only shows")
          ->type_name("PATH");
  from_ready->needs(socket);
  app.add_option(
         "--cards", options.cards,
         "so many cards in one host (default 1). Card n has socket and flash of card 0 with .n behind")
      ->check(CLI::Range(1, 8))
      ->needs(socket)
      ->type_name("N");
  app.add_flag("!--no-iommu", options.iommu, "no routes between cards, nor from a card to itself")
      ->needs(socket);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitBadInput;
  }

  if (!options.socket.empty() && (options.until_ready || options.gdb || options.stats || options.json)) {
    fmt::print(
        stderr,
        "swai-card: --socket serves clients; --until-ready, --gdb, --stats and --json are for a card with a "
        "console\n");
    return kExitBadInput;
  }
  if (const char* const missing = rtl_only(options); options.tier == kFastTier && missing != nullptr) {
    fmt::print(stderr, "swai-card: the fast tier has no {}; --tier rtl has\n", missing);
    return kExitBadInput;
  }
  if (const char* const missing = fast_only(options); options.tier == kRtlTier && missing != nullptr) {
    fmt::print(stderr, "swai-card: the card in RTL has no {}; --tier fast has\n", missing);
    return kExitBadInput;
  }
  if (console == "none") {
    options.console = Console::Kind::kNone;
  } else if (console != "-") {
    options.console = Console::Kind::kFile;
    options.console_path = console;
  } else if (options.json) {
    options.console = Console::Kind::kStandardOnError;
  }
  if (options.events_from_ready) options.events_on = false;
  if (options.rom.empty()) options.rom = default_rom();
  if (options.until_ready && options.max_cycles == 0) options.max_cycles = kUntilReadyCycles;
  return std::nullopt;
}

}  // namespace swai::card
