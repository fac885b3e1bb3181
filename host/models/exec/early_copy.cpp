// SPDX-License-Identifier: Apache-2.0
#include "host/models/exec/early_copy.hpp"

#include <algorithm>
#include <utility>

namespace swai::walk {

EarlyCopy::EarlyCopy(std::string what, size_t bytes) : what_(std::move(what)), bytes_(bytes) {
  check(sdaaStreamCreateWithFlags(&stream_, sdaaStreamNonBlocking), what_);
  const sdaaError_t error = sdaaMallocHost(&here_, bytes);
  if (error != sdaaSuccess) static_cast<void>(sdaaStreamDestroy(stream_));
  check(error, what_);
}

EarlyCopy::~EarlyCopy() {
  static_cast<void>(sdaaStreamSynchronize(stream_));
  static_cast<void>(sdaaStreamDestroy(stream_));
  static_cast<void>(sdaaFreeHost(here_));
}

void EarlyCopy::begin(const CardMemory& to, std::span<const uint8_t> contents, size_t at) {
  if (contents.size() > bytes_) throw std::logic_error(what_ + ": more bytes than an early copy can have");
  std::ranges::copy(contents, static_cast<uint8_t*>(here_));
  check(
      sdaaMemcpyAsync(to.place(at, contents.size()), here_, contents.size(), sdaaMemcpyHostToDevice, stream_),
      what_);
}

void EarlyCopy::wait() { check(sdaaStreamSynchronize(stream_), what_); }

}  // namespace swai::walk
