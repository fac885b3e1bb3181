// Which blocks of a group are taken: one bit each. The first level of the allocator.
//
// Searching goes on where the last one ended (next fit), so that it seldom meets what is taken, and then from
// the beginning (first fit), so that it finds whatever there is.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace swai::memory {

// `kBits` is a multiple of 64. All bits are taken at first.
template <unsigned kBits>
class Bitmap {
 public:
  static constexpr unsigned kNone = ~0u;

  // Bits 0 to count - 1 become free, those beyond do not exist.
  void init(unsigned count) {
    words_.fill(~uint64_t{0});
    count_ = count;
    cursor_ = 0;
    change<false>(0, count);
    free_ = count;
  }

  unsigned size() const { return count_; }
  unsigned free() const { return free_; }
  bool taken(unsigned bit) const { return (words_[bit / 64] >> (bit % 64) & 1) != 0; }

  // The first of `length` bits in a row, which are taken now; kNone: there are none.
  unsigned take(unsigned length) {
    if (length == 0 || length > free_) return kNone;
    unsigned first = find(cursor_, count_, length);
    if (first == kNone && cursor_ != 0) first = find(0, std::min(count_, cursor_ + length - 1), length);
    if (first == kNone) return kNone;
    change<true>(first, length);
    free_ -= length;
    cursor_ = first + length == count_ ? 0 : first + length;
    return first;
  }

  // The same for a single one.
  unsigned take_one() {
    if (free_ == 0) return kNone;
    unsigned bit = next(cursor_, count_, false);
    if (bit == count_) bit = next(0, count_, false);
    words_[bit / 64] |= uint64_t{1} << (bit % 64);
    --free_;
    cursor_ = bit + 1 == count_ ? 0 : bit + 1;
    return bit;
  }

  // Bits that were taken.
  void give_back(unsigned first, unsigned length) {
    change<false>(first, length);
    free_ += length;
  }

  // The longest row of free bits.
  unsigned longest() const {
    unsigned best = 0;
    for (unsigned bit = next(0, count_, false); bit < count_;) {
      const unsigned end = next(bit, count_, true);
      best = std::max(best, end - bit);
      bit = next(end, count_, false);
    }
    return best;
  }

 private:
  // The first bit from `bit` on that is taken, or free; `end`: none before it.
  unsigned next(unsigned bit, unsigned end, bool taken) const {
    if (bit >= end) return end;
    const uint64_t wrong = taken ? 0 : ~uint64_t{0};
    uint64_t word = (words_[bit / 64] ^ wrong) >> (bit % 64);
    if (word == 0) {
      const unsigned words = (end + 63) / 64;
      unsigned index = bit / 64 + 1;
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

  template <bool kTake>
  void change(unsigned first, unsigned length) {
    const auto set = [this](unsigned index, uint64_t mask) {
      words_[index] = kTake ? words_[index] | mask : words_[index] & ~mask;
    };
    constexpr uint64_t kAll = ~uint64_t{0};
    unsigned index = first / 64;
    const unsigned offset = first % 64;
    if (offset + length <= 64) {
      if (length != 0) set(index, kAll >> (64 - length) << offset);
      return;
    }
    set(index++, kAll << offset);
    for (length -= 64 - offset; length >= 64; length -= 64) words_[index++] = kTake ? kAll : 0;
    if (length != 0) set(index, kAll >> (64 - length));
  }

  alignas(64) std::array<uint64_t, kBits / 64> words_;
  unsigned count_;
  unsigned cursor_;
  unsigned free_;
};

}  // namespace swai::memory
