// SPDX-License-Identifier: Apache-2.0
#include "sim/common/host_threads.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

namespace swai::common {
namespace {

constexpr const char* kName = "SWAI_THREADS";
constexpr unsigned kMost = 32;

}  // namespace

unsigned host_threads(unsigned most) {
  const char* const text = std::getenv(kName);
  if (text == nullptr) return std::clamp(std::thread::hardware_concurrency(), 1U, most);
  const std::string word(text);
  unsigned threads = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), threads);
  if (error != std::errc() || end != word.data() + word.size() || threads == 0 || threads > kMost) {
    throw std::runtime_error(std::string(kName) + ": not a number from 1 to 32: " + word);
  }
  return threads;
}

}  // namespace swai::common
