// SPDX-License-Identifier: Apache-2.0
// swai cc: the compiler driver for kernels and model programs, by the name that is easy to find.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/lib/words.hpp"
#include "host/tools/cli/places.hpp"
#include "host/tools/cli/started_card.hpp"
#include "host/tools/swai/commands.hpp"

namespace swai::cli {
namespace {

[[noreturn]] void become_compiler(std::vector<std::string> command) {
  const std::string compiler = places().compiler;
  command.insert(command.begin(), compiler);
  const common::Words words(std::move(command));
  StartedCard::take_signals();
  ::execv(compiler.c_str(), words.data());
  throw Error(kBadInput, fmt::format("{} cannot be run: {}; `swai doctor` tells what is missing", compiler,
                                     std::strerror(errno)));
}

}  // namespace

void add_cc(Cli& cli) {
  const auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* const command =
      cli.add("cc", "compile kernels into a module, or a program (--mpe): cc KERNEL.cpp -o MODULE.elf",
              [words]() -> int { become_compiler(*words); });
  // Everything is the compiler's, --help too.
  command->fallthrough(false)->prefix_command()->set_help_flag();
  command->parse_complete_callback([command, words] { *words = command->remaining(); });
}

}  // namespace swai::cli
