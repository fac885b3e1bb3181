// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/group/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "verif/rtl/group/hbm_timing.hpp"

namespace swai::cg {

using verif::check;

void Addresses::change() {
  mood_ = static_cast<unsigned>(random_.below(7));
  left_ = static_cast<unsigned>(1 + random_.below(600));
  base_ = random_.below(lines_);
  stride_ = uint64_t{1} << random_.below(12);
  few_.clear();
  HbmPlace place = place_of(base_);
  for (unsigned i = 0; i < 4; ++i) {
    if (mood_ == 1) few_.push_back(random_.below(lines_));
    // Rows of one bank, and two banks of two channels.
    place.row = static_cast<unsigned>(random_.below(std::max<uint64_t>(lines_ >> 10, 1)));
    if (mood_ == 2) few_.push_back(line_of(place));
    if (mood_ == 3) {
      few_.push_back(line_of({i % 2, i / 2 + 3, place.row, 0}));
    }
  }
}

uint64_t Addresses::next_line() {
  if (left_ == 0) change();
  --left_;
  switch (mood_) {
    case 0:
      return (base_ + random_.below(3)) % lines_;
    case 1:
      return few_[random_.below(few_.size())];
    case 2:
    case 3: {
      HbmPlace place = place_of(few_[random_.below(few_.size())]);
      place.col = static_cast<unsigned>(random_.below(16));
      return line_of(place) % lines_;
    }
    case 4:
      return base_ = (base_ + 1) % lines_;
    case 5:
      return base_ = (base_ + stride_) % lines_;
    default:
      return random_.below(lines_);
  }
}

Traffic::Traffic(verif::StreamPins requests, verif::StreamPins responses, Random& random, Next next,
                 Answer answer)
    : random_(random),
      next_(std::move(next)),
      answer_(std::move(answer)),
      source_(std::move(requests), random, [this] { return with_tag(); }),
      sink_("responses", std::move(responses), random,
            [this](const Response& response) { arrived(response); }) {
  source_.on_taken = [this](const Request& request) { taken_ = request; };
}

std::optional<Request> Traffic::with_tag() {
  auto request = next_();
  if (!request) return std::nullopt;
  request->tag = static_cast<uint8_t>(random_.next());
  // Half of all tags may be in use at most: a free one is found soon.
  if (waiting_.size() > 700) return std::nullopt;
  while (waiting_.contains(request->source * 256U + request->tag)) ++request->tag;
  return request;
}

void Traffic::sample() {
  ++now_;
  taken_.reset();
  source_.sample();
  sink_.sample();
  // Only now: an answer in the same cycle would be too early.
  if (taken_) waiting_[taken_->source * 256U + taken_->tag] = {*taken_, answer_(*taken_), now_};
}

void Traffic::arrived(const Response& response) {
  const auto found = waiting_.find(response.dest * 256U + response.tag);
  check(found != waiting_.end(), "a response that nobody waits for");
  const auto& [request, expected, since] = found->second;
  const std::string what =
      fmt::format("operation {} of source {} at {:#x}, size {}: ", static_cast<int>(request.op),
                  request.source, request.addr, request.size);
  check(response.status == expected.status,
        fmt::format("{}status {} instead of {}", what, static_cast<int>(response.status),
                    static_cast<int>(expected.status)));
  if (expected.compare) {
    const auto bytes = std::ptrdiff_t{1} << std::min<int>(request.size, 6);
    const auto offset = static_cast<std::ptrdiff_t>(request.addr % 64) & ~(bytes - 1);
    check(std::equal(response.data.begin() + offset, response.data.begin() + offset + bytes,
                     expected.data.begin() + offset),
          what + "wrong data");
  }
  longest_ = std::max(longest_, now_ - since);
  waiting_.erase(found);
}

}  // namespace swai::cg
