// SPDX-License-Identifier: Apache-2.0
// Writes: has an encoder see a text, if there is one, then goes through the decoder's list from step to step
// and sends what each has chosen, while the next one runs.
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "swai/lists.hpp"
#include "verif/kit/toys/toys.hpp"

namespace {

using namespace swai::program;
using namespace swai::toys;
using Tokens = std::span<const uint32_t>;

class Writer {
 public:
  Writer(Job& job, const WriteWish& wish)
      : job_(job),
        wish_(wish),
        text_(reinterpret_cast<const uint32_t*>(&wish + 1), wish.rows),
        prompt_(text_.data() + text_.size(), wish.prompt),
        lists_(job, wish.walk, wish.mode),
        tokens_(lists_.share<uint32_t>(wish.places.tokens, kMostTokens)),
        number_(lists_.share<uint32_t>(wish.places.number)),
        likely_(lists_.share<uint32_t>(wish.places.likely)) {}

  Code run() {
    if (!open()) return kRefused;
    if (has_encoder() && !encode()) return kFailed;
    Tokens given = prompt_;
    for (uint32_t past = 0, left = wish_.steps; left != 0; --left) {
      if (cancelled()) return kCancelled;
      if (!step(given, past)) return kFailed;
      past += static_cast<uint32_t>(given.size());
      given = {&chosen_.number, 1};
      if (lists_.defers() && left != 1) {
        later_ = chosen_;
      } else if (!send(chosen_)) {
        return kFailed;
      }
    }
    return send(lists_.work()) && job_.stream().flush() == Status::kOk ? kAll : kFailed;
  }

 private:
  bool has_encoder() const { return wish_.encoder.bytes != 0; }
  template <typename Message>
  bool send(const Message& message) {
    return job_.stream().send(&message, sizeof message);
  }

  bool open() {
    if (tokens_.here == nullptr || number_.here == nullptr || likely_.here == nullptr || prompt_.empty() ||
        prompt_.size() > kMostTokens || !lists_.open(wish_.step, step_) ||
        step_.pattern.symbols().size() > sizes_.size())
      return false;
    uint64_t nodes = step_.pattern.nodes();
    if (has_encoder()) {
      if (!lists_.open(wish_.encoder, encoder_) || text_.size() > kMostRows) return false;
      nodes = std::max<uint64_t>(nodes, encoder_.pattern.nodes());
    }
    return lists_.take_memory(nodes);
  }
  bool encode() {
    const auto text = lists_.share<uint32_t>(wish_.text, kMostRows);
    if (text.here == nullptr) return false;
    std::ranges::copy(text_, text.here);
    set(step_, "rows", wish_.rows);
    return lists_.give(text, text.here, text_.size_bytes()) == Status::kOk &&
           lists_.run(encoder_, std::array<int64_t, 1>{wish_.rows}) == Status::kOk &&
           lists_.prepare(step_) == Status::kOk;
  }
  bool step(Tokens given, uint32_t past) {
    // The step before has ended, but an encoder reads none of this.
    std::ranges::copy(given, tokens_.here);
    set(step_, "new", static_cast<int64_t>(given.size()));
    set(step_, "past", past);
    if (lists_.give(tokens_, tokens_.here, given.size_bytes()) != Status::kOk ||
        lists_.run(step_, std::span(sizes_).first(step_.pattern.symbols().size())) != Status::kOk)
      return false;
    if (later_ && !send(*later_)) return false;
    later_.reset();
    if (lists_.wait() != Status::kOk ||
        lists_.fetch(number_, number_.here, sizeof(uint32_t)) != Status::kOk ||
        lists_.fetch(likely_, likely_.here, sizeof(uint32_t)) != Status::kOk)
      return false;
    chosen_ = {*number_.here, *likely_.here};
    return true;
  }
  void set(const Lists::List& list, std::string_view name, int64_t value) {
    if (const auto symbol = list.pattern.symbol(name)) sizes_[*symbol] = value;
  }

  Job& job_;
  const WriteWish& wish_;
  const Tokens text_, prompt_;
  Lists lists_;
  const Lists::Shared<uint32_t> tokens_, number_, likely_;
  Lists::List encoder_, step_;
  std::array<int64_t, 3> sizes_ = {};  // of the decoder's list
  Choice chosen_ = {};
  std::optional<Choice> later_;  // is sent while the next list runs
};

int write(Job& job) {
  const auto& wish = job.arguments<WriteWish>();
  if (job.argument_bytes() < sizeof wish ||
      job.argument_bytes() != sizeof wish + (uint64_t{wish.rows} + wish.prompt) * sizeof(uint32_t))
    return kRefused;
  return Writer(job, wish).run();
}

}  // namespace

SWAI_PROGRAM(write)
