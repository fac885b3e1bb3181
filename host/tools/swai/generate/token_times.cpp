// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/generate/token_times.hpp"

#include <utility>

namespace swai::cli {

void TokenTimes::begin(size_t texts, size_t prompt_tokens) {
  prefill_.tokens += prompt_tokens;
  begun_.assign(texts, false);
  waiting_ = texts;
  last_ = Clock::now();
}

void TokenTimes::got(size_t text) {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  (waiting_ != 0 ? prefill_ : decode_).seconds += seconds;
  if (begun_.at(text)) {
    ++decode_.tokens;
  } else {
    begun_[text] = true;
    --waiting_;
  }
}

void TimedText::generate(std::span<const models::Token> tokens, uint64_t most,
                         std::span<const models::Token> ends, const Got& got) {
  times_.begin(1, tokens.size());
  text_.generate(tokens, most, ends, [&](models::Token token) {
    times_.got(0);
    return got(token);
  });
}

}  // namespace swai::cli
