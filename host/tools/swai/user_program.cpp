// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/user_program.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

#include "host/lib/words.hpp"
#include "host/tools/cli/places.hpp"
#include "host/tools/cli/started_card.hpp"

namespace swai::cli {

void takes_program(CLI::App* command, UserProgram& program, std::function<bool()> needed) {
  command->fallthrough(false)->prefix_command();
  command->parse_complete_callback([command, &program, needed = std::move(needed)] {
    program.words = command->remaining();
    if (program.words.empty() && needed()) throw CLI::RequiredError("PROGRAM, with its arguments,");
  });
}

void takes_folder(CLI::App* command, UserProgram& program) {
  command->add_option("--folder", program.folder, "where it runs")
      ->check(CLI::ExistingDirectory)
      ->type_name("FOLDER");
}

void check(const UserProgram& of) {
  namespace fs = std::filesystem;
  const std::string& program = of.words[0];
  const auto good = [&](const fs::path& path) {
    const fs::path from = fs::path(of.folder) / path;
    std::error_code ignored;
    if (!fs::is_directory(from, ignored)) return ::access(from.c_str(), X_OK) == 0;
    errno = EACCES;
    return false;
  };
  if (program.find('/') != std::string::npos) {
    if (!good(program)) throw Error(kBadInput, fmt::format("{}: {}", program, std::strerror(errno)));
    return;
  }
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/bin:/usr/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (good(fs::path(folder) / program)) return;
  throw Error(kBadInput,
              fmt::format("{}: there is no such program in PATH; one of a folder is ./{}", program, program));
}

void become(const UserProgram& program) {
  StartedCard::take_signals();
  ::setenv("LD_LIBRARY_PATH", library_path().c_str(), 1);
  const common::Words words(program.words);
  if (!program.folder.empty() && ::chdir(program.folder.c_str()) != 0) {
    fmt::print(stderr, "swai: {}: {}\n", program.folder, std::strerror(errno));
  } else {
    ::execvp(words.data()[0], words.data());
    fmt::print(stderr, "swai: {}: {}\n", program.words[0], std::strerror(errno));
  }
  ::_exit(kBadInput);
}

int exit_code(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

}  // namespace swai::cli
