// Generates: goes through a list of nodes once for each token, changes what changes from step to step, and
// sends the tokens to the host (abi/decode.hpp).
#include "abi/decode.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "swai/walk.hpp"

namespace {

using namespace swai::program;
namespace decode = swai::decode;

struct Lists {
  std::span<const decode::Phase> phases;
  std::span<const decode::Increment> increments;
  std::span<const uint32_t> ends;
};

// False: what is said about the arguments' length and what there is of them differ.
bool read(const Job& job, const decode::Wish& wish, Lists& lists) {
  const uint64_t bytes = sizeof wish + wish.phases * uint64_t{sizeof(decode::Phase)} +
                         wish.increments * uint64_t{sizeof(decode::Increment)} +
                         wish.ends * uint64_t{sizeof(uint32_t)};
  if (job.argument_bytes() < sizeof wish || bytes != job.argument_bytes()) return false;
  const auto* phases = reinterpret_cast<const decode::Phase*>(&wish + 1);
  const auto* increments = reinterpret_cast<const decode::Increment*>(phases + wish.phases);
  lists = {{phases, wish.phases},
           {increments, wish.increments},
           {reinterpret_cast<const uint32_t*>(increments + wish.increments), wish.ends}};
  const auto names_all = [&](const decode::Phase& phase) {
    return phase.first_increment <= wish.increments &&
           phase.increments <= wish.increments - phase.first_increment;
  };
  const auto is_there = [&](const decode::Increment& one) { return one.parameter < wish.parameter_count; };
  return std::ranges::all_of(lists.phases, names_all) && std::ranges::all_of(lists.increments, is_there);
}

class Decode {
 public:
  Decode(Job& job, const decode::Wish& wish, const Lists& lists)
      : job_(job),
        wish_(wish),
        lists_(lists),
        parameters_(wish.parameter_count == 0 ? nullptr : show<uint64_t>(wish.parameters)),
        token_(show<uint32_t>(wish.token)) {}

  decode::Code run() {
    if (token_ == nullptr || (wish_.parameter_count != 0 && parameters_ == nullptr)) return decode::kRefused;
    for (const decode::Phase& phase : lists_.phases) {
      for (uint32_t i = 0; i < phase.steps; ++i) {
        if (cancelled()) return decode::kCancelled;
        if (const auto over = step(phase)) return *over;
      }
    }
    return job_.stream().flush() == Status::kOk ? decode::kAll : decode::kFailed;
  }

 private:
  // Nothing: the next step follows.
  std::optional<decode::Code> step(const decode::Phase& phase) {
    if (wait(walk(wish_.walk, phase.list, phase.count, wish_.parameters, wish_.parameter_count)) !=
        Status::kOk)
      return decode::kFailed;
    change(lists_.increments.subspan(phase.first_increment, phase.increments));
    look(token_, sizeof *token_);
    const uint32_t token = *token_;
    if (!job_.stream().send(&token, sizeof token)) return cancelled() ? decode::kCancelled : decode::kFailed;
    if (phase.token == decode::Token::kProgress || !std::ranges::count(lists_.ends, token))
      return std::nullopt;
    return job_.stream().flush() == Status::kOk ? decode::kEnd : decode::kFailed;
  }
  void change(std::span<const decode::Increment> increments) {
    for (const decode::Increment& one : increments) parameters_[one.parameter] += one.by;
    publish(parameters_, wish_.parameter_count * sizeof *parameters_);
  }

  Job& job_;
  const decode::Wish& wish_;
  const Lists& lists_;
  uint64_t* const parameters_;
  const volatile uint32_t* const token_;
};

int run(Job& job) {
  const auto& wish = job.arguments<decode::Wish>();
  Lists lists;
  if (!read(job, wish, lists)) return decode::kRefused;
  return Decode(job, wish, lists).run();
}

}  // namespace

SWAI_PROGRAM(run)
