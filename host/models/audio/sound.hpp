// SPDX-License-Identifier: Apache-2.0
// Sound from a file as speech models want it: one channel, 16,000 samples a second.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/lib/elf.hpp"

namespace swai::audio {

inline constexpr uint32_t kRate = 16000;
inline constexpr uint32_t kMaxSeconds = 4 * 3600;

struct Sound {
  std::vector<float> samples;  // all are numbers; of most files from -1 to 1
  uint32_t file_rate = 0;
  uint32_t file_channels = 0;
  bool cut_short = false;  // the file states more sound than it has
  double seconds() const { return static_cast<double>(samples.size()) / kRate; }
};

// The sound is longer than the limit. It was decoded up to the limit.
class TooLong : public common::InputError {
 public:
  using InputError::InputError;
};

// WAV, FLAC, OGG, MP3 and whatever else libsndfile reads; channels are averaged. Throws InputError, which
// names the file, what is wrong and what to do: no sound in it, samples that are no numbers, more than
// kMaxSeconds (TooLong).
Sound read_sound(const std::string& path);
// The same for a file in memory, with a limit of its own; messages call the file `name`.
Sound sound_in(std::string_view file, const std::string& name, uint32_t max_seconds = kMaxSeconds);

}  // namespace swai::audio
