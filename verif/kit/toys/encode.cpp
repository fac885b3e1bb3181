// SPDX-License-Identifier: Apache-2.0
// Goes through an encoder's list for each of several texts, and sends what it chooses of each.
#include <algorithm>
#include <array>
#include <span>

#include "swai/lists.hpp"
#include "verif/kit/toys/toys.hpp"

using namespace swai::program;
using namespace swai::toys;

static int encode(Job& job) {
  const auto& wish = job.arguments<EncodeWish>();
  if (job.argument_bytes() < sizeof wish || job.argument_bytes() != sizeof wish + wish.texts * sizeof(Text))
    return kRefused;
  Lists lists(job, wish.walk, wish.mode);
  Lists::List list;
  const auto tokens = lists.share<uint32_t>(wish.places.tokens, kMostRows);
  const auto number = lists.share<uint32_t>(wish.places.number);
  const auto likely = lists.share<uint32_t>(wish.places.likely);
  if (tokens.here == nullptr || number.here == nullptr || likely.here == nullptr) return kRefused;
  if (!lists.open(wish.list, list) || !lists.take_memory(list.pattern.nodes())) return kRefused;

  for (const Text& text : std::span(reinterpret_cast<const Text*>(&wish + 1), wish.texts)) {
    if (cancelled()) return kCancelled;
    if (text.rows > kMostRows) return kRefused;
    std::copy_n(text.tokens.begin(), text.rows, tokens.here);
    const std::array<int64_t, 1> sizes = {text.rows};
    if (lists.give(tokens, tokens.here, text.rows * sizeof(uint32_t)) != Status::kOk ||
        lists.run(list, sizes) != Status::kOk || lists.wait() != Status::kOk ||
        lists.fetch(number, number.here, sizeof(uint32_t)) != Status::kOk ||
        lists.fetch(likely, likely.here, sizeof(uint32_t)) != Status::kOk)
      return kFailed;
    const Choice choice = {*number.here, *likely.here};
    if (!job.stream().send(&choice, sizeof choice)) return kFailed;
  }
  job.stream().send(&lists.work(), sizeof lists.work());
  return job.stream().flush() == Status::kOk ? kAll : kFailed;
}

SWAI_PROGRAM(encode)
