#include "host/sdaa/request_words.hpp"

#include <algorithm>

#include "card_regs.hpp"
#include "host/sdaa/bars.hpp"

namespace swai::sdaa {

using namespace protocol;

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

uint64_t RequestWords::time_for(Operation operation, std::span<const uint64_t> arguments) {
  constexpr uint64_t kLarge = 1 << 20;  // from here on it takes whole blocks
  switch (operation) {
    case Operation::kAllocate:
      return arguments[1] < kLarge ? 480 : 650;
    case Operation::kFree:
      return 790;
    default:
      return 600;
  }
}

}  // namespace swai::sdaa
