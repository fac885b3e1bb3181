// SPDX-License-Identifier: Apache-2.0
// Transcribes a sound: goes from window to window, and in each from token to token, by lists of nodes that it
// builds from templates; sends what was chosen (abi/listen.hpp). Which tokens may follow, and where the next
// window begins, are rules in whole numbers. Whether a text is good enough its host decides, and cancels if
// it is not.
#include "abi/listen.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "swai/lists.hpp"

namespace {

using namespace swai::program;
namespace listen = swai::listen;
namespace speech = swai::speech;
using speech::Token;
using Code = listen::Code;

// Tokens in memory that the program has.
class Tokens {
 public:
  Tokens() = default;
  Tokens(Token* memory, uint32_t most) : memory_(memory), most_(most) {}
  void clear() { count_ = 0; }
  // The oldest ones make room.
  void add(std::span<const Token> tokens) {
    for (const Token token : tokens.last(std::min<size_t>(tokens.size(), most_))) {
      if (count_ == most_) std::copy(memory_ + 1, memory_ + count_--, memory_);
      memory_[count_++] = token;
    }
  }
  void add(Token token) { add({&token, 1}); }
  std::span<const Token> all() const { return {memory_, count_}; }
  uint32_t count() const { return count_; }

 private:
  Token* memory_ = nullptr;
  uint32_t most_ = 0;
  uint32_t count_ = 0;
};

// False: what is said about the arguments' length and what there is of them differ, or make no sense.
bool is_good(const Job& job, const listen::Wish& wish) {
  return job.argument_bytes() >= sizeof wish &&
         job.argument_bytes() == sizeof wish + wish.before * uint64_t{sizeof(Token)} &&
         wish.directions >= 1 && wish.directions <= listen::kMostDirections && wish.context >= 4 &&
         wish.window_frames > 0;
}

// Of the decoder, with what its sizes are when it runs.
class Step {
 public:
  // False: it is not there, or knows other sizes.
  bool open(Lists& lists, const swai::building::Source& source) {
    if (!lists.open(source, list_)) return false;
    const auto number = [this](std::string_view name) { return list_.pattern.symbol(name).value_or(kNone); };
    past_ = number("past");
    begun_ = number("begun");
    rows_ = number("rows");
    return list_.pattern.symbols().size() == (rows_ == kNone ? 2 : 3) && past_ != kNone && begun_ != kNone;
  }
  // As another one, but for the memory of that name, which lies there. False: there is no memory, or it has
  // none.
  bool place(Lists& lists, const Step& step, std::string_view name, uint64_t there) {
    if (list_.addresses == nullptr) {
      *this = step;
      const auto base = list_.pattern.base(name);
      if (!base || !lists.copy(step.list_, list_)) return false;
      placed_ = *base;
    }
    lists.place(list_, placed_, there);
    return true;
  }
  const Lists::List& list() const { return list_; }
  Status run(Lists& lists, uint64_t past, uint64_t rows, bool begun) const {
    Sizes sizes;
    return lists.run(list_, sizes_of(sizes, past, rows, begun));
  }
  // Of one row, behind a text.
  Status run_ahead(Lists& lists, uint64_t past, uint64_t unless) const {
    Sizes sizes;
    return lists.run_ahead(list_, sizes_of(sizes, past, 1, true), unless);
  }

 private:
  static constexpr uint32_t kNone = 3;
  using Sizes = std::array<int64_t, kNone + 1>;
  std::span<const int64_t> sizes_of(Sizes& sizes, uint64_t past, uint64_t rows, bool begun) const {
    sizes[rows_] = static_cast<int64_t>(rows);
    sizes[past_] = static_cast<int64_t>(past);
    sizes[begun_] = begun ? 1 : 0;
    return std::span(sizes).first(list_.pattern.symbols().size());
  }

  Lists::List list_;
  uint32_t past_ = kNone, begun_ = kNone, rows_ = kNone;
  uint32_t placed_ = 0;
};

class Listener {
 public:
  Listener(Job& job, const listen::Wish& wish)
      : job_(job),
        wish_(wish),
        directions_(wish.direction.data(), wish.directions),
        lists_(job, wish.walk, wish.mode) {}

  Code run() {
    if (!take_memory()) return Code::kRefused;
    const Code code = hear_all();
    // Runs while the last message, and nodes that no step needs, are under way.
    const bool counted = code == Code::kFailed || words_.here == nullptr || tell_work();
    // No message, run or node that was run ahead may be under way when the program ends: their memory may
    // then belong to another job.
    lists_.drop_ahead();
    const bool sent = job_.stream().flush() == Status::kOk;
    const bool ended = lists_.wait() == Status::kOk;
    return counted && sent && ended ? code : Code::kFailed;
  }

