// SPDX-License-Identifier: Apache-2.0
#include "host/models/audio/mel.hpp"

#include <fftw3.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <numbers>

namespace swai::audio {
namespace {

constexpr uint64_t kHalf = kWindow / 2;

// Linear up to 1,000 Hz, logarithmic above.
double hz_of_mel(double mel) {
  constexpr double kStep = 200.0 / 3;
  constexpr double kBreak = 1000 / kStep;
  return mel < kBreak ? mel * kStep : 1000 * std::exp((mel - kBreak) * std::log(6.4) / 27);
}

double mel_of_hz(double hz) {
  return hz < 1000 ? hz * 3 / 200 : 15 + std::log(hz / 1000) * 27 / std::log(6.4);
}

// A transform of one window. FFTW's planner is nobody's but one thread's.
class Transform {
 public:
  Transform() : in_(fftw_alloc_real(kWindow), fftw_free), out_(fftw_alloc_complex(kBins), fftw_free) {
    const std::scoped_lock lock(planner());
    plan_ = fftw_plan_dft_r2c_1d(kWindow, in_.get(), out_.get(), FFTW_ESTIMATE);
  }
  ~Transform() {
    const std::scoped_lock lock(planner());
    fftw_destroy_plan(plan_);
  }
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;

  double* in() { return in_.get(); }
  void power(std::array<double, kBins>& power) {
    fftw_execute(plan_);
    for (size_t i = 0; i < kBins; ++i) power[i] = out_[i][0] * out_[i][0] + out_[i][1] * out_[i][1];
  }

 private:
  static std::mutex& planner() {
    static std::mutex mutex;
    return mutex;
  }
  std::unique_ptr<double, decltype(&fftw_free)> in_;
  std::unique_ptr<fftw_complex[], decltype(&fftw_free)> out_;
  fftw_plan plan_ = nullptr;
};

// The samples, silence behind them, and both ends reflected by half a window.
class Padded {
 public:
  Padded(std::span<const float> samples, uint64_t silence)
      : samples_(samples),
        all_(static_cast<int64_t>(std::max<uint64_t>(samples.size() + silence, kHalf + 1))) {}
  double at(int64_t i) const {
    if (i < 0) i = -i;
    if (i >= all_) i = 2 * all_ - 2 - i;
    return i < static_cast<int64_t>(samples_.size()) ? samples_[static_cast<size_t>(i)] : 0;
  }

 private:
  std::span<const float> samples_;
  int64_t all_;
};

// A filter is not 0 in a few bins.
struct Filter {
  size_t first;
  std::vector<double> weights;
};

std::vector<Filter> narrow_filters(uint32_t bands) {
  const std::vector<float> wide = mel_filters(bands);
  std::vector<Filter> filters;
  for (uint32_t band = 0; band < bands; ++band) {
    const auto row = std::span(wide).subspan(size_t{band} * kBins, kBins);
    const auto set = [](float weight) { return weight != 0; };
    const auto first = std::find_if(row.begin(), row.end(), set);
    const auto last = std::find_if(row.rbegin(), row.rend(), set).base();
    filters.push_back({static_cast<size_t>(first - row.begin()),
                       first < last ? std::vector<double>(first, last) : std::vector<double>()});
  }
  return filters;
}

}  // namespace

std::vector<float> mel_filters(uint32_t bands) {
  constexpr double kTop = 8000;
  std::vector<double> edges;
  for (uint32_t i = 0; i < bands + 2; ++i) edges.push_back(hz_of_mel(mel_of_hz(kTop) * i / (bands + 1)));
  std::vector<float> filters;
  for (uint32_t band = 0; band < bands; ++band) {
    const double low = edges[band];
    const double middle = edges[band + 1];
    const double high = edges[band + 2];
    for (uint32_t bin = 0; bin < kBins; ++bin) {
      const double hz = kTop * bin / (kBins - 1);
      const double weight = std::min((hz - low) / (middle - low), (high - hz) / (high - middle));
      filters.push_back(static_cast<float>(std::max(weight, 0.0) * 2 / (high - low)));
    }
  }
  return filters;
}

Mel log_mel(std::span<const float> samples, uint32_t bands, uint64_t silence) {
  std::array<double, kWindow> window;
  for (size_t i = 0; i < kWindow; ++i)
    window[i] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / kWindow);
  const std::vector<Filter> filters = narrow_filters(bands);
  const Padded sound(samples, silence);
  Mel mel{bands, (samples.size() + silence) / kHop, {}};
  mel.values.resize(bands * mel.frames);
  Transform transform;
  std::array<double, kBins> power;
  double highest = -10;
  for (uint64_t frame = 0; frame < mel.frames; ++frame) {
    const auto first = static_cast<int64_t>(frame * kHop) - static_cast<int64_t>(kHalf);
    for (size_t i = 0; i < kWindow; ++i)
      transform.in()[i] = window[i] * sound.at(first + static_cast<int64_t>(i));
    transform.power(power);
    for (uint32_t band = 0; band < bands; ++band) {
      double sum = 0;
      for (size_t i = 0; i < filters[band].weights.size(); ++i)
        sum += filters[band].weights[i] * power[filters[band].first + i];
      const double log = std::log10(std::max(sum, 1e-10));
      highest = std::max(highest, log);
      mel.values[band * mel.frames + frame] = static_cast<float>(log);
    }
  }
  // Eight decades below the loudest is silence.
  for (float& value : mel.values) value = (std::max(value, static_cast<float>(highest - 8)) + 4) / 4;
  return mel;
}

}  // namespace swai::audio
