// SPDX-License-Identifier: Apache-2.0
// The command line that all testbench programs with named tests share:  PROGRAM --test NAME [--seed N]
// [--cycles N]
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace swai::verif {

struct TestCase {
  std::string name;
  std::function<void(uint64_t seed, uint64_t cycles)> run;
};

// Runs the test that the command line names. Exit code 0: passed; 1: a check failed; 2: bad usage.
int test_main(int argc, char** argv, const std::vector<TestCase>& tests);

}  // namespace swai::verif
