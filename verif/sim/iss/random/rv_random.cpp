// SPDX-License-Identifier: Apache-2.0
// rv-random: writes a random program as an ELF file.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "verif/sim/iss/random/random_program.hpp"

namespace {

using namespace swai::random_program;

constexpr int kExitBadUse = 2;

void print_mix(const Program& program) {
  uint64_t total = 0;
  for (const auto& [name, count] : program.mix) total += count;
  fmt::print("seed {}: {} instructions in memory, about {} executed\n", program.seed, total,
             program.expected_instructions);
  for (const auto& [name, count] : program.mix) {
    fmt::print("  {:<12} {:>8} {:>6.2f} %\n", name, count,
               100.0 * static_cast<double>(count) / static_cast<double>(total));
  }
}

bool write_file(const std::string& path, const std::vector<uint8_t>& bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  return file && std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() &&
         std::fflush(file.get()) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t seed = 1;
  Options options;
  std::string output;
  std::string kinds = "all";
  bool statistics = false;
  CLI::App app{"Writes a random RV64 program as an ELF file. The same options give the same program."};
  app.add_option("--seed", seed, "which program")->capture_default_str();
  app.add_option("--length", options.length, "random instructions in memory")
      ->capture_default_str()
      ->check(CLI::Range(1u, kMaxLength));
  app.add_option(
         "--kinds", kinds,
         "what it consists of, separated by commas: atomic, control, trap, fault, csr, mode, paging, modify, "
         "cache, uncached, interrupt, counter, timer, all, none; with a minus, what to leave out")
      ->capture_default_str();
  app.add_flag(
      "--qemu", options.qemu,
      "only what QEMU 7.2 does exactly as the core; prints digests of the final state on the console");
  app.add_option("-o,--output", output, "the file to write");
  app.add_flag("--statistics", statistics, "print how often each instruction occurs");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitBadUse;
  }
  if (output.empty() && !statistics) {
    fmt::print(stderr, "rv-random: nothing to do: give a file with -o, or --statistics\n");
    return kExitBadUse;
  }
  const auto parsed = parse_kinds(kinds);
  if (!parsed) {
    fmt::print(stderr, "rv-random: unknown kind in '{}': see --help for the names\n", kinds);
    return kExitBadUse;
  }
  options.kinds = *parsed;
  const Program program = generate(seed, options);
  if (statistics) print_mix(program);
  if (!output.empty() && !write_file(output, to_elf(program))) {
    fmt::print(stderr, "rv-random: cannot write {}: {}\n", output, std::strerror(errno));
    return kExitBadUse;
  }
  return 0;
}
