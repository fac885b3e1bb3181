// SPDX-License-Identifier: Apache-2.0
#include "sim/card/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace swai::card {
namespace {

constexpr std::chrono::seconds kPatience{2};
constexpr std::chrono::seconds kPeriod{1};

}  // namespace

Progress::Progress(bool wanted)
    : wanted_(wanted && ::isatty(STDERR_FILENO) == 1), next_(Clock::now() + kPatience) {}

void Progress::update(uint64_t cycles, const std::string& what) {
  if (!wanted_ || Clock::now() < next_) return;
  fmt::print(stderr, "\r{:.1f} million cycles, {:.0f} kHz, {}\x1b[K", static_cast<double>(cycles) / 1e6,
             khz(), what);
  std::fflush(stderr);
  shown_ = true;
  next_ = Clock::now() + kPeriod;
}

void Progress::clear() {
  if (!wanted_) return;
  if (shown_) fmt::print(stderr, "\r\x1b[K");
  shown_ = false;
  next_ = Clock::now() + kPatience;
}

}  // namespace swai::card
