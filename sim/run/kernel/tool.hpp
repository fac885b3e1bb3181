// SPDX-License-Identifier: Apache-2.0
// The command line that tools share which run a kernel: options, the job, launches, dumps, report. What they
// run it on is theirs.
//
//   Tool tool("cpe-run", "Runs a kernel on ...");
//   tool.app().add_option("--wave", ...);                 // its own options
//   return tool.run(argc, argv, [&](const Options& options) { return std::make_unique<RtlDevice>(options...);
//   });
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/lib/grid_text.hpp"
#include "sim/run/kernel/device.hpp"

namespace swai::kernel_run {

struct Options {
  std::string module;
  std::string kernel;
  std::vector<std::string> arguments;
  GridText grid;
  std::vector<std::string> dumps;
  std::string mask;    // empty: all CPEs
  std::string daemon;  // a module; empty: the plain one
  unsigned context = 1;
  unsigned launches = 1;
  uint64_t limit = 100'000'000;
  bool list = false;
  bool counters = false;
  bool by_cpe = false;
  std::string json;
};

class Tool {
 public:
  // `limit_unit`: what --limit counts, "cycles" or "instructions of a CPE".
  Tool(std::string name, const std::string& description, const std::string& limit_unit);

  CLI::App& app() { return app_; }
  Options& options() { return options_; }  // to change defaults before run()

  using MakeDevice = std::function<std::unique_ptr<Device>(const Options&)>;
  // Exit code: 0 all launches ended well, 1 one did not or mistakes were found, 2 bad usage or input.
  int run(int argc, char** argv, const MakeDevice& make_device);

 private:
  int run_job(const MakeDevice& make_device);

  std::string name_;
  Options options_;
  CLI::App app_;
};

}  // namespace swai::kernel_run
