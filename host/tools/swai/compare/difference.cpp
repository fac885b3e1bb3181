// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/compare/difference.hpp"

#include <algorithm>
#include <utility>

#include "host/tools/swai/compare/interruption.hpp"

namespace swai::cli {

using sdaa::record::Result;

namespace {

bool has_failed(const Result& result) { return result.end && *result.end != sdaa::record::kDone; }

std::optional<Difference::Kind> difference_of(const Result& one, const Result& other) {
  using Kind = Difference::Kind;
  if (one.what != other.what || one.name != other.name || one.bytes != other.bytes) return Kind::kCommand;
  if (one.end && other.end && *one.end != *other.end) return Kind::kEnd;
  if (!one.digests.empty() && !other.digests.empty() && one.digests != other.digests) return Kind::kContents;
  return std::nullopt;
}

// Both have contents, and somebody does not know them.
bool is_unknown(const Result& one, const Result& other) {
  const bool has_contents =
      one.bytes != 0 && (one.what == "copy to host" || one.what == "copy to card" || one.what == "graph");
  const bool are_done = one.end == sdaa::record::kDone && other.end == sdaa::record::kDone;
  return has_contents && are_done && (one.digests.empty() || other.digests.empty());
}

}  // namespace

std::optional<Difference> Comparison::run() {
  for (Both<bool> more = {true, true}; more[0] || more[1];) {
    end_if_interrupted();
    for (size_t side = 0; side < files_.size(); ++side) {
      std::optional<Result> result = more[side] ? files_[side].next() : std::nullopt;
      more[side] = result.has_value();
      if (!result) continue;
      const std::string name = result->source;
      Source& source = sources_[name];
      if (source.over) continue;
      source.waiting[side].push_back(std::move(*result));
      if (auto difference = compare(source, name)) return difference;
    }
  }
  return first_missing();
}

std::optional<Difference> Comparison::compare(Source& source, const std::string& name) {
  auto& [ones, others] = source.waiting;
  while (!ones.empty() && !others.empty()) {
    const Both<Result> results = {std::move(ones.front()), std::move(others.front())};
    ones.pop_front();
    others.pop_front();
    ++source.number;
    if (const auto kind = difference_of(results[0], results[1])) {
      Difference difference = describe(*kind, name, source.number, {results[0], results[1]});
      if (*kind == Difference::Kind::kContents) difference.bytes = find_bytes(results);
      return difference;
    }
    ++results_;
    bytes_ += results[0].bytes;
    if (is_unknown(results[0], results[1])) ++unknown_;
    if (results[0].what == "launch" || results[0].what == "graph") {
      constexpr size_t kShown = 3;
      launches_.push_back({source.number, results[0]});
      if (launches_.size() > kShown) launches_.pop_front();
    }
    if (has_failed(results[0]) || has_failed(results[1])) {
      source.over = true;
      source.waiting = {};
    }
  }
  return std::nullopt;
}

// What a program that was killed knew last is chance.
std::optional<Difference> Comparison::first_missing() const {
  for (const auto& [name, source] : sources_) {
    for (size_t side = 0; side < files_.size(); ++side) {
      if (source.waiting[side].empty() || !files_[1 - side].is_whole()) continue;
      const Result& first = source.waiting[side].front();
      if (!first.end || *first.end == sdaa::record::kRefused) continue;
      Both<std::optional<Result>> results;
      results[side] = first;
      return describe(Difference::Kind::kMissing, name, source.number + 1, std::move(results));
    }
  }
  return std::nullopt;
}

Difference Comparison::describe(Difference::Kind kind, const std::string& name, uint64_t number,
                                Both<std::optional<Result>> results) const {
  return {kind, name, number, std::move(results), {}, {launches_.begin(), launches_.end()}};
}

Difference::Bytes Comparison::find_bytes(const Both<Result>& results) const {
  const auto& [one, other] = results;
  const auto differs = std::ranges::mismatch(one.digests, other.digests);
  const uint64_t piece = sdaa::record::piece_bytes(one.bytes);
  Difference::Bytes found;
  found.offset = piece * static_cast<uint64_t>(differs.in1 - one.digests.begin());
  found.behind = std::min(found.offset + piece, one.bytes);
  const auto ones = files_[0].contents(one, found.offset, piece);
  const auto others = files_[1].contents(other, found.offset, piece);
  const auto byte = std::ranges::mismatch(ones, others);
  if (byte.in1 == ones.end() || byte.in2 == others.end()) return found;
  found.offset += static_cast<uint64_t>(byte.in1 - ones.begin());
  found.behind = 0;
  // The word that it is in, and those beside it.
  constexpr uint64_t kBefore = 8;
  constexpr uint64_t kShown = 16;
  found.from = (found.offset & ~uint64_t{3}) - std::min(found.offset & ~uint64_t{3}, kBefore);
  for (size_t side = 0; side < files_.size(); ++side)
    found.neighbours[side] = files_[side].contents(results[side], found.from, kShown);
  return found;
}

}  // namespace swai::cli
