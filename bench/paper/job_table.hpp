// SPDX-License-Identifier: Apache-2.0
// Tables whose columns are jobs of transcription.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/paper/published.hpp"
#include "bench/paper/speech_jobs.hpp"
#include "bench/paper_table.hpp"

namespace swai::cli::bench {

inline constexpr double kNsOfUs = 1e3;
inline constexpr double kUsOfMs = 1e3;
inline constexpr double kNsOfMs = kNsOfUs * kUsOfMs;

struct CountedJob {
  SpeechJob job;
  SpeechLaunches launches;
};

class JobTable {
 public:
  using Value = std::function<std::optional<double>(const CountedJob&)>;

  JobTable(PaperTable table, const std::vector<CountedJob>& jobs);

  PaperRow& add(std::string what, Source source, const Value& value);
  // Of the paper's jobs.
  PaperRow& published(std::string what, const published::OfJobs& values, double factor = 1);
  PaperRow& measured(std::string what, uint64_t SpeechLaunches::*count);
  void note(std::string words);
  PaperTable take();

 private:
  PaperTable table_;
  const std::vector<CountedJob>& jobs_;
};

}  // namespace swai::cli::bench
