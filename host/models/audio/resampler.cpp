// SPDX-License-Identifier: Apache-2.0
#include "host/models/audio/resampler.hpp"

#include <stdexcept>

namespace swai::audio {
namespace {

soxr_t make(double from, double to) {
  soxr_error_t error = nullptr;
  const soxr_io_spec_t io = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I);
  const soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
  const soxr_runtime_spec_t runtime = soxr_runtime_spec(1);
  const soxr_t made = soxr_create(from, to, 1, &error, &io, &quality, &runtime);
  if (error != nullptr) throw std::runtime_error(std::string("libsoxr: ") + error);
  return made;
}

}  // namespace

Resampler::Resampler(double from, double to)
    : soxr_(make(from, to), soxr_delete), ratio_(to / from), same_(from == to) {}

size_t Resampler::process(const float* in, size_t count, std::vector<float>& out) {
  constexpr size_t kSpare = 64;
  const size_t before = out.size();
  const size_t room = static_cast<size_t>(static_cast<double>(count) * ratio_) + kSpare;
  size_t taken = 0;
  size_t given = 0;
  out.resize(before + room);
  const soxr_error_t error = soxr_process(soxr_.get(), in, count, &taken, out.data() + before, room, &given);
  out.resize(before + given);
  if (error != nullptr) throw std::runtime_error(std::string("libsoxr: ") + error);
  // Only the end, in which nothing is taken, may give nothing.
  return in == nullptr ? given : taken;
}

void Resampler::add(std::span<const float> in, std::vector<float>& out) {
  if (same_) {
    out.insert(out.end(), in.begin(), in.end());
    return;
  }
  while (!in.empty()) in = in.subspan(process(in.data(), in.size(), out));
}

void Resampler::finish(std::vector<float>& out) {
  while (!same_ && process(nullptr, 0, out) != 0) {
  }
}

}  // namespace swai::audio
