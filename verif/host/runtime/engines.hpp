// SPDX-License-Identifier: Apache-2.0
// Copies on the card by an engine that the test names; not in the C interface.
#pragma once

#include <array>
#include <cstdint>

#include "host/runtime/copy.hpp"
#include "host/runtime/runtime.hpp"

namespace swai::sdaa {

inline constexpr std::array kAllEngines = {command::Engine::kBest, command::Engine::kProcessor,
                                           command::Engine::kCores, command::Engine::kHost,
                                           command::Engine::kRootComplex};

// In the default stream, complete on return; the stream is in order again after a failure.
inline sdaaError_t copy_by(command::Engine engine, void* to, const void* from, uint64_t bytes) {
  {
    auto use = Runtime::get().use_stream(nullptr);
    copy_on_card(use.writer(), reinterpret_cast<uintptr_t>(to), reinterpret_cast<uintptr_t>(from),
                 {bytes, 1, 0, 0}, engine);
  }
  const sdaaError_t error = sdaaStreamSynchronize(nullptr);
  if (error != sdaaSuccess) sdaaStreamReset(nullptr);
  return error;
}

}  // namespace swai::sdaa
