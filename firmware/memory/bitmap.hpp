// SPDX-License-Identifier: Apache-2.0
// Which blocks of a group are taken: one bit each. The first level of the allocator.
//
// Searching goes on where the last one ended (next fit), so that it seldom meets what is taken, and then from
// the beginning (first fit), so that it finds whatever there is. How many are free there is known as a rule:
// then there is nothing to search.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace swai::memory {

// `kBits` is a multiple of 64. All bits are taken at first.
template <unsigned kBits>
class Bitmap {
 public:
  static constexpr unsigned kNone = ~0u;

  // Bits 0 to count - 1 become free, those beyond do not exist.
  [[gnu::cold, gnu::noinline]] void init(unsigned count) {
    words_.fill(~uint64_t{0});
    count_ = count;
    cursor_ = 0;
    row_ = count;
    if (count != 0) change<false>(0, count);
    free_ = count;
  }

  unsigned size() const { return count_; }
  unsigned free() const { return free_; }
  // The first that is taken, from `bit` on; size(): none.
  unsigned next_taken(unsigned bit) const { return next(bit, count_, true); }
  bool taken(unsigned bit) const { return (words_[bit / 64] >> (bit % 64) & 1) != 0; }

  // The first of `length` bits in a row, which are taken now; kNone: there are none.
  [[gnu::always_inline]] unsigned take(unsigned length) {
    if (length > row_ || length == 0) [[unlikely]] {
      if (!search(length)) return kNone;
    }
    const unsigned first = cursor_;
    change<true>(first, length);
    free_ -= length;
    row_ -= length;
    cursor_ = first + length;
    return first;
  }

  // Bits that were taken.
  void give_back(unsigned first, unsigned length) {
    change<false>(first, length);
    free_ += length;
  }

  // The longest row of free bits.
  [[gnu::cold, gnu::noinline]] unsigned longest() const {
    unsigned best = 0;
    for (unsigned bit = next(0, count_, false); bit < count_;) {
      const unsigned end = next(bit, count_, true);
      best = std::max(best, end - bit);
      bit = next(end, count_, false);
    }
    return best;
  }

 private:
  template <bool kTake>
  [[gnu::always_inline]] void change(size_t first, size_t length) {
    const auto set = [this](size_t index, uint64_t mask) {
      words_[index] = kTake ? words_[index] | mask : words_[index] & ~mask;
    };
    constexpr uint64_t kAll = ~uint64_t{0};
    const size_t end = first + length - 1;  // the last bit
    const size_t last = end / 64;
    size_t index = first / 64;
    if (index == last) return set(index, kAll >> (64 - length) << first % 64);
    set(index++, kAll << first % 64);
    // A large allocation is to take nearly as long as a small one.
    for (; index + 4 <= last; index += 4) {
      for (size_t i = 0; i < 4; ++i) set(index + i, kAll);
    }
    for (; index < last; ++index) set(index, kAll);
    set(last, kAll >> (63 - end % 64));
  }

  // Moves the cursor to a row that is long enough, if there is one.
  [[gnu::noinline]] bool search(unsigned length) {
    if (length == 0 || length > free_) return false;
    unsigned first = find(cursor_, count_, length);
    if (first == kNone) first = find(0, std::min(count_, cursor_ + length - 1), length);
    if (first == kNone) return false;
    cursor_ = first;
    row_ = next(first + length, count_, true) - first;
    return true;
  }

  // The first bit from `bit` on that is taken, or free; `end`: none before it.
  unsigned next(unsigned bit, unsigned end, bool taken) const {
    if (bit >= end) return end;
    const uint64_t wrong = taken ? 0 : ~uint64_t{0};
    uint64_t word = (words_[bit / 64] ^ wrong) >> (bit % 64);
    if (word == 0) {
      const unsigned words = (end + 63) / 64;
      unsigned index = bit / 64 + 1;
      const auto differ = [&](unsigned i) { return words_[index + i] ^ wrong; };
      while (index + 4 <= words && (differ(0) | differ(1) | differ(2) | differ(3)) == 0) index += 4;
      while (index < words && words_[index] == wrong) ++index;
      if (index == words) return end;
      bit = index * 64;
      word = words_[index] ^ wrong;
    }
    return std::min(end, bit + static_cast<unsigned>(std::countr_zero(word)));
  }

  unsigned find(unsigned from, unsigned end, unsigned length) const {
    unsigned bit = next(from, end, false);
    while (end - bit >= length) {
      const unsigned taken = next(bit, bit + length, true);
      if (taken == bit + length) return bit;
      bit = next(taken, end, false);
    }
    return kNone;
  }

  alignas(64) std::array<uint64_t, kBits / 64> words_;
  unsigned count_;
  unsigned cursor_;  // where the last row that was taken ended
  unsigned row_;     // so many from there on are free, and perhaps more
  unsigned free_;
};

}  // namespace swai::memory
