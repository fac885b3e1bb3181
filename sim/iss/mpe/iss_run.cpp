// SPDX-License-Identifier: Apache-2.0
// iss-run PROGRAM.elf: runs a program on the reference model. See docs/simulate/simulators.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "host/lib/elf.hpp"
#include "sim/common/tohost.hpp"
#include "sim/iss/mpe/machine.hpp"
#include "sim/iss/mpe/trace.hpp"

namespace {

using swai::common::InputError;
using swai::iss::Ending;
using swai::iss::Machine;
using swai::iss::Retirement;

struct Options {
  std::string program;
  std::string signature;
  unsigned granularity = 4;
  uint64_t max_steps = 0;
  std::string trace;
  bool stats = false;
  std::string json;
  uint64_t ram_mib = 64;
};

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open_for_writing(const std::string& path) {
  File file(std::fopen(path.c_str(), "w"), std::fclose);
  if (!file) throw InputError(fmt::format("{}: cannot write: {}", path, std::strerror(errno)));
  return file;
}

std::string verdict(const Machine& machine, Ending ending) {
  switch (ending) {
    case Ending::kExit:
      return swai::common::describe_result(*machine.exit_code());
    case Ending::kLimit:
      return fmt::format("no end after {} instructions", machine.steps());
    case Ending::kAsleep:
      return fmt::format("waits at {:#x} for an interrupt and none can come", machine.hart().pc());
    case Ending::kStuck:
      return fmt::format("the trap handler at {:#x} cannot be executed: {}", machine.hart().pc(),
                         swai::iss::cause_name(machine.hart().csrs().mcause));
  }
  return {};
}

void report(const Options& options, const Machine& machine, const std::string& verdict, bool passed,
            double seconds) {
  const double mips = seconds > 0 ? static_cast<double>(machine.steps()) / seconds / 1e6 : 0;
  if (!passed || options.stats) fmt::print(stderr, "{}: {}\n", options.program, verdict);
  if (options.stats) {
    fmt::print(stderr, "{:<14}{:>14}\n{:<14}{:>14.1f}\n", "instructions", machine.steps(), "MIPS", mips);
  }
  if (options.json.empty()) return;
  const nlohmann::ordered_json json = {
      {"version", 1},     {"program", options.program},      {"verdict", verdict},
      {"passed", passed}, {"instructions", machine.steps()}, {"mips", mips}};
  const std::string text = json.dump(2) + "\n";
  if (options.json == "-") {
    std::fputs(text.c_str(), stdout);
  } else {
    std::fputs(text.c_str(), open_for_writing(options.json).get());
  }
}

int run(const Options& options) {
  const swai::common::Elf elf = swai::common::load_elf(options.program);
  swai::common::Console console;
  Machine machine(elf, options.ram_mib << 20, console);
  if (!elf.symbol("tohost") && options.max_steps == 0) {
    throw InputError(fmt::format("{}: has no symbol `tohost`, so nothing would end it; give --max-cycles",
                                 options.program));
  }
  const File trace = options.trace.empty() ? File(nullptr, std::fclose) : open_for_writing(options.trace);
  std::function<void(const Retirement&)> observer;
  if (trace) {
    observer = [&](const Retirement& record) {
      fmt::print(trace.get(), "{}\n", swai::iss::trace_line(record));
    };
  }

  const auto start = std::chrono::steady_clock::now();
  const uint64_t limit = options.max_steps == 0 ? std::numeric_limits<uint64_t>::max() : options.max_steps;
  const Ending ending = machine.run(limit, observer);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

  console.flush();
  const bool passed = machine.exit_code() == 0;
  if (!options.signature.empty()) {
    swai::common::write_signature(elf, machine.program_memory(), options.signature, options.granularity);
  }
  report(options, machine, verdict(machine, ending), passed, elapsed.count());
  return passed ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Runs a RISC-V program on the reference model of the management core: RAM at 0x80000000, CLINT at "
      "0x2000000,\n"
      "console byte device at 0x10000000. The program ends by storing to its symbol `tohost`: 1 = passed, "
      "other odd\n"
      "values = number of the failing test * 2 + 1. Exit code: 0 passed, 1 failed, 2 bad usage or input.");
  app.add_option("PROGRAM", options.program, "RV64 ELF file")->required();
  app.add_option("--signature", options.signature,
                 "write memory from begin_signature to end_signature to FILE, in hex")
      ->type_name("FILE");
  app.add_option("--signature-granularity", options.granularity, "bytes per line of the signature, 4 or 8")
      ->check(CLI::IsMember({4, 8}));
  app.add_option("--max-cycles", options.max_steps, "give up after N instructions; 0: never")->type_name("N");
  app.add_option("--trace", options.trace, "write one line per instruction to FILE")->type_name("FILE");
  app.add_flag("--stats", options.stats, "print instructions and speed at the end");
  app.add_option("--json", options.json, "write the same as JSON to FILE; -: standard output")
      ->type_name("FILE");
  app.add_option("--ram", options.ram_mib, "size of the RAM in MiB")
      ->check(CLI::Range(1, 2048))
      ->type_name("MIB");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : swai::common::kExitBadInput;
  }
  try {
    return run(options);
  } catch (const InputError& error) {
    fmt::print(stderr, "iss-run: {}\n", error.what());
    return swai::common::kExitBadInput;
  }
}
