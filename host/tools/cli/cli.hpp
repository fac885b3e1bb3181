// SPDX-License-Identifier: Apache-2.0
// The command line of `swai`: what all subcommands share. Each has a file of its own that adds it
// (commands.hpp).
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "host/tools/cli/error.hpp"
#include "host/tools/cli/json.hpp"
#include "host/tools/cli/options.hpp"

namespace swai::cli {

// Of everything that is printed with --json. Changes when a field changes its meaning or goes.
inline constexpr int kJsonVersion = 2;

class Cli {
 public:
  Cli();

  // A new subcommand; its options are added to what this returns. `action` gives the exit code.
  CLI::App* add(const std::string& name, const std::string& what, std::function<int()> action,
                const std::string& examples = "");
  int run(int argc, char** argv);

  const Options& options() const { return options_; }
  const CLI::App& app() const { return app_; }
  // With its version and the command's name in front.
  Json whole(const Json& report) const;
  std::string text_of(const Json& report) const;
  void print(const Json& report) const;
  // For a command that prints several: each on a line of its own.
  void print_line(const Json& report) const;

 private:
  int report(const Error& error) const;
  void print_error(const Error& error) const;

  Options options_;
  CLI::App app_;
  std::function<int()> action_;
};

}  // namespace swai::cli
