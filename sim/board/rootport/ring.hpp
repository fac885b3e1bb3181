// SPDX-License-Identifier: Apache-2.0
// A queue in one block of memory: large items are not allocated one by one, and places are used again.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace swai::rootport {

template <typename T>
class Ring {
 public:
  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }
  T& operator[](size_t index) { return places_[(first_ + index) & (places_.size() - 1)]; }
  const T& operator[](size_t index) const { return places_[(first_ + index) & (places_.size() - 1)]; }
  T& front() { return places_[first_]; }
  const T& front() const { return places_[first_]; }
  T& back() { return (*this)[count_ - 1]; }
  // A new last item, with whatever an earlier one has left there.
  T& push() {
    if (count_ == places_.size()) grow();
    ++count_;
    return back();
  }
  void pop() {
    first_ = (first_ + 1) & (places_.size() - 1);
    --count_;
  }
  void clear() { first_ = count_ = 0; }

 private:
  void grow() {
    std::vector<T> larger(places_.empty() ? 8 : places_.size() * 2);
    for (size_t i = 0; i < count_; ++i) larger[i] = std::move((*this)[i]);
    places_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> places_;
  size_t first_ = 0;
  size_t count_ = 0;
};

}  // namespace swai::rootport
