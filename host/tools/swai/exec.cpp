// SPDX-License-Identifier: Apache-2.0
// swai exec, swai trace: a program of the user's with a card of its own.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "host/lib/argument_text.hpp"
#include "host/tools/cli/started_card.hpp"
#include "host/tools/swai/commands.hpp"
#include "host/tools/swai/trace_summary.hpp"
#include "host/tools/swai/user_program.hpp"

namespace swai::cli {
namespace {

constexpr const char* kExecExamples =
    R"(The program finds the card through SWAI_CARD. Exit code: the program's; with --check 1 if that is 0 and the card
has found mistakes. A launch that accesses unallocated memory fails.

Examples:
  swai exec --folder build/examples/axpy ./axpy
  swai --config tiny exec -- ./my-program --its-options
  SWAI_CHECK_MODULES=kernel.elf swai --tier fast exec --check ./my-program    # with names and lines of kernels)";

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
  bool check = false;
  UserProgram program;
};

int run_program(const Wish& wish) {
  const pid_t process = ::fork();
  if (process < 0) throw Error(kBadInput, fmt::format("no process can be made: {}", std::strerror(errno)));
  if (process == 0) become(wish.program);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return exit_code(status);
}

// A trace that the card writes. It has a temporary name (.part) until it is complete.
class NewTrace {
 public:
  // Throws common::InputError.
  explicit NewTrace(const std::string& path) : path_(path) {
    kernel_run::check_writable(path);
    std::error_code none;
    const auto is = std::filesystem::status(path, none);
    // Pipes and devices are written directly.
    if (std::filesystem::exists(is) && !std::filesystem::is_regular_file(is)) return;
    // A link stays one.
    if (std::filesystem::exists(is)) path_ = std::filesystem::canonical(path).string();
    part_ = path_ + ".part";
  }
  ~NewTrace() {
    std::error_code none;
    if (!part_.empty()) std::filesystem::remove(part_, none);
  }
  NewTrace(const NewTrace&) = delete;
  NewTrace& operator=(const NewTrace&) = delete;

  std::string written_to() const { return std::filesystem::absolute(part_.empty() ? path_ : part_); }
  // `said`: the card's output until it ended. Throws Error if it reports that the trace is incomplete.
  void finish(const std::string& said) {
    const size_t at = said.find("events: ");
    if (at != std::string::npos)
      throw Error(kBadInput, "the trace is incomplete: " + said.substr(at, said.find('\n', at) - at));
    if (!part_.empty()) std::filesystem::rename(std::exchange(part_, {}), path_);
  }

 private:
  std::string path_;
  std::string part_;
};

void summarize(const Cli& cli, const Wish& wish) {
  const TraceSummary summary(wish.trace);
  if (cli.options().json) {
    cli.print(summary.json());
  } else {
    fmt::print("{}", summary.text());
  }
}

int exec(const Cli& cli, const Wish& wish) {
  if (wish.program.words.empty()) {
    summarize(cli, wish);
    return kDone;
  }
  std::vector<std::string> more;
  std::optional<NewTrace> trace;
  if (!wish.trace.empty()) {
    trace.emplace(wish.trace);
    more = {"--events", trace->written_to(), "--events-from-ready"};
    if (!cli.options().card.empty()) {
      throw Error(kBadInput,
                  "a trace is written by the process of the card: give that --events, or leave out --card "
                  "and SWAI_CARD");
    }
  }
  check(wish.program);
  if (wish.check) more = checks(cli.options(), {});
  int code = kDone;
  {
    UsedCard card(cli.options(), more);
    code = run_program(wish);
    if (trace) trace->finish(card.end());
    if (wish.check && code == kDone) code = code_of_checks(card);
  }
  if (!wish.trace.empty() && !cli.options().quiet)
    fmt::print(stderr, "swai: {} is written; open it in ui.perfetto.dev\n", wish.trace);
  if (wish.summary) summarize(cli, wish);
  return code;
}

}  // namespace

void add_exec(Cli& cli) {
  const auto wish = std::make_shared<Wish>();
  const auto add = [&](const std::string& name, const std::string& what, const char* examples) {
    auto* const command = cli.add(
        name, what, [&cli, wish] { return exec(cli, *wish); }, examples);
    takes_program(command, wish->program, [wish] { return !wish->summary; });
    return command;
  };
  CLI::App* const run =
      add("exec", "run a program that uses a card: exec [--folder F] PROGRAM ...", kExecExamples);
  takes_folder(run, wish->program);
  run->add_flag("--check", wish->check,
                "detect kernels that access unallocated memory, or use results before they are ready "
                "(--tier fast)");
  CLI::App* const trace =
      add("trace", "run a program, write what the card does: trace FILE PROGRAM ...", kTraceExamples);
  trace->add_option("FILE", wish->trace, "the trace, for Perfetto")->required();
  trace->add_flag("--summary", wish->summary,
                  "print what launches spent their time with; without PROGRAM of a FILE that there is");
}

}  // namespace swai::cli
