// SPDX-License-Identifier: Apache-2.0
#include "verif/kit/doctest_main.hpp"

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <string_view>
#include <vector>

namespace swai {
namespace {

uint64_t seed = 1;

// Cases that the command line's filters leave, once they have run.
unsigned matching = 1;

struct Matching : doctest::IReporter {
  explicit Matching(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& run) override { matching = run.numTestCasesPassingFilters; }
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("matching", 1, Matching);

}  // namespace

uint64_t test_seed() { return seed; }

}  // namespace swai

int main(int argc, char** argv) {
  std::vector<const char*> rest;
  for (int i = 0; i < argc; ++i) {
    if (std::string_view(argv[i]) != "--seed") {
      rest.push_back(argv[i]);
      continue;
    }
    const std::string_view text = i + 1 < argc ? argv[++i] : "";
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), swai::seed);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
      fmt::print(stderr, "--seed needs a number, not '{}'\n", text);
      return 2;
    }
  }
  fmt::print("seed {}\n", swai::seed);
  const int result = doctest::Context(static_cast<int>(rest.size()), rest.data()).run();
  // doctest calls it a success to have run nothing: a renamed case would take its test with it.
  if (swai::matching == 0) fmt::print(stderr, "no test case matches the filters\n");
  return swai::matching == 0 ? 1 : result;
}
