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
    while (bit < end) {
      const uint64_t word = (taken ? words_[bit / 64] : ~words_[bit / 64]) >> (bit % 64);
      if (word != 0) return std::min(end, bit + static_cast<unsigned>(std::countr_zero(word)));
      bit = (bit / 64 + 1) * 64;
    }
    return end;
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
    while (length != 0) {
      const unsigned offset = first % 64;
      const unsigned part = std::min(64 - offset, length);
      const uint64_t mask = (part == 64 ? ~uint64_t{0} : (uint64_t{1} << part) - 1) << offset;
      if constexpr (kTake) {
        words_[first / 64] |= mask;
      } else {
        words_[first / 64] &= ~mask;
      }
      first += part;
      length -= part;
    }
  }

  alignas(64) std::array<uint64_t, kBits / 64> words_;
  unsigned count_;
  unsigned cursor_;
  unsigned free_;
};

}  // namespace swai::memory
