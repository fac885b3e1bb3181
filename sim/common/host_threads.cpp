#include "sim/common/host_threads.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

namespace swai::fast {
namespace {

constexpr const char* kName = "SWAI_FAST_THREADS";
constexpr unsigned kMost = 32;
// More wait for each other longer than they help each other.
constexpr unsigned kMostByDefault = 8;

}  // namespace

unsigned host_threads() {
  const char* const text = std::getenv(kName);
  if (text == nullptr) return std::clamp(std::thread::hardware_concurrency(), 1U, kMostByDefault);
  const std::string word(text);
  unsigned threads = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), threads);
  if (error != std::errc() || end != word.data() + word.size() || threads == 0 || threads > kMost) {
    throw std::runtime_error(std::string(kName) + ": not a number from 1 to 32: " + word);
  }
  return threads;
}

}  // namespace swai::fast
