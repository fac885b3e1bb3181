// SPDX-License-Identifier: Apache-2.0
#include "host/models/speech/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace swai::transcribe {
namespace {

struct Names {
  Format format;
  std::string_view name;
  std::string_view extension;
};
constexpr std::array kFormats = {Names{Format::kText, "text", "txt"}, Names{Format::kSrt, "srt", "srt"},
                                 Names{Format::kVtt, "vtt", "vtt"}, Names{Format::kJson, "json", "json"},
                                 Names{Format::kCsv, "csv", "csv"}};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) + 1 - first);
}

std::string quoted(std::string_view text) {
  std::string all = "\"";
  for (const char sign : text) {
    if (sign == '"') all += '"';
    all += sign;
  }
  return all + '"';
}

// An arrow ends the times of a cue, so none may stand in its text.
std::string without_arrows(std::string_view text) {
  std::string all(text);
  for (size_t at = all.find("-->"); at != std::string::npos; at = all.find("-->")) all.replace(at, 3, "->");
  return all;
}

}  // namespace

std::optional<Format> format_of(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &Names::name);
  if (found == kFormats.end()) return std::nullopt;
  return found->format;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Names& one : kFormats) names.emplace_back(one.name);
  return names;
}

std::string_view extension_of(Format format) {
  return std::ranges::find(kFormats, format, &Names::format)->extension;
}

std::string time_text(uint64_t hundredths, char decimal_sign) {
  const uint64_t seconds = hundredths / 100;
  return fmt::format("{:02}:{:02}:{:02}{}{:03}", seconds / 3600, seconds / 60 % 60, seconds % 60,
                     decimal_sign, hundredths % 100 * 10);
}

std::string head_of(Format format) {
  switch (format) {
    case Format::kVtt:
      return "WEBVTT\n\n";
    case Format::kCsv:
      return "start,end,text\n";
    case Format::kText:
    case Format::kSrt:
    case Format::kJson:
      break;
  }
  return "";
}

std::string text_of(Format format, const Said& said, size_t number) {
  const Segment& segment = said.segment;
  const std::string_view text = trimmed(said.text);
  switch (format) {
    case Format::kText:
      return fmt::format("{}\n", text);
    case Format::kSrt:
      return fmt::format("{}\n{} --> {}\n{}\n\n", number, time_text(segment.begin, ','),
                         time_text(segment.end, ','), without_arrows(text));
    case Format::kVtt:
      return fmt::format("{} --> {}\n{}\n\n", time_text(segment.begin, '.'), time_text(segment.end, '.'),
                         without_arrows(text));
    case Format::kCsv:
      return fmt::format("{},{},{}\n", segment.begin * 10, segment.end * 10, quoted(text));
    case Format::kJson:
      break;
  }
  return "";
}

}  // namespace swai::transcribe
