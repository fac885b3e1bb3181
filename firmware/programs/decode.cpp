// SPDX-License-Identifier: Apache-2.0
// Generates: goes through a list of nodes once for each token, of one text or of several at once, changes
// what changes from step to step, and sends the tokens to the host (abi/decode.hpp).
#include "abi/decode.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "swai/walk.hpp"

namespace {

using namespace swai::program;
namespace decode = swai::decode;

struct Lists {
  std::span<const decode::Phase> phases;
  std::span<const decode::Increment> increments;
  std::span<const decode::Text> texts;
  std::span<const uint32_t> ends;
};

// False: what is said about the arguments' length and what there is of them differ, or make no sense.
bool read(const Job& job, const decode::Wish& wish, Lists& lists) {
  if (job.argument_bytes() < sizeof wish) return false;
  const uint64_t bytes = sizeof wish + wish.phases * uint64_t{sizeof(decode::Phase)} +
                         wish.increments * uint64_t{sizeof(decode::Increment)} +
                         wish.texts * uint64_t{sizeof(decode::Text)} + wish.ends * uint64_t{sizeof(uint32_t)};
  if (bytes != job.argument_bytes() || wish.texts == 0 || wish.texts > decode::kMostTexts) return false;
  // Texts that share a run are told apart by their positions.
  if (wish.texts > 1 && wish.positions == 0) return false;
  const auto* phases = reinterpret_cast<const decode::Phase*>(&wish + 1);
  const auto* increments = reinterpret_cast<const decode::Increment*>(phases + wish.phases);
  const auto* texts = reinterpret_cast<const decode::Text*>(increments + wish.increments);
  lists = {{phases, wish.phases},
           {increments, wish.increments},
           {texts, wish.texts},
           {reinterpret_cast<const uint32_t*>(texts + wish.texts), wish.ends}};
  const auto names_all = [&](const decode::Phase& phase) {
    return phase.count != 0 && phase.first_increment <= wish.increments &&
           phase.increments <= wish.increments - phase.first_increment &&
           (phase.text < wish.texts || phase.text == decode::kAllTexts);
  };
  const auto is_there = [&](const decode::Increment& one) { return one.parameter < wish.parameter_count; };
  const auto has_place = [&](const decode::Text& text) {
    return wish.said == 0 || text.limit < wish.said_tokens;
  };
  return std::ranges::all_of(lists.phases, names_all) && std::ranges::all_of(lists.increments, is_there) &&
         std::ranges::all_of(lists.texts, has_place);
}

class Decode {
 public:
  Decode(Job& job, const decode::Wish& wish, const Lists& lists)
      : job_(job),
        wish_(wish),
        lists_(lists),
        parameters_(wish.parameter_count == 0 ? nullptr : show<uint64_t>(wish.parameters)),
        tokens_(show<uint32_t>(wish.tokens)),
        positions_(wish.positions == 0 ? nullptr : show<uint32_t>(wish.positions)),
        said_(wish.said == 0 ? nullptr : show<uint32_t>(wish.said)) {
    std::ranges::copy(lists.texts, texts_.begin());
    for (const decode::Text& text : lists.texts) past_ = std::max(past_, text.position);
  }

  decode::Code run() {
    if (tokens_ == nullptr || (wish_.parameter_count != 0 && parameters_ == nullptr) ||
        (wish_.positions != 0 && positions_ == nullptr) || (wish_.said != 0 && said_ == nullptr))
      return decode::kRefused;
    for (const decode::Phase& phase : lists_.phases) {
      for (uint32_t i = 0; i < phase.steps; ++i) {
        if (cancelled()) return decode::kCancelled;
        if (have_all_ended()) return flush(decode::kEnd);
        if (phase.text == decode::kAllTexts && !place()) break;
        if (const auto over = phase.text == decode::kAllTexts ? step_of_all(phase) : step_of_one(phase))
          return *over;
      }
    }
    return flush(have_all_ended() ? decode::kEnd : decode::kAll);
  }

 private:
  decode::Code flush(decode::Code code) const {
    return job_.stream().flush() == Status::kOk ? code : decode::kFailed;
  }

