// SPDX-License-Identifier: Apache-2.0
// What Whisper hears: the logarithm of the power in mel bands, every 10 ms, as OpenAI's program calculates
// it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace swai::audio {

inline constexpr uint32_t kWindow = 400;
inline constexpr uint32_t kHop = 160;
inline constexpr uint32_t kBins = kWindow / 2 + 1;
// Half a minute, in samples: what Whisper takes at a time, and adds as silence to every sound.
inline constexpr uint32_t kChunk = 30 * 16000;

// bands x kBins, as in OpenAI's mel_filters.npz (Slaney's scale and norm, 0 to 8,000 Hz).
std::vector<float> mel_filters(uint32_t bands);

struct Mel {
  uint32_t bands = 0;
  uint64_t frames = 0;
  std::vector<float> values;  // bands x frames
  float at(uint32_t band, uint64_t frame) const { return values[band * frames + frame]; }
};

// A frame for each kHop of the samples and the silence behind them. The samples are numbers.
Mel log_mel(std::span<const float> samples, uint32_t bands, uint64_t silence = kChunk);

}  // namespace swai::audio
