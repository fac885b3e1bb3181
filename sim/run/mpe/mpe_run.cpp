// SPDX-License-Identifier: Apache-2.0
// mpe-run PROGRAM.elf: the management core alone in a simple memory system. See docs/simulate/simulators.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <utility>

#include "sim/run/mpe/runner.hpp"

namespace {

constexpr int kBadInput = swai::common::kExitBadInput;

std::string command_line(int argc, char** argv) {
  std::string text;
  for (int i = 0; i < argc; ++i) text += (i == 0 ? "" : " ") + std::string(argv[i]);
  return text;
}

void check(const swai::mpe::RunOptions& options) {
  using swai::common::InputError;
#ifndef WAVE
  if (!options.wave.empty()) {
    throw InputError(
        "--wave: this build cannot write waves; `make build/wave/mpe-run` and run build/wave/mpe-run");
  }
#endif
  if (options.gdb && options.lockstep) {
    throw InputError(
        "--gdb and --lockstep on do not go together: the reference model cannot follow a debugger");
  }
}

}  // namespace

int main(int argc, char** argv) {
  swai::mpe::RunOptions options;
  options.replay = command_line(argc, argv);
  std::string lockstep = "off";

  CLI::App app(
      "Runs a RISC-V program on the management core (RTL): RAM at 0x80000000, CLINT at 0x2000000, console "
      "byte\n"
      "device at 0x10000000. Loads from elsewhere end as access faults, memory behind the RAM (0x84000000 "
      "up)\n"
      "included. The program ends by storing to its symbol `tohost`: 1 = passed, other odd values = number "
      "of\n"
      "the failing test * 2 + 1. Exit code: 0 passed, 1 failed or no end, 2 bad usage or input.");
  app.add_option("PROGRAM", options.program, "RV64 ELF file; it ends by a store to its symbol `tohost`")
      ->required();
  app.add_option("--signature", options.signature,
                 "write memory from begin_signature to end_signature to FILE, in hex")
      ->type_name("FILE");
  app.add_option("--signature-granularity", options.granularity,
                 "bytes per line of the signature, 4 (the default) or 8")
      ->check(CLI::IsMember({4, 8}));
  app.add_option("--max-cycles", options.max_cycles, "give up after N cycles; 0, the default: never")
      ->type_name("N");
  app.add_option("--trace", options.trace,
                 "write one line per retired instruction to FILE: cycle, mode, pc, bits, text, effects")
      ->type_name("FILE");
  app.add_flag("--stats", options.stats, "print cycles, instructions and event counts at the end");
  app.add_option("--json", options.json, "write the same as JSON to FILE; -: standard output")
      ->type_name("FILE");
  app.add_option("--lockstep", lockstep, "compare every instruction with the reference model: on or off")
      ->check(CLI::IsMember({"on", "off"}));
  app.add_option("--seed", options.seed, "random stalls of the memory bus from seed N")->type_name("N");
  app.add_option("--latency", options.latency, "cycles from a memory request to its response")
      ->check(CLI::Range(1, 1000));
  app.add_option("--ram", options.ram_mib, "size of the RAM in MiB")
      ->check(CLI::Range(1, 2048))
      ->type_name("MIB");
  app.add_option("--wave", options.wave, "write waves to FILE (only build/wave/mpe-run)")->type_name("FILE");
  app.add_option("--gdb", options.gdb, "wait for gdb on TCP port N of this machine; 0: any free port")
      ->type_name("N");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadInput;
  }
  options.lockstep = lockstep == "on";

  try {
    check(options);
    return swai::mpe::Runner(std::move(options)).run();
  } catch (const swai::common::InputError& error) {
    fmt::print(stderr, "mpe-run: {}\n", error.what());
    return kBadInput;
  } catch (const swai::common::GdbPortError& error) {
    fmt::print(stderr, "mpe-run: --gdb: {}\n", error.what());
    return kBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "mpe-run: {}\n", error.what());
    return 1;
  }
}
