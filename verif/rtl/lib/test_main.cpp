// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/lib/test_main.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>

namespace swai::verif {

int test_main(int argc, char** argv, const std::vector<TestCase>& tests) {
  std::string name;
  uint64_t seed = 1;
  uint64_t cycles = 20000;
  bool list = false;
  CLI::App app("Runs one named test of this testbench.");
  app.add_option("--test", name, "the test's name");
  app.add_option("--seed", seed, "seed of everything random")->capture_default_str();
  app.add_option("--cycles", cycles, "clock cycles of random traffic for each design under test")
      ->capture_default_str();
  app.add_flag("--list", list, "list the tests");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (list) {
    for (const auto& test : tests) fmt::print("{}\n", test.name);
    return 0;
  }
  const auto found = std::find_if(tests.begin(), tests.end(), [&](const auto& t) { return t.name == name; });
  if (found == tests.end()) {
    fmt::print(stderr, "no test named '{}': --list shows the names\n", name);
    return 2;
  }
  fmt::print("{} seed {}\n", name, seed);
  std::fflush(stdout);
  try {
    found->run(seed, cycles);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "{} failed: {}\n", name, failure.what());
    return 1;
  }
  fmt::print("passed\n");
  return 0;
}

}  // namespace swai::verif
