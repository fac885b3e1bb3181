// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/http/speech_request.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "host/daemon/http/fields.hpp"
#include "host/lib/utf8.hpp"

namespace swai::http {
namespace {

constexpr std::array<std::pair<std::string_view, SpeechFormat>, 5> kFormats = {{
    {"json", SpeechFormat::kJson},
    {"text", SpeechFormat::kText},
    {"srt", SpeechFormat::kSrt},
    {"vtt", SpeechFormat::kVtt},
    {"verbose_json", SpeechFormat::kVerboseJson},
}};

// A form has texts alone.
Parsed texts_of(const Form& form) {
  Parsed texts = Parsed::object();
  for (const auto& [name, text] : form.fields) {
    for (size_t at = 0; at < text.size();) {
      const common::Character one = common::character_at(text, at);
      if (one.code == common::kNoCharacter)
        throw bad_request(fmt::format("'{}' is not valid UTF-8", name), name, "invalid_value");
      at += one.bytes;
    }
    texts[name] = text;
  }
  return texts;
}

SpeechFormat format_in(Fields& fields) {
  const std::string wanted = fields.text("response_format").value_or("json");
  for (const auto& [name, format] : kFormats)
    if (name == wanted) return format;
  throw bad_request("'response_format' must be json, text, srt, vtt or verbose_json", "response_format",
                    "invalid_value");
}

double temperature_in(Fields& fields) {
  const std::string text = fields.text("temperature").value_or("0");
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 1)) {
    throw bad_request("'temperature' must be a number from 0 to 1", "temperature", "invalid_value");
  }
  // Hardly more than 0 is 0: the card knows no such numbers.
  constexpr double kLeast = 0.001;
  return value < kLeast ? 0 : value;
}

}  // namespace

SpeechRequest speech_request(const Form& form) {
  if (!form.has_file) throw bad_request("'file' is missing: a sound", "file");
  const Parsed texts = texts_of(form);
  Fields fields(texts);
  SpeechRequest request;
  request.model = fields.text("model").value_or("");
  if (request.model.empty()) throw bad_request("'model' is missing", "model");
  request.format = format_in(fields);
  request.language = fields.text("language");
  if (request.language && !transcribe::language_number(*request.language)) {
    throw bad_request("'language' must be a code, such as en or de", "language", "invalid_value");
  }
  request.options.initial_prompt = fields.text("prompt").value_or("");
  // With 0, a text that is no good is tried again with others.
  if (const double temperature = temperature_in(fields); temperature > 0)
    request.options.temperatures = {temperature};
  fields.only("stream", {"false"});
  fields.only("timestamp_granularities[]", {"segment"});
  fields.only("timestamp_granularities", {"segment"});
  fields.refuse_others();
  return request;
}

}  // namespace swai::http
