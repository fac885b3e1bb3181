// SPDX-License-Identifier: Apache-2.0
// What is asked of a model of speech: /v1/audio/transcriptions.
#pragma once

#include <optional>
#include <string>

#include "host/daemon/http/exchange.hpp"
#include "host/models/speech/transcriber.hpp"

namespace swai::http {

enum class SpeechFormat : uint8_t { kJson, kText, kSrt, kVtt, kVerboseJson };

struct SpeechRequest {
  std::string model;
  SpeechFormat format = SpeechFormat::kJson;
  std::optional<std::string> language;  // a known code; none: the model finds out
  transcribe::Options options;          // but for the language
};

// All but the file. Throws Problem.
SpeechRequest speech_request(const Form& form);

}  // namespace swai::http
