// SPDX-License-Identifier: Apache-2.0
// Texts that end an answer, and how answers are written.
#include <doctest/doctest.h>

#include <random>

#include "host/daemon/http/stop_text.hpp"
#include "host/daemon/http/text_reply.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using http::Json, http::StopText;

namespace {

std::string said(StopText& stops, const std::vector<std::string>& pieces) {
  std::string all;
  for (const std::string& piece : pieces) all += stops.add(piece);
  return all;
}

std::vector<Json> events_of(const std::string& text) {
  std::vector<Json> events;
  size_t at = 0;
  while (at < text.size()) {
    REQUIRE(text.substr(at, 6) == "data: ");
    const size_t end = text.find("\n\n", at);
    REQUIRE(end != std::string::npos);
    const std::string one = text.substr(at + 6, end - at - 6);
    CHECK(one.find('\n') == std::string::npos);
    events.push_back(one == "[DONE]" ? Json(one) : Json::parse(one));
    at = end + 2;
  }
  return events;
}

}  // namespace

TEST_CASE("a text ends before a stop, which may come in pieces") {
  StopText stops({"###", "END"});
  CHECK(stops.add("one #") == "one ");
  CHECK(stops.add("# two") == "## two");
  CHECK(stops.add("EN") == "");
  CHECK(!stops.found());
  CHECK(stops.add("D three") == "");
  CHECK(stops.found());
  CHECK(stops.add("four") == "");
  CHECK(stops.rest() == "");
}

TEST_CASE("what only looked like a stop is said in the end") {
  StopText stops({"stop"});
  CHECK(stops.add("sto") == "");
  CHECK(stops.rest() == "sto");
  StopText none({});
  CHECK(none.add("sto") == "sto");
}

TEST_CASE("however a text comes in pieces, it ends where it would end as a whole") {
  std::mt19937_64 random(test_seed());
  const auto letters = [&](size_t most) {
    std::string text;
    for (size_t count = 1 + random() % most; count > 0; --count)
      text += static_cast<char>('a' + random() % 2);
    return text;
  };
  size_t ended = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::vector<std::string> ends = {letters(4), letters(6)};
    const std::string text = letters(30);
    // All that could be said before it was clear that there is a stop: the earliest end of one counts.
    std::string expected = text;
    bool found = false;
    for (size_t length = 1; length <= text.size() && !found; ++length) {
      size_t at = std::string::npos;
      for (const std::string& end : ends) at = std::min(at, text.substr(0, length).find(end));
      found = at != std::string::npos;
      if (found) expected = text.substr(0, at);
    }
    StopText stops(ends);
    std::string all;
    for (const char letter : text) all += stops.add({&letter, 1});
    CHECK(stops.found() == found);
    all += stops.rest();
    CHECK(all == expected);
    ended += found;
  }
  CHECK(ended > 500);
  StopText one({"b"});
  CHECK(said(one, {"aa", "ab", "a"}) == "aaa");
}

TEST_CASE("whole answers") {
  http::TextRequest request;
  request.model = "m";
  request.prompt = std::string("Hi");
  const http::TextReply completion(request, "7", 1000);
  const Json whole = Json::parse(completion.whole("a\"\n\xff", http::Finish::kLength, {3, 2}));
  CHECK(whole["id"] == "cmpl-7");
  CHECK(whole["object"] == "text_completion");
  CHECK(whole["created"] == 1000);
  CHECK(whole["model"] == "m");
  CHECK(whole["choices"].size() == 1);
  CHECK(whole["choices"][0]["text"] == "a\"\n\xef\xbf\xbd");
  CHECK(whole["choices"][0]["finish_reason"] == "length");
  CHECK(whole["usage"] == Json{{"prompt_tokens", 3}, {"completion_tokens", 2}, {"total_tokens", 5}});
  request.prompt = http::TextRequest::Conversation();
  const Json chat = Json::parse(http::TextReply(request, "8", 0).whole("a", http::Finish::kStop, {}));
  CHECK(chat["id"] == "chatcmpl-8");
  CHECK(chat["object"] == "chat.completion");
  CHECK(chat["choices"][0]["message"]["role"] == "assistant");
  CHECK(chat["choices"][0]["message"]["content"] == "a");
  CHECK(chat["choices"][0]["finish_reason"] == "stop");
}

TEST_CASE("answers as events") {
  http::TextRequest request;
  request.prompt = http::TextRequest::Conversation();
  request.stream_usage = true;
  const http::TextReply reply(request, "7", 0);
  const std::vector<Json> events =
      events_of(reply.begin() + reply.piece("a\n\nb") + reply.end(http::Finish::kStop, {3, 1}));
  REQUIRE(events.size() == 5);
  CHECK(events[0]["object"] == "chat.completion.chunk");
  CHECK(events[0]["choices"][0]["delta"]["role"] == "assistant");
  CHECK(events[0]["choices"][0]["finish_reason"].is_null());
  CHECK(events[1]["choices"][0]["delta"]["content"] == "a\n\nb");
  CHECK(events[1]["usage"].is_null());
  CHECK(events[2]["choices"][0]["finish_reason"] == "stop");
  CHECK(events[2]["choices"][0]["delta"].empty());
  CHECK(events[3]["choices"].empty());
  CHECK(events[3]["usage"]["total_tokens"] == 4);
  CHECK(events[4] == "[DONE]");
  request.prompt = std::string();
  request.stream_usage = false;
  const http::TextReply plain(request, "7", 0);
  CHECK(plain.begin().empty());
  const std::vector<Json> pieces = events_of(plain.piece("a") + plain.end(http::Finish::kLength, {3, 1}));
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[0]["choices"][0]["text"] == "a");
  CHECK(!pieces[0].contains("usage"));
  CHECK(pieces[1]["choices"][0]["finish_reason"] == "length");
  const std::vector<Json> broken = events_of(http::TextReply::broken_off(http::Problem(500, "why")));
  CHECK(broken[0]["error"]["message"] == "why");
  CHECK(broken[0]["error"]["type"] == "server_error");
}
