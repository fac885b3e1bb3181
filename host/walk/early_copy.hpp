// SPDX-License-Identifier: Apache-2.0
// A copy to the card that runs while the host asks for other things.
#pragma once

#include "host/walk/card_memory.hpp"

namespace swai::walk {

class EarlyCopy {
 public:
  // `bytes`: of a copy at most.
  EarlyCopy(std::string what, size_t bytes);
  EarlyCopy(const EarlyCopy&) = delete;
  EarlyCopy& operator=(const EarlyCopy&) = delete;
  ~EarlyCopy();

  // Takes a copy of `contents`. The copy begun before must have ended.
  void begin(const CardMemory& to, std::span<const uint8_t> contents, size_t at);
  // Until the bytes are there.
  void wait();

 private:
  std::string what_;
  size_t bytes_;
  void* here_ = nullptr;  // pinned
  sdaaStream_t stream_ = nullptr;
};

}  // namespace swai::walk
