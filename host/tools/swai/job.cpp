// SPDX-License-Identifier: Apache-2.0
// swai job: programs that the daemon runs, one after the other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "host/lib/printable.hpp"
#include "host/tools/cli/table.hpp"
#include "host/tools/swai/commands.hpp"
#include "host/tools/swai/daemon.hpp"

namespace swai::cli {
namespace {

constexpr const char* kExamples =
    R"(Jobs run as `swai serve` has been told (--jobs), with its cards; their output is kept until it ends.
`watch` prints a job's output until it ends, and exits with the job's exit code (2 if that is 0 and output is missing).

Examples:
  swai job submit --folder build/examples/axpy ./axpy
  swai job list
  swai job watch 1
  swai job cancel 1)";

constexpr std::chrono::milliseconds kLook{100};

struct Wish {
  std::vector<std::string> program;
  std::string folder;
  unsigned job = 0;
  bool then_watch = false;
};

bool is_over(const Json& job) {
  const auto state = job.at("state").get<std::string>();
  return state != "waiting" && state != "running";
}

std::string words_of(const Json& job) {
  std::string text;
  for (const auto& word : job.at("program")) text += (text.empty() ? "" : " ") + word.get<std::string>();
  return text;
}

std::string since(double begin, double end) { return begin == 0 ? "" : fmt::format("{:.1f} s", end - begin); }

int list(const Cli& cli) {
  const Json reply = ask_daemon({{"command", "list"}});
  if (cli.options().json) {
    cli.print({{"jobs", reply.at("jobs")}});
    return kDone;
  }
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const auto has_reason = [](const Json& job) { return !job.at("reason").get<std::string>().empty(); };
  std::vector<std::string> columns = {">job", "state", ">exit code", ">ran", "program"};
  const bool reasons = std::ranges::any_of(reply.at("jobs"), has_reason);
  if (reasons) columns.insert(columns.end() - 1, "reason");
  Table table(columns);
  for (const Json& job : reply.at("jobs")) {
    const double ended = job.at("ended").get<double>();
    std::vector<std::string> row = {
        fmt::format("{}", job.at("job").get<unsigned>()), job.at("state").get<std::string>(),
        is_over(job) ? fmt::format("{}", job.at("exit_code").get<int>()) : "",
        since(job.at("started").get<double>(), ended == 0 ? now : ended), words_of(job)};
    if (reasons) row.insert(row.end() - 1, job.at("reason").get<std::string>());
    table.add(std::move(row));
  }
  fmt::print("{}", table.text());
  return kDone;
}

// The program's exit code. If output is missing, success becomes kBadInput.
int code_of(const Json& job) {
  const int code = job.at("exit_code").get<int>();
  return code == kDone && !job.at("reason").get<std::string>().empty() ? int{kBadInput} : code;
}

int watch(const Cli& cli, unsigned number) {
  const Json request = {{"command", "job"}, {"job", number}};
  Json job = ask_daemon(request);
  if (cli.options().json) {
    while (!is_over(job)) {
      std::this_thread::sleep_for(kLook);
      job = ask_daemon(request);
    }
    std::ifstream file(job.at("output").get<std::string>());
    Json report = job;
    report["text"] = std::string(std::istreambuf_iterator<char>(file), {});
    report.erase("version");
    cli.print(report);
    return code_of(job);
  }
  std::ifstream file(job.at("output").get<std::string>());
  const auto show = [&file] {
    std::array<char, 4096> piece;
    while (file.read(piece.data(), piece.size()), file.gcount() > 0)
      std::fwrite(piece.data(), 1, static_cast<size_t>(file.gcount()), stdout);
    std::fflush(stdout);
    file.clear();
  };
  for (;;) {
    // What it wrote before it was over is in the file by then.
    const bool over = is_over(job);
    show();
    if (over) break;
    std::this_thread::sleep_for(kLook);
    job = ask_daemon(request);
  }
  const auto reason = job.at("reason").get<std::string>();
  if (job.at("state") == "failed")
    throw Error(kBadInput, fmt::format("job {} was not started: {}", number, reason));
  if (job.at("state") == "cancelled" && !cli.options().quiet)
    fmt::print(stderr, "swai: job {} was cancelled\n", number);
  if (!reason.empty()) fmt::print(stderr, "swai: job {}: {}\n", number, common::printable(reason));
  return code_of(job);
}

int submit(const Cli& cli, const Wish& wish) {
  const Json reply = ask_daemon({{"command", "submit"},
                                 {"program", wish.program},
                                 {"folder", std::filesystem::absolute(wish.folder).string()}});
  const unsigned number = reply.at("job").get<unsigned>();
  if (wish.then_watch) return watch(cli, number);
  if (cli.options().json) {
    cli.print({{"job", number}});
  } else {
    fmt::print("job {}\n", number);
  }
  return kDone;
}

int cancel(const Cli& cli, unsigned number) {
  ask_daemon({{"command", "cancel"}, {"job", number}});
  if (cli.options().json) cli.print({{"job", number}});
  return kDone;
}

}  // namespace

void add_job(Cli& cli) {
  const auto wish = std::make_shared<Wish>();
  // What is to be done is what the last word says.
  const auto action = std::make_shared<std::function<int()>>();
  CLI::App* const job = cli.add(
      "job", "programs that `swai serve` runs: submit, list, watch, cancel", [action] { return (*action)(); },
      kExamples);
  job->require_subcommand(1);
  const auto add = [&](const std::string& name, const std::string& what, std::function<int()> does) {
    CLI::App* const command = job->add_subcommand(name, what);
    command->fallthrough();
    command->callback([action, does = std::move(does)] { *action = does; });
    return command;
  };
  const auto add_number = [&](CLI::App* command) {
    command->add_option("JOB", wish->job, "its number")->required();
  };
  CLI::App* const submitting = add("submit", "run a program when its turn comes: submit PROGRAM ...",
                                   [&cli, wish] { return submit(cli, *wish); });
  submitting->add_option("--folder", wish->folder, "where it runs")
      ->check(CLI::ExistingDirectory)
      ->type_name("FOLDER")
      ->default_val(".");
  submitting->add_flag("--watch", wish->then_watch, "and show its output, as `watch` does");
  submitting->fallthrough(false)->prefix_command();
  submitting->parse_complete_callback([submitting, wish] {
    wish->program = submitting->remaining();
    if (wish->program.empty()) throw CLI::RequiredError("PROGRAM, with its arguments,");
  });
  add("list", "list the jobs", [&cli] { return list(cli); });
  add_number(add("watch", "show a job's output until it is over; exit code: the program's",
                 [&cli, wish] { return watch(cli, wish->job); }));
  add_number(add("cancel", "end a job, or take it out of the line",
                 [&cli, wish] { return cancel(cli, wish->job); }));
}

}  // namespace swai::cli
