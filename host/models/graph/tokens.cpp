// SPDX-License-Identifier: Apache-2.0
#include "host/models/graph/tokens.hpp"

#include <fmt/format.h>

#include <set>

namespace swai::graph {
namespace {

constexpr size_t kMaxText = size_t{4} << 20;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c); }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<Token> all() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        if (depth_ == 0 && !tokens_.empty() && tokens_.back().kind != Token::Kind::kLineEnd) {
          take(Token::Kind::kLineEnd, 1);
        } else {
          ++at_;
        }
        ++place_.line;
        place_.column = 1;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        skip(1);
      } else if (c == '#') {
        skip(std::min(text_.find('\n', at_), text_.size()) - at_);
      } else if (is_digit(c)) {
        take(Token::Kind::kNumber, number_length());
      } else if (is_word(c)) {
        take(Token::Kind::kWord, word_length());
      } else {
        take_sign(c);
      }
    }
    take(Token::Kind::kLineEnd, 0);
    take(Token::Kind::kEnd, 0);
    return std::move(tokens_);
  }

 private:
  void skip(size_t count) {
    at_ += count;
    place_.column += static_cast<int>(count);
  }

  void take(Token::Kind kind, size_t length) {
    tokens_.push_back({kind, text_.substr(at_, length), place_, at_ == last_end_});
    skip(length);
    last_end_ = at_;
  }

  void take_sign(char c) {
    static constexpr std::string_view kSigns = "()[]{},:=+-*/.";
    if (kSigns.find(c) == std::string_view::npos) {
      throw GraphError(place_, c > ' ' && c <= '~' ? fmt::format("'{}' means nothing here", c)
                                                   : "a character that graph text does not have");
    }
    if (c == '(' || c == '[') ++depth_;
    if ((c == ')' || c == ']') && depth_ > 0) --depth_;
    take(Token::Kind::kSign, text_.substr(at_, 2) == ".." ? 2 : 1);
  }

  // Loops number the values of their turns: x'3.
  size_t word_length() const {
    size_t length = 1;
    while (at_ + length < text_.size() && (is_word(text_[at_ + length]) || text_[at_ + length] == '\''))
      ++length;
    return length;
  }

  // 12, 0.5, 1e-5; of "0 .. 6" and "0..6" the first number ends before the dots.
  size_t number_length() const {
    const auto next = [&](size_t length) { return at_ + length < text_.size() ? text_[at_ + length] : '\n'; };
    size_t length = 1;
    while (is_digit(next(length))) ++length;
    if (next(length) == '.' && is_digit(next(length + 1))) {
      ++length;
      while (is_digit(next(length))) ++length;
    }
    if (next(length) == 'e') {
      const size_t sign = next(length + 1) == '-' || next(length + 1) == '+' ? 1 : 0;
      if (is_digit(next(length + 1 + sign))) {
        length += 1 + sign;
        while (is_digit(next(length))) ++length;
      }
    }
    return length;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t last_end_ = 0;
  Place place_;
  int depth_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

bool is_keyword(std::string_view word) {
  static const std::set<std::string_view> kKeywords = {"graph",  "size",   "input",  "weight", "state",
                                                       "output", "buffer", "repeat", "with",   "next",
                                                       "in",     "packed", "split"};
  return kKeywords.contains(word);
}

std::vector<Token> tokens_of(std::string_view text) {
  if (text.size() > kMaxText) throw GraphError({}, "the text is longer than 4 MiB");
  return Scanner(text).all();
}

}  // namespace swai::graph
