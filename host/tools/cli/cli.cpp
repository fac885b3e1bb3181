// SPDX-License-Identifier: Apache-2.0
#include "host/tools/cli/cli.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <new>
#include <string_view>
#include <system_error>

#include "build/gen/version.hpp"
#include "host/lib/elf.hpp"
#include "host/lib/printable.hpp"
#include "host/models/exec/card_memory.hpp"
#include "host/tools/cli/did_you_mean.hpp"
#include "host/tools/cli/started_card.hpp"
#include "host/transport/control_call.hpp"

namespace swai::cli {
namespace {

constexpr const char* kIntroduction =
    R"(Uses SWAI accelerator cards: shows them, runs kernels on them, measures them.

Which card: --card, else the environment variable SWAI_CARD (sockets of cards that run, separated by
commas), else one that `swai serve` shares, else one that is started for this command alone and stopped after it.)";

constexpr const char* kFooter = R"(Exit codes:
  0    done
  1    it was done and failed: a kernel, a comparison
  2    wrong usage, or a file that cannot be read or written
  3    no card, or it cannot be opened
  4    the card went away, or did not answer in time
  130  interrupted (Ctrl-C); a card that was started for the command is stopped

Begin with: swai doctor, swai info, swai run build/cpe-kernels/axpy.elf --help)";

ExitCode code_of(sdaaError_t error) {
  switch (error) {
    case sdaaErrorNoDevice:
    case sdaaErrorInvalidDevice:
    case sdaaErrorInsufficientDriver:
    case sdaaErrorInvalidContext:
      return kNoCard;
    case sdaaErrorDeviceLost:
    case sdaaErrorTimedOut:
      return kCardLost;
    case sdaaErrorFileNotFound:
    case sdaaErrorInvalidKernelFile:
    case sdaaErrorInvalidImage:
    case sdaaErrorNoBinaryForDevice:
    case sdaaErrorInvalidValue:
    case sdaaErrorInvalidConfiguration:
    case sdaaErrorNotFound:
      return kBadInput;
    default:
      return kFailed;
  }
}

// The command that was asked for, as far as it is known.
const CLI::App& chosen(const CLI::App& app) {
  const auto below = app.get_subcommands();
  return below.empty() ? app : chosen(*below.front());
}

