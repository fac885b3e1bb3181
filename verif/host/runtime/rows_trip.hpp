// SPDX-License-Identifier: Apache-2.0
// Rows there and back on a stream, of random shape. What lies between and behind them stays as it was.
#pragma once

#include <algorithm>
#include <cstring>

#include "verif/host/runtime/tools.hpp"

namespace swai::sdaa {

struct RowsTrip {
  size_t width, height, from_pitch, pitch, to_pitch;
  void* device;
  std::vector<uint8_t> from, to;

  RowsTrip(std::mt19937_64& random, size_t most) {
    width = 1 + random() % most;
    height = 1 + random() % std::max<size_t>(1, most / width);
    const auto pitch_of = [&] { return width + (random() % 2 == 0 ? 0 : random() % 200); };
    from_pitch = pitch_of();
    pitch = pitch_of();
    to_pitch = pitch_of();
    device = allocate(pitch * height);
    from = random_bytes(random, from_pitch * height);
    to.assign(to_pitch * height, 0xa5);
  }
  void start(sdaaStream_t stream) {
    REQUIRE_OK(sdaaMemcpy2DAsync(device, pitch, from.data(), from_pitch, width, height,
                                 sdaaMemcpyHostToDevice, stream));
  }
  void fetch(sdaaStream_t stream) {
    REQUIRE_OK(
        sdaaMemcpy2DAsync(to.data(), to_pitch, device, pitch, width, height, sdaaMemcpyDeviceToHost, stream));
  }
  void check() const {
    for (size_t row = 0; row < height; ++row) {
      const uint8_t* const begin = to.data() + row * to_pitch;
      REQUIRE(std::memcmp(begin, from.data() + row * from_pitch, width) == 0);
      REQUIRE(std::count(begin + width, begin + to_pitch, 0xa5) == static_cast<long>(to_pitch - width));
    }
  }
};

}  // namespace swai::sdaa
