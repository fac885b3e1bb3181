// SPDX-License-Identifier: Apache-2.0
// Keeps supervisor interrupts out for the lifetime of an object.
#pragma once

#include "firmware/common/csr.hpp"

namespace swai::kernel {

class InterruptLock {
 public:
  InterruptLock() : were_on_(csr::read<csr::kSstatus>() & csr::kStatusSie) {
    csr::clear<csr::kSstatus>(csr::kStatusSie);
  }
  ~InterruptLock() { csr::set<csr::kSstatus>(were_on_); }
  InterruptLock(const InterruptLock&) = delete;
  InterruptLock& operator=(const InterruptLock&) = delete;

 private:
  uint64_t were_on_;
};

}  // namespace swai::kernel
