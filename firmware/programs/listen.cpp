// Transcribes a sound: goes from window to window, and in each from token to token, by lists of nodes that
// the host has made; sends what was chosen (abi/listen.hpp). Which tokens may follow, and where the next
// window begins, are rules in whole numbers. Whether a text is good enough its host decides, and cancels if
// it is not.
#include "abi/listen.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "swai/walk.hpp"

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

struct Lists {
  std::span<const listen::Formula> several;
  std::span<const listen::Formula> one;
  std::span<const Token> before;
};

// False: what is said about the arguments' length and what there is of them differ, or make no sense.
bool read(const Job& job, const listen::Wish& wish, Lists& lists) {
  const uint64_t bytes = sizeof wish +
                         (uint64_t{wish.several.parameters} + wish.one.parameters) * sizeof(listen::Formula) +
                         wish.before * uint64_t{sizeof(Token)};
  if (job.argument_bytes() < sizeof wish || bytes != job.argument_bytes()) return false;
  const auto* formulas = reinterpret_cast<const listen::Formula*>(&wish + 1);
  const auto* one = formulas + wish.several.parameters;
  lists = {{formulas, wish.several.parameters},
           {one, wish.one.parameters},
           {reinterpret_cast<const Token*>(one + wish.one.parameters), wish.before}};
  return wish.directions >= 1 && wish.directions <= listen::kMostDirections && wish.context >= 4 &&
         wish.several.parameters <= swai::node::kMaxParameters &&
         wish.one.parameters <= swai::node::kMaxParameters && wish.window_frames > 0;
}

class Listener {
 public:
  Listener(Job& job, const listen::Wish& wish, const Lists& lists)
      : job_(job),
        wish_(wish),
        lists_(lists),
        directions_(wish.direction.data(), wish.directions),
        parameters_(show<uint64_t>(wish.parameters)),
        words_(show<listen::Words>(wish.words)) {}

  Code run() {
    const uint64_t tokens = uint64_t{wish_.context} * 3;
    if (parameters_ == nullptr || words_ == nullptr || job_.heap_bytes() < tokens * sizeof(Token))
      return Code::kRefused;
    auto* memory = reinterpret_cast<Token*>(job_.heap());
    before_ = {memory, speech::most_before(wish_.context)};
    said_ = {memory + wish_.context, speech::most_said(wish_.context)};
    given_ = {memory + 2 * wish_.context, wish_.context};
    before_.add(lists_.before);
    uint64_t window = 0;
    for (uint64_t at = wish_.frame; at < wish_.frames; ++window) {
      if (const auto over = hear(at, window)) return *over;
      const uint64_t frames = std::min(wish_.window_frames, wish_.frames - at);
      const speech::End end = speech::end_of(said_.all(), at, frames, wish_.marks);
      if (!send({listen::Message::kWindowEnds, 0, 0})) return lost();
      if (wish_.goes_on == 0) {
        before_.clear();
      } else {
        before_.add(said_.all().first(end.kept));
      }
      at = end.next;
    }
    return job_.stream().flush() == Status::kOk ? Code::kAll : Code::kFailed;
  }

 private:
  Code lost() const { return cancelled() ? Code::kCancelled : Code::kFailed; }
  bool send(const listen::Message& message) { return job_.stream().send(&message, sizeof message); }

  // The window from a frame on, to its last token. Something: it is over.
  std::optional<Code> hear(uint64_t at, uint64_t window) {
    // Commands are complete in order: the encoder has its window, the decoder what the encoder made.
    copy(wish_.window, wish_.sound + at * wish_.frame_bytes, wish_.window_frames * wish_.frame_bytes);
    walk(wish_.walk, wish_.encoder.nodes, wish_.encoder.count, 0, 0);
    said_.clear();
    given_.clear();
    past_ = 0;
    if (before_.count() != 0) {
      given_.add(wish_.previous);
      given_.add(before_.all());
    }
    given_.add(directions_.front());
    if (!append(given_.all())) return Code::kFailed;
    // Whether anybody speaks is asked behind the first direction.
    while (window - word(listen::kRead) >= listen::kKept) {
      if (cancelled()) return Code::kCancelled;
      wait_told(notes().told);
    }
    copy(wish_.kept + window % listen::kKept * wish_.logits_bytes, wish_.logits, wish_.logits_bytes);
    if (directions_.size() > 1 && !append(directions_.subspan(1))) return Code::kFailed;
    return say();
  }

  std::optional<Code> say() {
    const uint32_t directed = given_.count() + static_cast<uint32_t>(directions_.size()) - 1;
    for (;;) {
      if (cancelled()) return Code::kCancelled;
      const Token token = words_->token;
      if (!send({listen::Message::kChosen, token, words_->log_probability})) return lost();
      if (token == wish_.marks.end || said_.count() == speech::most_said(wish_.context)) return std::nullopt;
      said_.add(token);
      if (directed + said_.count() >= wish_.context) return std::nullopt;
      if (!append({&token, 1})) return Code::kFailed;
    }
  }

  // Puts tokens behind the text, and has the one that follows chosen.
  bool append(std::span<const Token> tokens) {
    const speech::Allowed allowed = wish_.timestamps != 0 ? speech::allowed_after(said_.all(), wish_.marks)
                                                          : speech::allowed_without_timestamps(wish_.marks);
    words_->ranges = {0,
                      allowed.first,
                      wish_.marks.first_timestamp,
                      allowed.first_timestamp,
                      allowed.end_of_timestamps,
                      wish_.vocabulary};
    publish(&words_->ranges, sizeof words_->ranges);
    while (!tokens.empty()) {
      const auto some = tokens.first(std::min<size_t>(tokens.size(), listen::kMostTokens));
      std::ranges::copy(some, words_->tokens.begin());
      publish(&words_->tokens, sizeof words_->tokens);
      const bool single = some.size() == 1;
      if (!step(single ? wish_.one : wish_.several, single ? lists_.one : lists_.several, some.size()))
        return false;
      past_ += some.size();
      tokens = tokens.subspan(some.size());
    }
    look(&words_->token, sizeof(listen::Words) - offsetof(listen::Words, token));
    return true;
  }

  bool step(const listen::List& list, std::span<const listen::Formula> formulas, uint64_t rows) {
    const uint64_t begun = said_.count() == 0 ? 0 : 1;
    for (size_t i = 0; i < formulas.size(); ++i) parameters_[i] = formulas[i].at(past_, rows, begun);
    publish(parameters_, formulas.size() * sizeof *parameters_);
    return wait(walk(wish_.walk, list.nodes, list.count, wish_.parameters, list.parameters)) == Status::kOk;
  }

  static void copy(uint64_t to, uint64_t from, uint64_t bytes) {
    submit(swai::command::Type::kCopyDevice,
           swai::command::CopyDevice{{}, to, from, bytes, 1, swai::command::Engine::kBest, 0, 0});
  }

  Job& job_;
  const listen::Wish& wish_;
  const Lists& lists_;
  const std::span<const Token> directions_;
  uint64_t* const parameters_;
  listen::Words* const words_;
  Tokens before_, said_, given_;
  uint64_t past_ = 0;
};

int run(Job& job) {
  const auto& wish = job.arguments<listen::Wish>();
  Lists lists;
  if (!read(job, wish, lists)) return Code::kRefused;
  return Listener(job, wish, lists).run();
}

}  // namespace

SWAI_PROGRAM(run)
