// SPDX-License-Identifier: Apache-2.0
// Windows cut into segments.
#include "host/models/speech/segments.hpp"

#include <doctest/doctest.h>

using namespace swai;
using namespace swai::transcribe;

namespace {

SpecialTokens english() { return special_tokens("model", 51'864); }

// So many hundredths of a second.
Token at(uint32_t hundredths) { return english().first_timestamp + hundredths / speech::kTimestampStep; }

std::vector<std::pair<uint64_t, uint64_t>> times(const WindowSegments& window) {
  std::vector<std::pair<uint64_t, uint64_t>> all;
  for (const Segment& segment : window.segments) all.emplace_back(segment.begin, segment.end);
  return all;
}

using Times = std::vector<std::pair<uint64_t, uint64_t>>;

}  // namespace

TEST_CASE("segments: one, with its end: the window is done") {
  const std::vector<Token> tokens = {at(0), 100, 200, at(240)};
  const WindowSegments window = segments_of(tokens, 3000, 1000, english());
  CHECK(times(window) == Times{{3000, 3240}});
  CHECK(window.segments[0].tokens == tokens);
  CHECK(window.next == 4000);
}

TEST_CASE("segments: two complete ones") {
  const std::vector<Token> tokens = {at(0), 100, at(240), at(300), 200, 201, at(500)};
  const WindowSegments window = segments_of(tokens, 0, 3000, english());
  CHECK(times(window) == Times{{0, 240}, {300, 500}});
  CHECK(window.segments[1].tokens == std::vector<Token>{at(300), 200, 201, at(500)});
  CHECK(window.next == 3000);
}

TEST_CASE("segments: one that was begun is heard again") {
  const std::vector<Token> tokens = {at(0), 100, at(240), at(2600), 200};
  const WindowSegments window = segments_of(tokens, 500, 3000, english());
  CHECK(times(window) == Times{{500, 740}});
  CHECK(window.next == 740);
  // Ends and begins of two timestamps.
  const std::vector<Token> pair = {at(0), 100, at(240), at(240)};
  CHECK(segments_of(pair, 500, 3000, english()).next == 740);
}

TEST_CASE("segments: a text without end, or without any time") {
  const std::vector<Token> begun = {at(40), 100};
  CHECK(times(segments_of(begun, 0, 3000, english())) == Times{{0, 40}});
  const std::vector<Token> plain = {100, 101};
  const WindowSegments window = segments_of(plain, 0, 1234, english());
  CHECK(times(window) == Times{{0, 1234}});
  CHECK(window.next == 1234);
  CHECK(segments_of({}, 0, 1234, english()).next == 1234);
}

TEST_CASE("segments: windows always go forward") {
  const std::vector<Token> nonsense = {100, at(0), at(0), 100};
  CHECK(segments_of(nonsense, 700, 3000, english()).next > 700);
}
