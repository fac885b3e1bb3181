// SPDX-License-Identifier: Apache-2.0
// How the figures are measured: in the card's time, for all sizes of a plan.
#pragma once

#include <functional>
#include <string>

#include "bench/plan.hpp"
#include "bench/series.hpp"
#include "host/runtime/runtime.hpp"

namespace swai::cli::bench {

// Of the link; the estimate needs no better figures.
inline constexpr double kBytesPerCycle = 25;
inline constexpr double kBytesPerCycleAlone = 10;  // one thread, one channel
inline constexpr double kNoBytes = 1e18;           // what is asked for does not move
inline constexpr double kCallCycles = 20'000;

double ns_of(const std::function<void()>& action);
double copy_ns(void* to, const void* from, uint64_t bytes);
// Of a copy that is made: below some size twice, and the second one counts.
double warm_ns(uint64_t bytes, const std::function<double()>& copy);

Series series(const std::string& name, bool baseline, const Plan& plan, const Done& done,
              double bytes_per_cycle, const std::function<double(uint64_t)>& time);

// Whether a daemon shares the card that is in use: such a card lets its clients have neither page tables nor
// page lists.
bool card_is_shared();
inline constexpr const char* kNotShared =
    "page tables and page lists are not measured: a shared card has none";

// How many times as long the slow way takes, at most.
double largest_ratio(const Series& slow, const Series& fast);

// Copying on the host takes time by fixed constants while this lives, as it does not otherwise.
class Staged {
 public:
  explicit Staged(const sdaa::Staging& staging) { set(staging); }
  ~Staged() { set({}); }
  Staged(const Staged&) = delete;
  Staged& operator=(const Staged&) = delete;

 private:
  static void set(const sdaa::Staging& staging);
};
inline constexpr sdaa::Staging kAll = {.timed = true};
inline constexpr sdaa::Staging kAlone = {1, 2, false, true};

}  // namespace swai::cli::bench
