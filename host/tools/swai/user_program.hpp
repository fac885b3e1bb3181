// SPDX-License-Identifier: Apache-2.0
// A program of the user's that a command runs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/tools/cli/cli.hpp"

namespace swai::cli {

struct UserProgram {
  std::string folder;  // where it runs; empty: here
  std::vector<std::string> words;
};

// All that follows the command's options is the program's, whatever it looks like. There has to be one if
// `needed` says so then.
void takes_program(CLI::App* command, UserProgram& program, std::function<bool()> needed);
// --folder.
void takes_folder(CLI::App* command, UserProgram& program);

// As the system looks for programs: found before there is a card. Throws Error.
void check(const UserProgram& program);
// In a new process, which finds the runtime library.
[[noreturn]] void become(const UserProgram& program);
// As a shell has it, of what waitpid() tells.
int exit_code(int status);

}  // namespace swai::cli