 private:
  bool tell_work() {
    words_->work = lists_.work();
    if (lists_.give(words_, &words_->work, sizeof words_->work) != Status::kOk) return false;
    written();
    return true;
  }
  // What the encoder needs.
  bool take_memory() {
    return lists_.open(wish_.encoder, encoder_) && encoder_.pattern.symbols().empty() &&
           encoder_.pattern.nodes() <= wish_.nodes && lists_.take_memory(wish_.nodes);
  }
  // What comes behind it.
  bool take_memory_for_text() {
    words_ = lists_.share<listen::Words>(wish_.words);
    if (words_.here == nullptr) return false;
    words_->end = wish_.marks.end;
    publish(&words_->end, sizeof words_->end);
    if (!several_.open(lists_, wish_.several) || !one_.open(lists_, wish_.one) ||
        std::max(several_.list().pattern.nodes(), one_.list().pattern.nodes()) > wish_.nodes ||
        !following_.place(lists_, one_, "tokens", wish_.words + offsetof(listen::Words, token)))
      return false;
    auto* const memory = reinterpret_cast<Token*>(lists_.take(uint64_t{wish_.context} * 3 * sizeof(Token)));
    if (memory == nullptr) return false;
    before_ = {memory, speech::most_before(wish_.context)};
    said_ = {memory + wish_.context, speech::most_said(wish_.context)};
    given_ = {memory + 2 * wish_.context, wish_.context};
    before_.add({reinterpret_cast<const Token*>(&wish_ + 1), wish_.before});
    return true;
  }

  Code hear_all() {
    if (lists_.prepare(encoder_) != Status::kOk) return Code::kFailed;
    if (wish_.frame >= wish_.frames && !take_memory_for_text()) return Code::kRefused;
    uint64_t window = 0;
    for (uint64_t at = wish_.frame; at < wish_.frames; ++window) {
      if (const auto over = hear(at, window)) return *over;
      const uint64_t frames = std::min(wish_.window_frames, wish_.frames - at);
      const speech::End end = speech::end_of(said_.all(), at, frames, wish_.marks);
      if (wish_.goes_on == 0) {
        before_.clear();
      } else {
        before_.add(said_.all().first(end.kept));
      }
      at = end.next;
    }
    return Code::kAll;
  }

  Code lost() const { return cancelled() ? Code::kCancelled : Code::kFailed; }
  // The last token of a window interrupts the host, which finds the others by polling.
  bool send(const listen::Message& message) {
    return job_.stream().send(&message, sizeof message, message.given != 0);
  }

  // The window from a frame on, to its last token. Something: it is over.
  std::optional<Code> hear(uint64_t at, uint64_t window) {
    // Commands are complete in order: the encoder has its window, the decoder what the encoder made.
    if (at != wish_.placed || window != 0) {
      if (!wait_for_sound()) return Code::kCancelled;
      if (!copy(wish_.window, wish_.sound + at * wish_.frame_bytes, wish_.window_frames * wish_.frame_bytes))
        return Code::kFailed;
    }
    if (lists_.run(encoder_) != Status::kOk) return Code::kFailed;
    if (window == 0 && !take_memory_for_text()) return Code::kRefused;
    said_.clear();
    given_.clear();
    past_ = 0;
    if (before_.count() != 0) {
      given_.add(wish_.previous);
      given_.add(before_.all());
    }
    given_.add(directions_.front());
    const auto others = directions_.subspan(1);
    // Whether anybody speaks is asked behind the first direction: those logits stay.
    const auto has_place = [window] { return window - word(listen::kRead) < listen::kKept; };
    wait_until([&] { return has_place() || cancelled(); });
    if (!has_place()) return Code::kCancelled;
    const uint64_t kept = wish_.kept + window % listen::kKept * wish_.logits_bytes;
    const bool alone = given_.count() % listen::kMostTokens == 1;
    if (!(alone ? kept_one_.place(lists_, one_, "logits", kept)
                : kept_several_.place(lists_, several_, "logits", kept)))
      return Code::kRefused;
    if (!append(given_.all(), others.empty() ? following_ : step_for(others), true)) return Code::kFailed;
    if (!others.empty() && !append(others, following_)) return Code::kFailed;
    return say(at + wish_.window_frames < wish_.frames ? encoder_ : following_.list());
  }

  // False: the host cancels.
  static bool wait_for_sound() {
    const auto is_there = [] { return word(listen::kSound) != 0; };
    wait_until([&] { return is_there() || cancelled(); });
    return is_there();
  }

