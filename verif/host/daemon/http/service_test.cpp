// SPDX-License-Identifier: Apache-2.0
// The service over its socket: answers, streams, refusals, and clients that are slow, gone, or talk nonsense.
#include <random>
#include <thread>

#include "host/lib/elf.hpp"
#include "verif/host/daemon/http/rig.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::http_test;

namespace {

constexpr const char* kEnd = PlayedModel::kEnd;
const std::string kCompletions = "/v1/completions";
const std::string kChat = "/v1/chat/completions";

std::string body(const std::string& more = "") { return R"({"model":"m","prompt":"Hi")" + more + "}"; }

std::string content_of(const std::string& events) {
  std::string text;
  for (size_t at = events.find("data: {"); at != std::string::npos; at = events.find("data: {", at + 1)) {
    const Json event = Json::parse(events.substr(at + 6, events.find("\n\n", at) - at - 6));
    if (event["choices"].empty()) continue;
    const Json& choice = event["choices"][0];
    text +=
        choice.contains("text") ? choice["text"].get<std::string>() : choice["delta"].value("content", "");
  }
  return text;
}

}  // namespace

TEST_CASE("a completion") {
  const Rig rig;
  rig.model->will_say({"one", " two", kEnd});
  const Answered answered = rig.ask(post(kCompletions, body()));
  CHECK(answered.status == 200);
  CHECK(answered.head.find("Content-Type: application/json") != std::string::npos);
  CHECK(answered.json()["choices"][0]["text"] == "one two");
  CHECK(answered.json()["choices"][0]["finish_reason"] == "stop");
  CHECK(answered.json()["usage"]["prompt_tokens"] == 2);
  CHECK(answered.json()["usage"]["completion_tokens"] == 2);
}

TEST_CASE("an answer ends at its limit, and at a stop") {
  const Rig rig;
  rig.model->will_say({"one", " two"});
  Json answer = rig.ask(post(kCompletions, body(R"(,"max_tokens":2)"))).json();
  CHECK(answer["choices"][0]["finish_reason"] == "length");
  rig.model->will_say({"one", " t", "wo"});
  answer = rig.ask(post(kCompletions, body(R"(,"stop":" two")"))).json();
  CHECK(answer["choices"][0]["text"] == "one");
  CHECK(answer["choices"][0]["finish_reason"] == "stop");
  CHECK(answer["usage"]["completion_tokens"] == 3);
}

TEST_CASE("a stream: each word before the next is there, several requests on one connection") {
  const Rig rig;
  Client client(rig.port());
  client.send(post(kChat, R"({"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]})"));
  rig.model->will_say({"one"});
  CHECK(client.wait_for("one"));
  rig.model->will_say({"two", kEnd});
  const Answered answered = client.answer();
  CHECK(answered.head.find("Content-Type: text/event-stream") != std::string::npos);
  CHECK(content_of(answered.body) == "onetwo");
  CHECK(answered.body.ends_with("data: [DONE]\n\n"));
  CHECK(client.ask(get("/v1/models")).status == 200);
}

TEST_CASE("the models") {
  const Rig rig;
  const Json models = rig.ask(get("/v1/models")).json();
  CHECK(models["object"] == "list");
  REQUIRE(models["data"].size() == 2);
  CHECK(models["data"][0]["id"] == "m");
  CHECK(models["data"][1]["id"] == "s");
  CHECK(rig.ask(get("/v1/models/m")).json()["id"] == "m");
  CHECK(rig.ask(get("/v1/models/x")).json()["error"]["code"] == "model_not_found");
}

TEST_CASE("refusals have a status, and say why") {
  const Rig rig;
  const auto refused = [&](const std::string& bytes, int status, const std::string& word) {
    const Answered answered = rig.ask(bytes);
    CAPTURE(answered.body);
    CHECK(answered.status == status);
    CHECK(answered.json()["error"]["message"].get<std::string>().find(word) != std::string::npos);
    return answered;
  };
  refused(post(kCompletions, R"({"model":"x"})"), 404, "available: m, s");
  refused(post(kCompletions, R"({"model":"s"})"), 400, "/v1/audio/transcriptions");
  refused(post(kCompletions, body(R"(,"n":2)")), 400, "'n'");
  refused(post(kCompletions, "no JSON"), 400, "JSON");
  refused(post(kCompletions, R"({"model":"m","prompt":"123456789012345678901"})"), 400, "too long");
  refused(post(kCompletions, R"({"model":"m","stream":true,"prompt":"123456789012345678901"})"), 400,
          "too long");
  refused(get("/v2"), 404, "/v1/models");
  const Answered method = refused(get(kChat), 405, "POST");
  CHECK(method.head.find("Allow: POST") != std::string::npos);
  refused(post("/v1/models", ""), 405, "GET");
  refused("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", 415,
          "application/json");
  refused("GET /v1/models HTTP/1.1\r\nHost: evil.example:80\r\n\r\n", 403, "localhost");
  CHECK(rig.ask("GET /v1/models HTTP/1.1\r\nHost: [::1]:80\r\n\r\n").status == 200);
  refused(get("/v1/models", "Origin: http://evil.example\r\n"), 403, "browser");
}

