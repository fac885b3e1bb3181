// SPDX-License-Identifier: Apache-2.0
// A copy to the card that runs while the host issues other requests.
#pragma once

#include "host/models/exec/card_memory.hpp"

namespace swai::walk {

class EarlyCopy {
 public:
  // `bytes`: maximum size of a copy.
  EarlyCopy(std::string what, size_t bytes);
  EarlyCopy(const EarlyCopy&) = delete;
  EarlyCopy& operator=(const EarlyCopy&) = delete;
  ~EarlyCopy();

  // Copies `contents` to pinned memory and starts the transfer. The previous transfer must have ended.
  void begin(const CardMemory& to, std::span<const uint8_t> contents, size_t at);
  // Waits until the bytes have arrived.
  void wait();

 private:
  std::string what_;
  size_t bytes_;
  void* here_ = nullptr;  // pinned
  sdaaStream_t stream_ = nullptr;
};

}  // namespace swai::walk
