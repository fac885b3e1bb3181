// SPDX-License-Identifier: Apache-2.0
// Headers of libraries that most sources include: compiled once for all of them, with each set of flags
// (Makefile). A source includes what it needs all the same.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <concepts>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>
#ifdef DOCTEST_CONFIG_SUPER_FAST_ASSERTS  // flags of tests
#include <doctest/doctest.h>
#endif
#ifdef READS_OPTIONS
#include <CLI/CLI.hpp>
#endif
#ifdef VM_TRACE  // flags of what is compiled beside a model of Verilator's
#include <verilated.h>
#endif

// Nobody calls it: what it makes of templates is made here, once, in place of once in each object that uses it.
inline void instantiated_once() {
  const std::span<const uint8_t> span;
  std::vector<uint8_t> bytes(span.begin(), span.end());
  bytes.insert(bytes.end(), span.begin(), span.end());
  bytes.insert(bytes.end(), span.data(), span.data() + span.size());
  std::optional<uint32_t> number = 1;
  number = std::nullopt;
  std::mt19937_64 random(1);
  random();
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(fmt::format("{}{}", *number, std::string()));
  json["name"] = {{"text", std::string()}, {"literal", "text"}, {"number", uint64_t{1}}, {"yes", true}, {"real", 1.0}};
  json.push_back(json);
  json.update(json);
  json.dump(2);
#ifdef READS_OPTIONS
  CLI::App app;
  std::string text;
  std::vector<std::string> texts;
  unsigned count = 0;
  app.add_option("--text", text)->check(CLI::IsMember({"text"}));
  app.add_option("--texts", texts)->check(CLI::IsMember(texts));
  app.add_option("--count", count);
  app.add_option("--number", number);
#endif
}
