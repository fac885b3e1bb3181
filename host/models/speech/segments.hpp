// SPDX-License-Identifier: Apache-2.0
// From the tokens of a window to pieces of text with times, and to where the next window begins.
#pragma once

#include <span>
#include <vector>

#include "host/models/speech/special_tokens.hpp"

namespace swai::transcribe {

// Times are in hundredths of a second, which are frames of the spectrogram.
struct Segment {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::vector<Token> tokens;  // with timestamps
};

struct WindowSegments {
  std::vector<Segment> segments;
  uint64_t next = 0;  // frame
};

// A window from frame `begin` on, `frames` of sound in it.
WindowSegments segments_of(std::span<const Token> tokens, uint64_t begin, uint64_t frames,
                           const SpecialTokens& special);

}  // namespace swai::transcribe
