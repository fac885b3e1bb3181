// SPDX-License-Identifier: Apache-2.0
// Another rate for a sound of one channel, piece by piece.
#pragma once

#include <soxr.h>

#include <memory>
#include <span>
#include <vector>

namespace swai::audio {

class Resampler {
 public:
  // Throws std::runtime_error when there is no way from one to the other.
  Resampler(double from, double to);
  // What is ready goes to the end of `out`.
  void add(std::span<const float> in, std::vector<float>& out);
  // No more comes: the rest.
  void finish(std::vector<float>& out);

 private:
  // Gives how many were taken.
  size_t process(const float* in, size_t count, std::vector<float>& out);

  std::unique_ptr<soxr, decltype(&soxr_delete)> soxr_;
  double ratio_;
  bool same_;
};

}  // namespace swai::audio
