// SPDX-License-Identifier: Apache-2.0
// A limit in bytes that several holders share. Safe for use by several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace swai::http {

class Budget {
 public:
  explicit Budget(size_t bytes) : left_(std::make_shared<std::atomic<size_t>>(bytes)) {}

  // The bytes that one holder has taken; its destructor returns them. May outlive the budget.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept : left_(std::move(other.left_)), bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(left_, other.left_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() {
      if (left_) *left_ += bytes_;
    }

    size_t bytes() const { return bytes_; }

   private:
    friend class Budget;
    std::shared_ptr<std::atomic<size_t>> left_;
    size_t bytes_ = 0;
  };

  // Adds to a share. False: fewer bytes are left, and nothing has changed.
  bool take(Share& share, size_t bytes) {
    size_t left = *left_;
    do {
      if (left < bytes) return false;
    } while (!left_->compare_exchange_weak(left, left - bytes));
    share.left_ = left_;
    share.bytes_ += bytes;
    return true;
  }

 private:
  std::shared_ptr<std::atomic<size_t>> left_;
};

}  // namespace swai::http