  // Nothing: the next step follows.
  std::optional<decode::Code> step_of_one(const decode::Phase& phase) {
    if (!has_ended(phase.text)) {
      if (!walk_list(phase)) return decode::kFailed;
      look(tokens_, wish_.texts * sizeof *tokens_);
      if (phase.token == decode::Token::kText) keep(phase.text);
      if (const auto over = send(phase, phase.text)) return over;
    }
    change(phase, 1);
    return std::nullopt;
  }
  std::optional<decode::Code> step_of_all(const decode::Phase& phase) {
    const uint32_t past = longest();
    change(phase, uint64_t{past} - past_);
    past_ = past;
    if (!walk_list(phase)) return decode::kFailed;
    look(tokens_, wish_.texts * sizeof *tokens_);
    for (uint32_t text = 0; text < wish_.texts; ++text) {
      if (!goes_on(text)) continue;
      ++texts_[text].position;
      keep(text);
      if (const auto over = send(phase, text)) return over;
    }
    return std::nullopt;
  }

  bool walk_list(const decode::Phase& phase) {
    const uint32_t each = wish_.launches == swai::building::Launches::kList ? phase.count : 1;
    Ticket last;
    for (uint32_t first = 0; first != phase.count; first += each) {
      last = walk(wish_.walk, phase.list + uint64_t{first} * swai::node::kNodeBytes, each, wish_.parameters,
                  wish_.parameter_count);
      if (last.status != Status::kOk) return false;
    }
    return wait(last) == Status::kOk;
  }
  void change(const decode::Phase& phase, uint64_t times) {
    for (const decode::Increment& one : lists_.increments.subspan(phase.first_increment, phase.increments))
      parameters_[one.parameter] += one.by * times;
    publish(parameters_, wish_.parameter_count * sizeof *parameters_);
  }
  // Decides which texts take part in the next step, and tells the cores. False: there are none.
  bool place() {
    // What the host tells later counts from the step behind it on.
    const uint64_t ended_now = ended();
    going_on_ = 0;
    for (uint32_t text = 0; text < wish_.texts; ++text)
      if ((ended_now >> text & 1) == 0 && texts_[text].position < texts_[text].limit)
        going_on_ |= uint64_t{1} << text;
    if (positions_ != nullptr) {
      for (uint32_t text = 0; text < wish_.texts; ++text)
        positions_[text] = goes_on(text) ? texts_[text].position : decode::kNoText;
      publish(positions_, wish_.texts * sizeof *positions_);
    }
    return going_on_ != 0;
  }
  // Where the cores read what a text has already.
  void keep(uint32_t text) const {
    if (said_ == nullptr) return;
    uint32_t* const place = said_ + uint64_t{text} * wish_.said_tokens + texts_[text].position;
    look(place, sizeof *place);
    *place = tokens_[text];
    publish(place, sizeof *place);
  }
  bool goes_on(uint32_t text) const { return (going_on_ >> text & 1) != 0; }
  uint32_t longest() const {
    uint32_t position = 0;
    for (uint32_t text = 0; text < wish_.texts; ++text)
      if (goes_on(text)) position = std::max(position, texts_[text].position);
    return position;
  }
  std::optional<decode::Code> send(const decode::Phase& phase, uint32_t text) {
    const decode::Message message = {text, tokens_[text]};
    if (phase.token == decode::Token::kText && std::ranges::count(lists_.ends, message.token))
      ended_ |= uint64_t{1} << text;
    if (job_.stream().send(&message, sizeof message)) return std::nullopt;
    return cancelled() ? decode::kCancelled : decode::kFailed;
  }
  uint64_t ended() const { return ended_ | word(decode::kUnwanted); }
  bool has_ended(uint32_t text) const { return (ended() >> text & 1) != 0; }
  bool have_all_ended() const {
    const uint64_t all = ~uint64_t{0} >> (decode::kMostTexts - wish_.texts);
    return (ended() & all) == all;
  }

  Job& job_;
  const decode::Wish& wish_;
  const Lists& lists_;
  uint64_t* const parameters_;
  const volatile uint32_t* const tokens_;
  uint32_t* const positions_;
  uint32_t* const said_;
  std::array<decode::Text, decode::kMostTexts> texts_ = {};
  uint32_t past_ = 0;  // that the parameters of runs for all texts are for
  // Texts, a bit for each.
  uint64_t ended_ = 0;
  uint64_t going_on_ = 0;
};

int run(Job& job) {
  const auto& wish = job.arguments<decode::Wish>();
  Lists lists;
  if (!read(job, wish, lists)) return decode::kRefused;
  return Decode(job, wish, lists).run();
}

}  // namespace

SWAI_PROGRAM(run)
