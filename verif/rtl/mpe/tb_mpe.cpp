// SPDX-License-Identifier: Apache-2.0
// Lockstep testbench of the management core: random programs on RTL and reference model. See
// docs/simulate/simulators.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

#include "host/lib/elf.hpp"
#include "sim/iss/mpe/trace.hpp"
#include "verif/rtl/mpe/invalidation.hpp"
#include "verif/rtl/mpe/random_bench.hpp"

namespace {

using swai::mpe::Mix;
using swai::mpe::RandomOptions;
using swai::mpe::RandomRun;

struct Options {
  std::string test = "random";
  uint64_t seed = 1;
  uint64_t instructions = 100'000;
  uint64_t programs = 0;
  std::string kinds;
  std::string elf;
  RandomOptions run;
};

// Seeds of the programs of one run; the first is the run's own, so that a single program is replayed by its
// seed.
uint64_t program_seed(uint64_t seed, uint64_t index) { return seed + index * 0x9e37'79b9'7f4a'7c15; }

void print_mix(const Mix& mix) {
  const auto percent = [&](uint64_t count) {
    return 100.0 * static_cast<double>(count) / static_cast<double>(std::max<uint64_t>(mix.instructions, 1));
  };
  fmt::print("modes: machine {:.1f} %, supervisor {:.1f} %, user {:.1f} %\n", percent(mix.modes[3]),
             percent(mix.modes[1]), percent(mix.modes[0]));
  fmt::print("mix: compressed {:.1f} %, loads {:.1f} %, stores {:.1f} %, by opcode:", percent(mix.compressed),
             percent(mix.loads), percent(mix.stores));
  for (unsigned opcode = 0; opcode < mix.opcodes.size(); ++opcode) {
    if (mix.opcodes[opcode] != 0) fmt::print(" {:02x} {}", opcode, mix.opcodes[opcode]);
  }
  fmt::print("\ntraps:");
  const char* separator = " ";
  for (const auto& [cause, count] : mix.causes) {
    fmt::print("{}{} {}", separator, swai::iss::cause_name(cause), count);
    separator = ", ";
  }
  fmt::print("\nevents:");
  separator = " ";
  for (unsigned event = 0; event < mix.events.size(); ++event) {
    if (*swai::mpe::kEventNames[event] == 0) continue;
    fmt::print("{}{} {}", separator, swai::mpe::kEventNames[event], mix.events[event]);
    separator = ", ";
  }
  fmt::print("\ndebugger: {} halts; {} words compared at the end\n", mix.halts, mix.checked_words);
}

// A run that is long enough must have seen everything that the generator and the bench are there for.
bool complete(const Mix& mix) {
  constexpr uint64_t kLongEnough = 1'000'000;
  if (mix.instructions < kLongEnough) return true;
  bool all = true;
  const auto need = [&](uint64_t cause) {
    if (mix.causes.contains(cause)) return;
    fmt::print("never seen: {}\n", swai::iss::cause_name(cause));
    all = false;
  };
  for (unsigned event = 0; event < mix.events.size(); ++event) {
    if (*swai::mpe::kEventNames[event] == 0 || mix.events[event] != 0) continue;
    fmt::print("never seen: {}\n", swai::mpe::kEventNames[event]);
    all = false;
  }
  for (const uint64_t cause : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15}) need(cause);
  for (const uint64_t line : {0, 1, 3, 5, 7, 9, 11}) need(swai::iss::cause::kInterrupt | line);
  return all;
}

int run(const Options& options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  auto said = start;
  Mix total;
  for (uint64_t index = 0;; ++index) {
    if (options.programs != 0 ? index == options.programs : total.instructions >= options.instructions) break;
    RandomOptions one = options.run;
    one.seed = program_seed(options.seed, index);
    RandomRun run(one);
    const std::string failure = run.run();
    total.add(run.mix());
    if (!failure.empty()) {
      fmt::print("program {} of seed {}, after {} of its records:\n{}", index, options.seed,
                 run.mix().records, failure);
      fmt::print("replay: build/tb-mpe --test {} --seed {} --programs 1{}{}\n", options.test, one.seed,
                 options.kinds.empty() ? "" : " --kinds " + options.kinds,
                 options.run.length ? fmt::format(" --length {}", *options.run.length) : "");
      return 1;
    }
    if (Clock::now() - said > std::chrono::seconds(10) && options.programs == 0) {
      said = Clock::now();
      const std::chrono::duration<double> spent = said - start;
      const double left =
          static_cast<double>(options.instructions) / static_cast<double>(total.instructions) - 1;
      fmt::print(stderr, "{} of {} instructions, about {:.0f} s to go\n", total.instructions,
                 options.instructions, std::max(0.0, left) * spent.count());
    }
  }
  const std::chrono::duration<double> seconds = Clock::now() - start;
  fmt::print("{} instructions compared in {} programs and {} cycles, no difference\n", total.instructions,
             total.programs, total.cycles);
  print_mix(total);
  fmt::print("{:.0f} kHz, {:.0f} thousand instructions per second\n",
             static_cast<double>(total.cycles) / seconds.count() / 1000,
             static_cast<double>(total.instructions) / seconds.count() / 1000);
  return complete(total) || options.run.kinds ? 0 : 1;
}

int write_program(const Options& options) {
  RandomOptions one = options.run;
  one.seed = options.seed;
  const auto bytes = swai::random_program::to_elf(RandomRun(one).program());
  std::ofstream file(options.elf, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (file.flush()) return 0;
  fmt::print(stderr, "tb-mpe: {}: cannot write\n", options.elf);
  return swai::common::kExitBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  uint32_t length = 0;
  CLI::App app(
      "Random programs on the management core, compared with the reference model after every instruction.");
  app.add_option("--test", options.test, "what to do")->check(CLI::IsMember({"random", "invalidation"}));
  app.add_option("--seed", options.seed, "everything follows from it");
  app.add_option("--instructions", options.instructions, "how many instructions to compare, at least");
  app.add_option("--programs", options.programs, "run that many programs instead");
  app.add_option("--kinds", options.kinds, "only these kinds of instructions (verif/sim/iss/random)");
  auto* length_option = app.add_option("--length", length, "random instructions in each program");
  app.add_option("--trace", options.run.trace, "write one line per retired instruction to FILE")
      ->type_name("FILE");
  app.add_option("--elf", options.elf, "write the first program to FILE and stop")->type_name("FILE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : swai::common::kExitBadInput;
  }
  if (*length_option) options.run.length = length;
  if (!options.kinds.empty()) {
    options.run.kinds = swai::random_program::parse_kinds(options.kinds);
    if (!options.run.kinds) {
      fmt::print(stderr, "tb-mpe: --kinds {}: no such kind of instruction\n", options.kinds);
      return swai::common::kExitBadInput;
    }
  }
  fmt::print("seed {}\n", options.seed);
  std::fflush(stdout);
  if (options.test == "invalidation") return swai::mpe::test_invalidation(options.seed) ? 0 : 1;
  return options.elf.empty() ? run(options) : write_program(options);
}
