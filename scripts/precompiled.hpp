// Headers of libraries that most sources include: compiled once for all of them, with each set of flags
// (Makefile). A source includes what it needs all the same.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
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
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
#ifdef DOCTEST_CONFIG_SUPER_FAST_ASSERTS  // flags of tests
#include <doctest/doctest.h>
#endif
#ifdef READS_OPTIONS
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#endif
