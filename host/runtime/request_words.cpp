// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/request_words.hpp"

#include <algorithm>

#include "card_regs.hpp"
#include "host/runtime/bars.hpp"

namespace swai::sdaa {

using namespace protocol;

namespace {

constexpr uint64_t kFirstTime = 512;  // a round trip
constexpr uint64_t kStepUp = 32;
constexpr uint64_t kLongest = 4096;

}  // namespace

// The words keep what an earlier client's last request left.
RequestWords::RequestWords(link::Card& card)
    : card_(card), tag_(tag(card.read<uint64_t>(kControlBar, shared_word(word::kReply)))) {}

void RequestWords::send(Operation operation, std::span<const uint64_t> arguments) {
  // Never 0: that is what the words hold before the first request.
  if (++tag_ == 0) ++tag_;
  card_.post_block(kControlBar, shared_word(word::kArguments),
                   {reinterpret_cast<const uint8_t*>(arguments.data()), arguments.size_bytes()});
  card_.post<uint64_t>(kControlBar, shared_word(word::kRequest), request(operation, tag_));
  card_.post<uint64_t>(kControlBar, regs::pcie::doorbell::kOffset, kRequestDoorbell);
}

std::optional<RequestWords::Reply> RequestWords::look() {
  std::array<uint64_t, 1 + word::kValueCount> words;
  card_.read_block(kControlBar, shared_word(word::kReply),
                   {reinterpret_cast<uint8_t*>(words.data()), sizeof words});
  if (tag(words[0]) != tag_) return std::nullopt;
  Reply reply{status(words[0]), {}};
  std::ranges::copy(std::span(words).subspan(1), reply.values.begin());
  return reply;
}

RequestWords::Kind RequestWords::kind_of(Operation operation, std::span<const uint64_t> arguments) {
  constexpr uint64_t kLarge = 1 << 20;  // from here on it takes whole blocks
  return {operation, operation == Operation::kAllocate && arguments[1] >= kLarge};
}

uint64_t RequestWords::time_for(Operation operation, std::span<const uint64_t> arguments) const {
  const auto known = times_.find(kind_of(operation, arguments));
  return known == times_.end() ? kFirstTime : known->second;
}

// A look in vain costs a round trip, one that comes later than it might only the difference: so a step up is
// worth many down. In the end one look in some thirty comes too early.
void RequestWords::learn(Operation operation, std::span<const uint64_t> arguments, bool found) {
  uint64_t& time = times_.try_emplace(kind_of(operation, arguments), kFirstTime).first->second;
  if (!found) {
    time = std::min(time + kStepUp, kLongest);
  } else if (time > 0) {
    --time;
  }
}

}  // namespace swai::sdaa
