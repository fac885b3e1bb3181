// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/launch_wish.hpp"

#include <vector>

#include "host/tools/cli/error.hpp"

namespace swai::cli {
namespace {

constexpr double kMostHostUs = 1e6;

}  // namespace

void check(const LaunchWish& wish) {
  if (wish.host_us != 0 && wish.by_card()) {
    throw Error(kBadInput,
                "--host-us: the host launches once with --launch three-tier; its time for each launch is for "
                "--launch two-tier");
  }
}

void add_launch_options(CLI::App& command, LaunchWish& wish, bool with_eager) {
  std::vector<std::string> graphs = {"full", "per-op"};
  if (with_eager) graphs.emplace_back("eager");
  command
      .add_option(
          "--launch", wish.by,
          "who launches each step: three-tier (default): the card by itself, asked once; two-tier: the "
          "host")
      ->check(CLI::IsMember({"three-tier", "two-tier"}))
      ->type_name("NAME");
  command
      .add_option("--graph", wish.graph,
                  std::string("full (default): a launch for each list of operators; per-op: one for each "
                              "operator") +
                      (with_eager ? "; eager: one for each that eager PyTorch issues (fp32 weights, "
                                    "two-tier, no timestamps)"
                                  : ""))
      ->check(CLI::IsMember(graphs))
      ->type_name("NAME");
  command
      .add_option(
          "--host-us", wish.host_us,
          "with --launch two-tier: microseconds of the card's time that the host's software takes for "
          "each launch (default 0, the launches follow one another as fast as the card takes them)")
      ->check(CLI::Range(0.0, kMostHostUs))
      ->type_name("N");
}

}  // namespace swai::cli
