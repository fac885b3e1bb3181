// The command line of `swai`: what all subcommands share. Each has a file of its own that adds it
// (commands.hpp).
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "host/sdaa/include/sdaa_runtime.h"

namespace swai::cli {

using Json = nlohmann::ordered_json;

// Of everything that is printed with --json. Changes when a field changes its meaning or goes.
inline constexpr int kJsonVersion = 2;

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,    // what was asked for was done, and failed: a kernel, a comparison
  kBadInput = 2,  // wrong usage, a file that cannot be read or written
  kNoCard = 3,    // no card, or it cannot be opened
  kCardLost = 4,  // the card went away, or did not answer in time
};

// Ends the command: one line that names cause and cure, and the exit code.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// Throws Error when a call of the runtime library failed: `what` could not be done, and why.
void check(sdaaError_t error, const std::string& what);

struct Options {
  std::string card;    // sockets; empty: SWAI_CARD, else one that is served, else one is started
  std::string config;  // empty: none was asked for
  std::string config_or_default() const { return config.empty() ? "cg1" : config; }
  bool json = false;
  bool quiet = false;
};

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
  void print(const Json& report) const;

 private:
  int report(const Error& error) const;

  Options options_;
  CLI::App app_;
  std::function<int()> action_;
};

}  // namespace swai::cli
