// SPDX-License-Identifier: Apache-2.0
// swai compare: a program on both tiers of the card, and whether it got to know the same.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "host/tools/swai/commands.hpp"
#include "host/tools/swai/compare/difference.hpp"
#include "host/tools/swai/compare/interruption.hpp"
#include "host/tools/swai/compare/report.hpp"
#include "host/tools/swai/compare/side.hpp"

namespace swai::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples =
    R"(Runs PROGRAM twice, each time with a card of its own: on the functional model, and cycle by cycle
(--tier). Compared bit for bit are its exit code, its standard output, and what it got to know of its
cards through the runtime library: for each stream, in order, how every launch, copy and event ended,
what copies brought to the host, what kernels printed. Of the first difference both sides are shown.
What depends on time differs: a program that prints times needs --ignore-output. It reads nothing from
standard input, and what it leaves running when it ends is killed.

Exit codes: 0 the same (also when it failed in the same way), 1 different, 2 wrong usage, or more than
1 GiB of output, 3 no card.

Examples:
  swai --config tiny compare --folder build/examples/axpy ./axpy
  swai compare --ignore-output -- ./my-program --its-options
  swai compare --limit 600 --keep both ./my-program    # both/fast/record, both/rtl/output ... stay)";

struct Wish {
  UserProgram program;
  bool ignore_output = false;
  unsigned limit = 0;  // s
  unsigned cards = 1;
  std::string keep;
};

// Of this command alone, unless the user wants to have it.
class Results {
 public:
  explicit Results(const std::string& keep) : kept_(!keep.empty()) {
    std::error_code problem;
    path_ = kept_ ? fs::path(keep) : fs::temp_directory_path(problem) / "swai-compare-XXXXXX";
    if (kept_) {
      if (fs::exists(path_) && !fs::is_empty(path_, problem))
        throw Error(kBadInput, fmt::format("{}: there is something already", keep));
      fs::create_directories(path_, problem);
    } else if (std::string name = path_.string(); ::mkdtemp(name.data()) != nullptr) {
      path_ = name;
    } else {
      problem.assign(errno, std::generic_category());
    }
    if (problem) throw Error(kBadInput, fmt::format("{}: {}", path_.string(), problem.message()));
  }
  ~Results() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(path_, ignored);
  }
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  const fs::path& path() const { return path_; }

 private:
  const bool kept_;
  fs::path path_;
};

Findings compare(const Both<Side>& sides, const Wish& wish) {
  Findings found;
  for (unsigned process = 0; process < std::max(sides[0].processes, sides[1].processes); ++process) {
    Comparison comparison({sides[0].record(process), sides[1].record(process)});
    found.difference = comparison.run();
    found.results += comparison.results();
    found.bytes += comparison.bytes();
    found.unknown += comparison.unknown();
    found.process = process;
    if (found.difference) return found;
    for (const RecordFile& file : comparison.files()) {
      found.is_cut = found.is_cut || file.is_cut();
      found.has_no_end = found.has_no_end || !(file.is_whole() || file.is_cut());
    }
  }
  if (!wish.ignore_output) found.line = first_different_line(sides[0].output(), sides[1].output());
  return found;
}

int run(const Cli& cli, const Wish& wish) {
  if (!cli.options().card.empty()) {
    throw Error(
        kBadInput,
        "both cards are started for the comparison: leave out --card and SWAI_CARD, or give --config");
  }
  check(wish.program);
  int signal = 0;
  try {
    const Results results(wish.keep);
    const RunOptions how = {std::chrono::seconds(wish.limit), !wish.ignore_output, wish.cards};
    const auto side = [&](const std::string& tier, const Side* before) {
      return run_on(tier, cli.options(), wish.program, results.path() / tier, how, before);
    };
    // The quick one first: it says how much there is to do.
    Side fast = side("fast", nullptr);
    Side rtl = side("rtl", &fast);
    const Both<Side> sides = {std::move(fast), std::move(rtl)};
    const Findings found = compare(sides, wish);
    if (cli.options().json) {
      cli.print(json_of(found, sides));
    } else {
      fmt::print("{}", text_of(found, sides));
    }
    return is_same(found, sides) ? kDone : kFailed;
  } catch (const Interrupted& interrupted) {
    signal = interrupted.signal;
  }
  // The second one ends this program as usual.
  ::kill(::getpid(), signal);
  for (;;) ::pause();
}

}  // namespace

void add_compare(Cli& cli) {
  const auto wish = std::make_shared<Wish>();
  CLI::App* const command = cli.add(
      "compare", "run a program on both tiers and compare what it gets: compare PROGRAM ...",
      [&cli, wish] { return run(cli, *wish); }, kExamples);
  takes_program(command, wish->program, [wish] { return true; });
  takes_folder(command, wish->program);
  command->add_flag("--ignore-output", wish->ignore_output,
                    "do not compare standard output, for programs that print times");
  command
      ->add_option("--limit", wish->limit,
                   "a tier on which it takes longer is stopped; 0, the default: never")
      ->type_name("SECONDS");
  command->add_option("--cards", wish->cards, "so many cards for the program (default: 1)")
      ->check(CLI::Range(1, 8))
      ->type_name("N");
  command->add_option("--keep", wish->keep, "leave records and output of both there, a new folder")
      ->type_name("FOLDER");
}

}  // namespace swai::cli