TEST_CASE("who has no key gets nothing") {
  const Rig rig({.key = "secret"});
  const Answered none = rig.ask(get("/v1/models"));
  CHECK(none.status == 401);
  CHECK(none.json()["error"]["message"] == "no API key: send the header Authorization: Bearer KEY");
  for (const char* const wrong :
       {"Bearer", "Bearer ", "Bearer secre", "Bearer secret1", "Basic secret", "secret"})
    CHECK(rig.ask(get("/v1/models", fmt::format("Authorization: {}\r\n", wrong))).status == 401);
  CHECK(rig.ask(get("/v1/models", "Authorization: Bearer wrong\r\n")).json()["error"]["message"] ==
        "wrong API key");
  CHECK(rig.ask(get("/v1/models", "Authorization: Bearer secret\r\n")).status == 200);
}

TEST_CASE("bodies that are too large") {
  const Rig rig;
  const std::string large(2 << 20, ' ');
  Client client(rig.port());
  CHECK(client.ask(post(kCompletions, large)).status == 413);
  // The connection goes on.
  CHECK(client.ask(get("/v1/models")).status == 200);
  // Who asks first need not send it. Nobody tells how long it is.
  const std::string head =
      "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  CHECK(rig.ask(head + "Content-Length: 2000000\r\nExpect: 100-continue\r\n\r\n").status == 413);
  Client chunks(rig.port());
  chunks.send(head + "Transfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 20; ++i) chunks.send("10000\r\n" + std::string(0x10000, ' ') + "\r\n");
  CHECK(chunks.ask("0\r\n\r\n").status == 413);
}

TEST_CASE("what is refused is refused before the body when the client asks first") {
  const Rig rig({.key = "secret"});
  const std::string head =
      "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  CHECK(rig.ask(head + "Content-Length: 20\r\nExpect: 100-continue\r\n\r\n").status == 401);
}

TEST_CASE("the card fails before the first word, and in the middle of a stream") {
  const Rig rig;
  rig.model->will_say({PlayedModel::kFails});
  const Answered failed = rig.ask(post(kCompletions, body()));
  CHECK(failed.status == 500);
  CHECK(failed.json()["error"]["message"] == "the card is lost");
  rig.model->will_say({"one", PlayedModel::kFails});
  const Answered stream = rig.ask(post(kCompletions, body(R"(,"stream":true)")));
  CHECK(stream.status == 200);
  CHECK(stream.body.find("the card is lost") != std::string::npos);
  CHECK(stream.body.ends_with("data: [DONE]\n\n"));
}

TEST_CASE("one after the other; who finds too many waiting is told to come back") {
  const Rig rig({}, 1);
  Client first(rig.port());
  first.send(post(kCompletions, body()));
  rig.model->wait_for_begun(1);
  // One of them waits, the server knows which.
  std::vector<Client> others;
  for (int i = 0; i < 3; ++i) others.emplace_back(rig.port()).send(post(kCompletions, body()));
  std::vector<Client*> refused, waiting;
  while (refused.size() < 2) {
    refused.clear();
    waiting.clear();
    for (Client& one : others) (one.has_come() ? refused : waiting).push_back(&one);
  }
  for (Client* const one : refused) {
    const Answered answered = one->answer();
    CHECK(answered.status == 503);
    CHECK(answered.head.find("Retry-After: ") != std::string::npos);
    CHECK(answered.json()["error"]["type"] == "server_error");
  }
  CHECK(rig.ask(get("/v1/models")).status == 200);
  rig.model->will_say({"one", kEnd, "two", kEnd});
  CHECK(first.answer().json()["choices"][0]["text"] == "one");
  CHECK(waiting.size() == 1);
  for (Client* const one : waiting) CHECK(one->answer().json()["choices"][0]["text"] == "two");
}

TEST_CASE("of a client that is gone the answer ends, and the next one's begins") {
  const Rig rig;
  for (const bool stream : {false, true}) {
    CAPTURE(stream);
    Client gone(rig.port());
    gone.send(post(kCompletions, body(stream ? R"(,"stream":true)" : "")));
    rig.model->wait_for_begun(stream ? 3 : 1);
    if (stream) {
      rig.model->will_say({"one"});
      CHECK(gone.wait_for("one"));
    }
    gone.close();
    CHECK(rig.model->wait_for_ended(stream ? 3 : 1) == generate::End::kHeard);
    rig.model->will_say({"two", kEnd});
    CHECK(rig.ask(post(kCompletions, body())).json()["choices"][0]["text"] == "two");
  }
}

TEST_CASE("who is gone takes no place in the line") {
  const Rig rig({}, 1);
  Client first(rig.port());
  first.send(post(kCompletions, body()));
  rig.model->wait_for_begun(1);
  for (int i = 0; i < 20; ++i) {
    Client gone(rig.port());
    gone.send(post(kCompletions, body()));
  }
  Client last(rig.port());
  std::jthread says([&] {
    rig.model->will_say({"one", kEnd});
    rig.model->wait_for_begun(2);
    rig.model->will_say({"two", kEnd});
  });
  last.send(post(kCompletions, body()));
  CHECK(first.answer().json()["choices"][0]["text"] == "one");
  CHECK(last.answer().json()["choices"][0]["text"] == "two");
}

TEST_CASE("who does not read holds nobody up") {
  const Rig rig;
  Client slow(rig.port());
  slow.send(post(kCompletions, body(R"(,"stream":true,"max_tokens":1000000)")));
  // More than sockets hold.
  std::vector<std::string> words(400, std::string(25'000, 'x'));
  words.emplace_back(kEnd);
  rig.model->will_say(words);
  CHECK(rig.model->wait_for_ended(1) == generate::End::kModel);
  rig.model->will_say({"one", kEnd});
  CHECK(rig.ask(post(kCompletions, body())).json()["choices"][0]["text"] == "one");
  // And it gets all when it reads after all.
  CHECK(content_of(slow.answer().body).size() == 10'000'000);
}

TEST_CASE("who takes too long is let go") {
  constexpr std::chrono::milliseconds kTime(2000);
  const Rig rig({.server = {.head = kTime, .time = kTime}});
  Client silent(rig.port()), slow(rig.port()), waits(rig.port());
  slow.send("GET /v1/models HTTP/1.1\r\n");
  waits.send(post(kCompletions, body()));
  CHECK(silent.all().empty());
  CHECK(slow.all().empty());
  // Time that an answer takes is not the client's.
  rig.model->wait_for_begun(1);
  Client later(rig.port());
  CHECK(later.all().empty());
  rig.model->will_say({"one", kEnd});
  CHECK(waits.answer().json()["choices"][0]["text"] == "one");
}

TEST_CASE("nonsense") {
  const Rig rig;
  std::mt19937_64 random(test_seed());
  const std::string whole = post(kCompletions, body(R"(,"max_tokens":1)"));
  for (int i = 0; i < 300; ++i) {
    std::string bytes = whole;
    if (i % 3 == 0) {
      bytes.clear();
      for (uint64_t count = random() % 2000; count > 0; --count) bytes += static_cast<char>(random());
    }
    for (uint64_t count = random() % 4; count > 0 && !bytes.empty(); --count)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    rig.model->will_say({"x"});
    Client client(rig.port());
    client.send(bytes);
    client.close();
  }
  const std::string long_head =
      "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(1 << 20, 'x');
  CHECK(rig.ask(long_head).status == 431);
  CHECK(rig.ask("GET /" + std::string(1 << 20, 'x')).status >= 400);
  CHECK(rig.ask("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n").status ==
        400);
  CHECK(rig.ask(get("/v1/models")).status == 200);
}

TEST_CASE("the end of the service, whatever goes on") {
  for (const bool stream : {false, true}) {
    Rig rig;
    Client working(rig.port()), waiting(rig.port()), silent(rig.port());
    working.send(post(kCompletions, body(stream ? R"(,"stream":true)" : "")));
    rig.model->wait_for_begun(1);
    waiting.send(post(kCompletions, body()));
    rig.service.reset();
    CHECK(silent.all().empty());
  }
}

TEST_CASE("addresses") {
  using http::ListeningSocket;
  CHECK(ListeningSocket("0").is_loopback());
  CHECK(ListeningSocket("0").name().starts_with("127.0.0.1:"));
  CHECK(ListeningSocket("localhost:0").is_loopback());
  CHECK(!ListeningSocket("0.0.0.0:0").is_loopback());
  for (const char* const wrong :
       {"", ":", "x", "1:", ":1", "70000", "-1", "1 2", "localhost:x", "[::1:5", "999999999999"})
    CHECK_THROWS_AS(ListeningSocket{wrong}, common::InputError);
  const ListeningSocket one("0");
  const std::string taken = one.name();
  CHECK_THROWS_WITH(ListeningSocket{taken}, doctest::Contains("nobody can listen"));
}