// Of a command and all above it.
std::vector<std::string> option_names(const CLI::App* command) {
  std::vector<std::string> names;
  for (; command != nullptr; command = command->get_parent()) {
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

std::string usage_error(const CLI::App& app, const CLI::Error& error) {
  const CLI::App& last = chosen(app);
  std::vector<std::string> known;
  for (const CLI::App* command : last.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(command->get_name());
  const auto words = app.remaining(true);
  if (words.empty() || dynamic_cast<const CLI::ValidationError*>(&error) != nullptr)
    return fmt::format("{}; see --help", error.what());
  // The parser's own words name what is left over from behind.
  if (const auto option = std::ranges::find_if(words, [](const auto& word) { return word.starts_with('-'); });
      option != words.end()) {
    const std::string name = option->substr(0, option->find('='));
    return fmt::format("there is no option '{}'{}; see --help", name,
                       did_you_mean(name, option_names(&last)));
  }
  if (known.empty()) return fmt::format("'{}' is not expected; see --help", fmt::join(words, " "));
  return fmt::format("there is no command '{}'{}; see --help", words.front(),
                     did_you_mean(words.front(), known));
}

}  // namespace

void check(sdaaError_t error, const std::string& what) {
  try {
    walk::check(error, what);
  } catch (const walk::CardError& failed) {
    throw Error(code_of(error), failed.what());
  }
}

Cli::Cli() : app_(kIntroduction, "swai") {
  app_.footer(kFooter);
  app_.set_version_flag("--version", std::string("swai ") + kVersion);
  app_.require_subcommand(1);
  app_.failure_message([](const CLI::App* app, const CLI::Error& error) {
    return fmt::format("swai: {}\n", common::printable_lines(usage_error(*app, error)));
  });
  app_.fallthrough();
  app_.get_formatter()->column_width(34);
  app_.add_option("--card", options_.card, "socket of the card, or several, separated by commas")
      ->envname("SWAI_CARD")
      ->type_name("SOCKET");
  app_.add_option("--config", options_.config,
                  "the card to start: tiny, cg1 (one group of 32 cores; when there is none), full (four)")
      ->check(CLI::IsMember({"tiny", "cg1", "full"}))
      ->type_name("NAME");
  app_.add_option(
          "--tier", options_.tier,
          "what the card to start is: rtl (cycle by cycle; when there is none), fast (a functional model)")
      ->check(CLI::IsMember({"rtl", "fast"}))
      ->envname("SWAI_TIER")
      ->type_name("NAME");
  app_.add_flag("--json", options_.json, "for machines: one JSON object on standard output");
  app_.add_flag("--quiet", options_.quiet, "no progress on standard error");
}

CLI::App* Cli::add(const std::string& name, const std::string& what, std::function<int()> action,
                   const std::string& examples) {
  CLI::App* const command = app_.add_subcommand(name, what);
  command->fallthrough();
  command->get_formatter()->column_width(34);
  command->footer(examples);
  command->callback([this, action = std::move(action)] { action_ = action; });
  return command;
}

namespace {

// Where the -- stands that ends the options of a command which takes a program; the end if there is none.
// Behind the program's name it is the program's.
std::vector<std::string>::iterator end_of_options(const CLI::App& app, std::vector<std::string>& words) {
  const CLI::App* command = &app;
  size_t plain = 0;  // words that are neither options nor commands
  for (auto word = words.begin(); word != words.end(); ++word) {
    const std::string& name = *word;
    if (name == "--") return command->get_prefix_command() ? word : words.end();
    if (name.starts_with('-')) {
      const CLI::Option* option = command->get_option_no_throw(name);
      if (option == nullptr) option = app.get_option_no_throw(name);
      if (option != nullptr && option->get_expected_min() > 0 && word + 1 != words.end()) ++word;
      continue;
    }
    const auto named = command->get_subcommands([&](const CLI::App* one) { return one->get_name() == name; });
    if (!named.empty()) {
      command = named.front();
    } else {
      const auto positionals =
          command->get_options([](const CLI::Option* one) { return one->get_positional(); });
      if (command->get_prefix_command() && plain++ == positionals.size()) return words.end();
    }
  }
  return words.end();
}

}  // namespace

int Cli::run(int argc, char** argv) {
  try {
    // The parser would give what comes after a -- to the command above.
    std::vector<std::string> words(argv + 1, argv + argc);
    const auto end = end_of_options(app_, words);
    if (end != words.end()) words.erase(end);
    std::ranges::reverse(words);  // as the parser takes a list
    app_.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    const bool good = app_.exit(error) == 0;
    if (good && std::cout.flush()) return kDone;
    // The parser has ended before it came to all options.
    const bool json = std::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
    if (!good && json) print_error(Error(kBadInput, usage_error(app_, error)));
    return kBadInput;
  }
  try {
    const int code = action_();
    if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category(), "standard output");
    return code;
  } catch (const Error& error) {
    return report(error);
  } catch (const walk::CardError& error) {
    return report(Error(code_of(error.error()), error.what()));
  } catch (const link::Unreachable& error) {
    return report(Error(kCardLost, error.what()));
  } catch (const common::InputError& error) {
    return report(Error(kBadInput, error.what()));
  } catch (const std::system_error& error) {
    // Who reads has read enough.
    if (error.code() == std::errc::broken_pipe) return 128 + SIGPIPE;
    return report(Error(kBadInput, error.what()));
  } catch (const std::bad_alloc&) {
    return report(Error(kFailed, "this machine has not enough memory for that"));
  } catch (const std::exception& error) {
    return report(Error(kFailed, error.what()));
  }
}

int Cli::report(const Error& error) const {
  StartedCard::wait_if_interrupted();
  // Messages contain names and contents of files.
  fmt::print(stderr, "swai: {}\n", common::printable_lines(error.what()));
  if (options_.json) print_error(error);
  return error.code();
}

void Cli::print_error(const Error& error) const {
  try {
    print({{"error", error.what()}, {"exit_code", int{error.code()}}});
  } catch (const std::system_error&) {  // that is why it failed
  }
}

Json Cli::whole(const Json& report) const {
  const auto commands = app_.get_subcommands();
  Json all = {{"version", kJsonVersion}};
  all["command"] = commands.empty() ? Json() : Json(commands.front()->get_name());
  all.update(report);
  return all;
}

std::string Cli::text_of(const Json& report) const {
  // Programs and cards may say what is no UTF-8.
  return whole(report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void Cli::print(const Json& report) const { fmt::print("{}", text_of(report)); }

void Cli::print_line(const Json& report) const { fmt::print("{}\n", whole(report).dump()); }

}  // namespace swai::cli
