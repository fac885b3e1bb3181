#include "host/cli/launch_wish.hpp"

namespace swai::cli {

void add_launch_options(CLI::App& command, LaunchWish& wish) {
  command
      .add_option(
          "--launch", wish.by,
          "who launches each step: three-tier (default): the card by itself, asked once; two-tier: the "
          "host")
      ->check(CLI::IsMember({"three-tier", "two-tier"}))
      ->type_name("NAME");
  command
      .add_option("--graph", wish.graph,
                  "full (default): a launch for each list of operators; per-op: one for each operator")
      ->check(CLI::IsMember({"full", "per-op"}))
      ->type_name("NAME");
}

}  // namespace swai::cli
