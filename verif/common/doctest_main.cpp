#include "verif/common/doctest_main.hpp"

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
}

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
  return doctest::Context(static_cast<int>(rest.size()), rest.data()).run();
}
