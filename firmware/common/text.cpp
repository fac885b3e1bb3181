// SPDX-License-Identifier: Apache-2.0
#include "firmware/common/text.hpp"

#include <algorithm>
#include <array>

namespace swai::fw {
namespace {

// Writes digits from the end of a buffer towards its start.
class Digits {
 public:
  void push(char digit) { buffer_[--first_] = digit; }
  size_t size() const { return buffer_.size() - first_; }
  std::string_view text() const { return {buffer_.data() + first_, size()}; }

 private:
  std::array<char, 24> buffer_;
  size_t first_ = buffer_.size();
};

}  // namespace

void put(Out& out, std::string_view text) { out.put(text); }

void put(Out& out, char character) { out.put({&character, 1}); }

void put(Out& out, Hex number) {
  Digits digits;
  do {
    digits.push("0123456789abcdef"[number.value & 15]);
    number.value >>= 4;
  } while (number.value != 0 || digits.size() < number.digits);
  out.put("0x");
  out.put(digits.text());
}

void put(Out& out, Padded number) {
  Digits digits;
  do {
    digits.push(static_cast<char>('0' + number.value % 10));
    number.value /= 10;
  } while (number.value != 0);
  while (digits.size() < number.width) digits.push(number.fill);
  out.put(digits.text());
}

void put(Out& out, Field field) {
  std::array<char, 64> printable;
  const size_t most = std::min(field.text.size(), printable.size());
  size_t length = 0;
  for (; length < most && field.text[length] != 0; ++length) {
    const char character = field.text[length];
    printable[length] = character < ' ' || character > '~' ? '?' : character;
  }
  out.put({printable.data(), length});
}

}  // namespace swai::fw
