// swai exec, swai trace: a program of the user's with a card of its own.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>

#include "abi/argument_text.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/places.hpp"
#include "host/cli/started_card.hpp"
#include "host/cli/trace_summary.hpp"
#include "host/common/words.hpp"

namespace swai::cli {
namespace {

constexpr const char* kExecExamples =
    R"(The program finds the card through SWAI_CARD. Exit code: the program's.

Examples:
  swai exec --folder build/examples/axpy ./axpy
  swai --config tiny exec -- ./my-program --its-options)";

constexpr const char* kTraceExamples =
    R"(Shows every engine of the card and of its cores over time, launches and transfers too. ui.perfetto.dev opens the file.
--summary tells of each launch which unit comes nearest to what it can do, and what keeps it from doing more.
Exit code: the program's.

Examples:
  swai trace axpy.pftrace sh -c 'cd build/examples/axpy && ./axpy'
  swai trace copy.pftrace swai copy-test --size 64K
  swai trace --summary axpy.pftrace    # of a trace that there is: what the launches spent their time with)";

struct Wish {
  std::string trace;
  bool summary = false;
  std::string folder;
  std::vector<std::string> command;
};

// As the system looks for programs: found before there is a card.
void check_program(const Wish& wish) {
  namespace fs = std::filesystem;
  const std::string& program = wish.command[0];
  const auto good = [&](const fs::path& path) {
    const fs::path from = fs::path(wish.folder) / path;
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

int run_program(const Wish& wish) {
  const common::Words words(wish.command);
  const pid_t process = ::fork();
  if (process < 0) throw Error(kBadInput, fmt::format("no process can be made: {}", std::strerror(errno)));
  if (process == 0) {
    StartedCard::take_signals();
    ::setenv("LD_LIBRARY_PATH", library_path().c_str(), 1);
    if (!wish.folder.empty() && ::chdir(wish.folder.c_str()) != 0) {
      fmt::print(stderr, "swai: {}: {}\n", wish.folder, std::strerror(errno));
    } else {
      ::execvp(words.data()[0], words.data());
      fmt::print(stderr, "swai: {}: {}\n", wish.command[0], std::strerror(errno));
    }
    ::_exit(kBadInput);
  }
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// What is missing in it, the card says when it ends.
void check_trace(const std::string& said) {
  const size_t at = said.find("events: ");
  if (at != std::string::npos)
    throw Error(kBadInput, "the trace is cut off: " + said.substr(at, said.find('\n', at) - at));
}

void summarize(const Cli& cli, const Wish& wish) {
  const TraceSummary summary(wish.trace);
  if (cli.options().json) {
    cli.print(summary.json());
  } else {
    fmt::print("{}", summary.text());
  }
}

int exec(const Cli& cli, const Wish& wish) {
  if (wish.command.empty()) {
    summarize(cli, wish);
    return kDone;
  }
  std::vector<std::string> more;
  if (!wish.trace.empty()) {
    kernel_run::check_writable(wish.trace);
    more = {"--events", std::filesystem::absolute(wish.trace), "--events-from-ready"};
    if (!cli.options().card.empty()) {
      throw Error(kBadInput,
                  "a trace is written by the process of the card: give that --events, or leave out --card "
                  "and SWAI_CARD");
    }
  }
  check_program(wish);
  int code = kDone;
  {
    UsedCard card(cli.options(), more);
    code = run_program(wish);
    if (!wish.trace.empty()) check_trace(card.end());
  }
  if (!wish.trace.empty() && !cli.options().quiet)
    fmt::print(stderr, "swai: {} is written; open it in ui.perfetto.dev\n", wish.trace);
  if (wish.summary) summarize(cli, wish);
  return code;
}

}  // namespace

void add_exec(Cli& cli) {
  const auto wish = std::make_shared<Wish>();
  // All that follows is the program's, whatever it looks like.
  const auto add = [&](const std::string& name, const std::string& what, const char* examples) {
    auto* const command = cli.add(
        name, what, [&cli, wish] { return exec(cli, *wish); }, examples);
    command->fallthrough(false)->prefix_command();
    command->parse_complete_callback([command, wish] {
      wish->command = command->remaining();
      if (wish->command.empty() && !wish->summary) throw CLI::RequiredError("PROGRAM, with its arguments,");
    });
    return command;
  };
  CLI::App* const run =
      add("exec", "run a program that uses a card: exec [--folder F] PROGRAM ...", kExecExamples);
  run->add_option("--folder", wish->folder, "where it runs")
      ->check(CLI::ExistingDirectory)
      ->type_name("FOLDER");
  CLI::App* const trace =
      add("trace", "run a program, write what the card does: trace FILE PROGRAM ...", kTraceExamples);
  trace->add_option("FILE", wish->trace, "the trace, for Perfetto")->required();
  trace->add_flag("--summary", wish->summary,
                  "print what launches spent their time with; without PROGRAM of a FILE that there is");
}

}  // namespace swai::cli
