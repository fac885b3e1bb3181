// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/http/speech_reply.hpp"

#include "host/models/speech/json.hpp"

namespace swai::http {
namespace {

using transcribe::Format;

std::string words_of(const Transcript& transcript) {
  std::string text;
  for (const transcribe::Said& said : transcript.said) text += said.text;
  text.erase(0, text.find_first_not_of(' '));
  return text;
}

Reply subtitles(const Transcript& transcript, Format format, const char* type) {
  Reply reply = {.content_type = type, .body = transcribe::head_of(format)};
  size_t number = 0;
  for (const transcribe::Said& said : transcript.said)
    reply.body += transcribe::text_of(format, said, ++number);
  return reply;
}

std::string verbose(const Transcript& transcript) {
  Json segments = Json::array();
  for (const transcribe::Said& said : transcript.said)
    segments.push_back(transcribe::segment_json(said, segments.size()));
  return text_of(Json{{"task", "transcribe"},
                      {"language", transcript.language},
                      {"duration", transcript.seconds},
                      {"text", words_of(transcript)},
                      {"segments", std::move(segments)}});
}

}  // namespace

Reply speech_reply(const Transcript& transcript, SpeechFormat format) {
  switch (format) {
    case SpeechFormat::kJson:
      return json_reply(text_of(Json{{"text", words_of(transcript)}}));
    case SpeechFormat::kVerboseJson:
      return json_reply(verbose(transcript));
    case SpeechFormat::kSrt:
      return subtitles(transcript, Format::kSrt, "application/x-subrip");
    case SpeechFormat::kVtt:
      return subtitles(transcript, Format::kVtt, "text/vtt");
    case SpeechFormat::kText:
      break;
  }
  return {.content_type = "text/plain; charset=utf-8", .body = words_of(transcript) + "\n"};
}

}  // namespace swai::http
