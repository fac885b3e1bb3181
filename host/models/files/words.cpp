// SPDX-License-Identifier: Apache-2.0
#include "host/models/files/words.hpp"

#include <algorithm>
#include <span>

#include "build/gen/unicode_ranges.hpp"
#include "host/lib/utf8.hpp"

namespace swai::models {
namespace {

enum class Class : uint8_t { kLetter, kNumber, kSpace, kOther };

bool in(std::span<const unicode::Range> ranges, uint32_t code) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), code,
                                      [](uint32_t c, const unicode::Range& r) { return c < r.first; });
  return after != ranges.begin() && code <= std::prev(after)->last;
}

Class class_of(uint32_t code) {
  if (in(unicode::kLetters, code)) return Class::kLetter;
  if (in(unicode::kNumbers, code)) return Class::kNumber;
  if (in(unicode::kSpaces, code)) return Class::kSpace;
  return Class::kOther;
}

class Cutter {
 public:
  explicit Cutter(std::string_view text) : text_(text) {}

  void cut(std::vector<std::string_view>& words) {
    while (at_ < text_.size()) {
      const size_t end = word_end();
      words.push_back(text_.substr(at_, end - at_));
      at_ = end;
    }
  }

 private:
  Class class_at(size_t at) const { return class_of(common::character_at(text_, at).code); }
  size_t next(size_t at) const { return at + common::character_at(text_, at).bytes; }
  size_t end_of(Class wanted, size_t at) const {
    while (at < text_.size() && class_at(at) == wanted) at = next(at);
    return at;
  }

  size_t word_end() const {
    for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
      if (text_.substr(at_).starts_with(ending)) return at_ + ending.size();
    const bool space = text_[at_] == ' ' && at_ + 1 < text_.size();
    const size_t first = space ? at_ + 1 : at_;
    if (const Class is = class_at(first); is != Class::kSpace) return end_of(is, first);
    // Spaces: the last one belongs to the word that follows.
    const size_t end = end_of(Class::kSpace, at_);
    if (end == text_.size()) return end;
    size_t last = at_;
    for (size_t at = at_; at < end; at = next(at)) last = at;
    return last > at_ ? last : end;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::vector<std::string_view> cut_words(std::string_view text, Splitter splitter) {
  std::vector<std::string_view> words;
  if (splitter == Splitter::kGpt2) {
    Cutter(text).cut(words);
    return words;
  }
  // Digits one by one, and what lies between them as if it were alone.
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const common::Character one = common::character_at(text, at);
    if (class_of(one.code) == Class::kNumber) {
      Cutter(text.substr(begin, at - begin)).cut(words);
      words.push_back(text.substr(at, one.bytes));
      begin = at + one.bytes;
    }
    at += one.bytes;
  }
  Cutter(text.substr(begin)).cut(words);
  return words;
}

}  // namespace swai::models
