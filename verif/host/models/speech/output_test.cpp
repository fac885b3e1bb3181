// SPDX-License-Identifier: Apache-2.0
// Texts in the formats of other tools.
#include "host/models/speech/output.hpp"

#include <doctest/doctest.h>

using namespace swai::transcribe;

namespace {

Said said(uint64_t begin, uint64_t end, std::string text) {
  Said one;
  one.segment = {begin, end, {}};
  one.text = std::move(text);
  return one;
}

}  // namespace

TEST_CASE("times") {
  CHECK(time_text(0, ',') == "00:00:00,000");
  CHECK(time_text(1'234, '.') == "00:00:12.340");
  CHECK(time_text((3600 + 61) * 100 + 7, ',') == "01:01:01,070");
  CHECK(time_text(uint64_t{100} * 3600 * 100, ',') == "100:00:00,000");
}

TEST_CASE("formats") {
  const Said one = said(0, 240, " one \"two\" --> three");
  CHECK(text_of(Format::kText, one, 1) == "one \"two\" --> three\n");
  CHECK(text_of(Format::kSrt, one, 7) == "7\n00:00:00,000 --> 00:00:02,400\none \"two\" -> three\n\n");
  CHECK(head_of(Format::kVtt) + text_of(Format::kVtt, one, 1) ==
        "WEBVTT\n\n00:00:00.000 --> 00:00:02.400\none \"two\" -> three\n\n");
  CHECK(head_of(Format::kCsv) + text_of(Format::kCsv, one, 1) ==
        "start,end,text\n0,2400,\"one \"\"two\"\" --> three\"\n");
  CHECK(text_of(Format::kSrt, said(0, 10, "a ----> b"), 1).find("-->", 20) == std::string::npos);
  CHECK(format_of("vtt") == Format::kVtt);
  CHECK(!format_of("VTT"));
}