  // `next`: the list behind the window.
  std::optional<Code> say(const Lists::List& next) {
    for (;;) {
      if (cancelled()) return Code::kCancelled;
      constexpr uint64_t kChosenBytes = offsetof(listen::Words, work) - offsetof(listen::Words, token);
      if (lists_.fetch(words_, &words_->token, kChosenBytes) != Status::kOk) return lost();
      const Token token = words_->token;
      const bool ends = token == wish_.marks.end || is_last();
      const listen::Message chosen = {token, words_->log_probability, ends ? given_.count() : 0};
      if (ends || !lists_.defers()) {
        if (!send(chosen)) return lost();
      } else {
        later_ = chosen;
      }
      if (token != wish_.marks.end && said_.count() != speech::most_said(wish_.context)) said_.add(token);
      if (ends) {
        lists_.drop_ahead();
        return std::nullopt;
      }
      if (!give_ranges() || !pass(following_, 1, next, true)) return lost();
    }
  }
  // Whatever token is chosen, the text ends with it.
  bool is_last() const {
    return said_.count() == speech::most_said(wish_.context) ||
           given_.count() + directions_.size() + said_.count() >= wish_.context;
  }

  const Step& step_for(std::span<const Token> tokens) const { return tokens.size() == 1 ? one_ : several_; }

  const Step& last_step_for(std::span<const Token> tokens, bool keeps) const {
    if (!keeps) return step_for(tokens);
    return tokens.size() == 1 ? kept_one_ : kept_several_;
  }

  // Puts tokens behind the text; `next`: the step behind them. `keeps`: the logits behind them.
  bool append(std::span<const Token> tokens, const Step& next, bool keeps = false) {
    if (!give_ranges()) return false;
    while (!tokens.empty()) {
      const auto some = tokens.first(std::min<size_t>(tokens.size(), listen::kMostTokens));
      tokens = tokens.subspan(some.size());
      std::ranges::copy(some, words_->tokens.begin());
      if (lists_.give(words_, &words_->tokens, sizeof words_->tokens) != Status::kOk) return false;
      const auto more = tokens.first(std::min<size_t>(tokens.size(), listen::kMostTokens));
      const Step& step = last_step_for(some, keeps && tokens.empty());
      const Step& behind = tokens.empty() ? next : last_step_for(more, keeps && more.size() == tokens.size());
      if (!pass(step, some.size(), behind.list(), &behind == &following_)) return false;
    }
    return true;
  }
  // Of so many tokens. Meanwhile builds the list that will be run `next`. `chooses`: the token that follows
  // is said, so cores go on with it.
  bool pass(const Step& step, uint64_t rows, const Lists::List& next, bool chooses) {
    if (step.run(lists_, past_, rows, said_.count() != 0) != Status::kOk) return false;
    past_ += rows;
    if (lists_.prepare(next) != Status::kOk) return false;
    if (chooses && !is_last() && !run_ahead()) return false;
    if (later_ && !send(*later_)) return false;
    later_.reset();
    return lists_.wait() == Status::kOk;
  }

  // Begins the next step in advance; cores skip it if the token that is chosen now ends the text.
  bool run_ahead() {
    return following_.run_ahead(lists_, past_, wish_.words + offsetof(listen::Words, token)) == Status::kOk;
  }

  bool give_ranges() {
    words_->ranges = ranges();
    return lists_.give(words_, &words_->ranges, sizeof words_->ranges) == Status::kOk;
  }
  speech::RuledOut ranges() const {
    const speech::Allowed allowed = wish_.timestamps != 0 ? speech::allowed_after(said_.all(), wish_.marks)
                                                          : speech::allowed_without_timestamps(wish_.marks);
    return speech::ruled_out(allowed, wish_.marks.first_timestamp, wish_.vocabulary);
  }

  // Copies after all earlier runs; later runs see the copy, or are not run if it fails.
  static bool copy(uint64_t to, uint64_t from, uint64_t bytes) {
    return copy_device(to, from, bytes).status == Status::kOk;
  }

  Job& job_;
  const listen::Wish& wish_;
  const std::span<const Token> directions_;
  Lists lists_;
  Lists::Shared<listen::Words> words_;
  Lists::List encoder_;
  Step several_, one_, kept_several_, kept_one_;
  Step following_;  // of one token, which is the one that was chosen last
  Tokens before_, said_, given_;
  std::optional<listen::Message> later_;  // is sent while the next list runs
  uint64_t past_ = 0;
};

int run(Job& job) {
  const auto& wish = job.arguments<listen::Wish>();
  return is_good(job, wish) ? Listener(job, wish).run() : Code::kRefused;
}

}  // namespace

SWAI_PROGRAM(run)
