// SPDX-License-Identifier: Apache-2.0
// What was said, in the formats that people's tools read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/models/speech/segments.hpp"

namespace swai::transcribe {

// A segment with its text, and how sure of it the model was.
struct Said {
  Segment segment;
  std::string text;
  double temperature = 0;
  double mean_log_probability = 0;  // of all tokens of its window
  double no_speech_probability = 0;
  double words_log_probability = 0;  // of its words, with some certain ones beside them
};

enum class Format { kText, kSrt, kVtt, kJson, kCsv };
std::optional<Format> format_of(std::string_view name);
std::vector<std::string> format_names();
// Of a file of it, without the point.
std::string_view extension_of(Format format);

// "00:01:02,500", or with a point.
std::string time_text(uint64_t hundredths, char decimal_sign);

// One piece after the other, so that words appear as they come. JSON is one object (of what is known of the
// sound, with its segments) and comes at the end: swai makes it.
std::string head_of(Format format);
// `number`: of the segment, from 1 on.
std::string text_of(Format format, const Said& said, size_t number);

}  // namespace swai::transcribe
