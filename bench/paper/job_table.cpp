// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/job_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace swai::cli::bench {
namespace {

const published::Job* find_published(const SpeechJob& job) {
  const auto found = std::ranges::find_if(published::kJobs, [&](const published::Job& one) {
    return one.shape == job.shape && one.seconds == job.seconds;
  });
  return found == published::kJobs.end() ? nullptr : found;
}

}  // namespace

JobTable::JobTable(PaperTable table, const std::vector<CountedJob>& jobs)
    : table_(std::move(table)), jobs_(jobs) {
  for (const CountedJob& one : jobs) {
    const published::Job* const known = find_published(one.job);
    table_.columns.push_back(fmt::format("{}, {} s{}", one.job.shape, one.job.seconds,
                                         known == nullptr ? "" : fmt::format(" ({})", known->sound)));
  }
}

PaperRow& JobTable::add(std::string what, Source source, const Value& value) {
  PaperRow row{std::move(what), source, {}};
  for (const CountedJob& one : jobs_) row.values.push_back(value(one));
  return table_.rows.emplace_back(std::move(row));
}

PaperRow& JobTable::published(std::string what, const published::OfJobs& values, double factor) {
  return add(std::move(what), Source::kPublished, [&](const CountedJob& one) -> std::optional<double> {
    const published::Job* const known = find_published(one.job);
    if (known == nullptr) return std::nullopt;
    return factor * values[static_cast<size_t>(known - published::kJobs.data())];
  });
}

PaperRow& JobTable::measured(std::string what, uint64_t SpeechLaunches::*count) {
  return add(std::move(what), Source::kMeasured,
             [&](const CountedJob& one) { return static_cast<double>(one.launches.*count); });
}

void JobTable::note(std::string words) { table_.notes.push_back(std::move(words)); }

PaperTable JobTable::take() { return std::move(table_); }

}  // namespace swai::cli::bench
