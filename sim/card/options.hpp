// SPDX-License-Identifier: Apache-2.0
// The command line of swai-card.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/card/console.hpp"
#include "sim/card/events.hpp"

namespace swai::card {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitBadInput = 2;

// The cards that there are. The RTL's parameters are fixed when a program is built, so each has a program of
// its own.
struct Configuration {
  std::string_view name;
  const char* program;
  const char* what;
};
inline constexpr Configuration kConfigurations[] = {
    {"tiny", "swai-card-tiny", "one core group of 2 x 2 cores, for fast tests"},
    {"cg1", "swai-card", "one core group of 4 x 8 cores; the default"},
    {"full", "swai-card-full", "four core groups of 4 x 8 cores"},
};

// What this program is.
#ifndef SWAI_CONFIG
#define SWAI_CONFIG cg1
#endif
#define SWAI_TEXT(name) #name
#define SWAI_VALUE(name) SWAI_TEXT(name)
inline constexpr std::string_view kThisConfiguration = SWAI_VALUE(SWAI_CONFIG);

// The card in RTL, or the functional model of it, which is one program for all configurations.
inline constexpr std::string_view kRtlTier = "rtl";
inline constexpr std::string_view kFastTier = "fast";
inline constexpr const char* kFastProgram = "swai-card-fast";
#ifdef SWAI_FAST
inline constexpr std::string_view kThisTier = kFastTier;
#else
inline constexpr std::string_view kThisTier = kRtlTier;
#endif

struct Options {
  std::string config{kThisConfiguration};
  std::string tier{kThisTier};
  std::string flash;
  uint64_t flash_size = 0;  // 0: of the file, or the largest
  double flash_speed = 1;
  std::string rom;
  Console::Kind console = Console::Kind::kStandard;
  std::string console_path;
  bool until_ready = false;
  uint64_t max_cycles = 0;  // 0: no limit
  std::string restore;      // a snapshot, to begin with
  std::string save;         // one, at the end
  std::string check;        // the file that mistakes go to; "-": none; empty: nobody looks for them
  std::vector<std::string> check_modules;  // that name kernels
  bool stats = false;
  bool json = false;
  bool quiet = false;
  std::string trace;
  std::string events;
  bool events_on = true;
  bool events_from_ready = false;
  uint64_t events_limit = EventFile::kDefaultLimit;
  std::string wave;
  uint64_t wave_from = 0;
  uint64_t wave_to = UINT64_MAX;
  std::string wave_trigger;
  uint64_t wave_length = 1000;
  std::optional<uint16_t> gdb;
  std::optional<uint64_t> seed;
  std::string socket;  // empty: no server
  size_t cards = 1;
  bool iommu = true;
};

// Replaces this program by the one that has configuration and tier; returns if it is this one. Throws
// std::runtime_error when it has not been built.
void become(const Options& options, char** argv);

// Fills `options`; a value when the program has to end with that exit code (--help, or an error that was
// printed).
std::optional<int> parse_options(int argc, char** argv, Options& options);

}  // namespace swai::card
