// SPDX-License-Identifier: Apache-2.0
// Sounds in forms, and what was said, in all formats.
#include <doctest/doctest.h>

#include <random>

#include "verif/host/daemon/http/rig.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::http_test;

namespace {

const std::string kSound = "12345";

Answered formatted(const Rig& rig, const std::string& format) {
  return rig.ask(form({{"model", "s"}, {"response_format", format}}, &kSound));
}

}  // namespace

TEST_CASE("a sound, and what was said in each format") {
  const Rig rig;
  CHECK(rig.ask(form({{"model", "s"}}, &kSound)).json() == Json{{"text", "5 bytes and more"}});
  CHECK(formatted(rig, "json").json()["text"] == "5 bytes and more");
  CHECK(formatted(rig, "text").body == "5 bytes and more\n");
  CHECK(formatted(rig, "srt").body ==
        "1\n00:00:00,000 --> 00:00:01,500\n5 bytes\n\n2\n00:00:01,500 --> 00:01:00,250\nand more\n\n");
  const Answered vtt = formatted(rig, "vtt");
  CHECK(vtt.body.starts_with("WEBVTT\n\n00:00:00.000 --> 00:00:01.500\n5 bytes\n\n"));
  CHECK(vtt.head.find("Content-Type: text/vtt") != std::string::npos);
  const Json verbose = formatted(rig, "verbose_json").json();
  CHECK(verbose["language"] == "en");
  CHECK(verbose["duration"] == 61);
  CHECK(verbose["text"] == "5 bytes and more");
  REQUIRE(verbose["segments"].size() == 2);
  CHECK(verbose["segments"][0]["end"] == 1.5);
  CHECK(verbose["segments"][1]["id"] == 1);
  CHECK(verbose["segments"][1]["no_speech_prob"] == 0.25);
}

TEST_CASE("all bytes of a file arrive") {
  const Rig rig;
  std::mt19937_64 random(test_seed());
  for (const size_t count : {1u, 1000u, 100'000u, 20u << 20}) {
    std::string file;
    for (size_t i = 0; i < count; ++i) file += static_cast<char>(i < 1000 ? random() : 'x');
    CHECK(rig.ask(form({{"model", "s"}}, &file)).json()["text"] == fmt::format("{} bytes and more", count));
  }
  const std::string large(26 << 20, 'x');
  CHECK(rig.ask(form({{"model", "s"}}, &large)).status == 413);
}

TEST_CASE("what is wrong with a form is named") {
  const Rig rig;
  const auto refused = [&](const std::vector<std::pair<std::string, std::string>>& fields,
                           const std::string& param) {
    const Answered answered = rig.ask(form(fields, &kSound));
    CAPTURE(answered.body);
    CHECK(answered.status == 400);
    CHECK(answered.json()["error"]["param"] == param);
  };
  refused({}, "model");
  refused({{"model", "m"}}, "model");
  refused({{"model", "s"}, {"response_format", "xml"}}, "response_format");
  refused({{"model", "s"}, {"language", "klingon"}}, "language");
  refused({{"model", "s"}, {"temperature", "2"}}, "temperature");
  refused({{"model", "s"}, {"temperature", "warm"}}, "temperature");
  refused({{"model", "s"}, {"temperature", "nan"}}, "temperature");
  refused({{"model", "s"}, {"prompt", "\xff"}}, "prompt");
  refused({{"model", "s"}, {"stream", "true"}}, "stream");
  refused({{"model", "s"}, {"timestamp_granularities[]", "word"}}, "timestamp_granularities[]");
  refused({{"model", "s"}, {"hotwords", "x"}}, "hotwords");
  CHECK(rig.ask(form({{"model", "s"}}, nullptr)).json()["error"]["param"] == "file");
  CHECK(rig.ask(form({{"model", "no"}}, &kSound)).status == 404);
  const std::string nothing;
  CHECK(rig.ask(form({{"model", "s"}}, &nothing)).json()["error"]["message"] == "no sound");
  CHECK(rig.ask(post("/v1/audio/transcriptions", "{}")).status == 415);
  CHECK(rig.ask(form({{"model", "s"}}, &kSound, "Origin: null\r\n")).status == 403);
}

TEST_CASE("who is gone is listened to no longer") {
  const Rig rig;
  Client gone(rig.port());
  gone.send(form({{"model", "s"}, {"prompt", "wait"}}, &kSound));
  rig.speech->begun.acquire();
  gone.close();
  rig.speech->ended.acquire();
  CHECK(rig.ask(form({{"model", "s"}}, &kSound)).status == 200);
}

TEST_CASE("damaged forms") {
  const Rig rig;
  std::mt19937_64 random(test_seed());
  const std::string whole = form({{"model", "s"}, {"prompt", "a"}}, &kSound);
  size_t answered = 0;
  for (int i = 0; i < 300; ++i) {
    std::string bytes = whole;
    const size_t body = bytes.find("\r\n\r\n") + 4;
    for (uint64_t count = 1 + random() % 3; count > 0; --count)
      bytes[body + random() % (bytes.size() - body)] = static_cast<char>(random());
    const int status = rig.ask(bytes).status;
    CHECK((status == 200 || status == 400 || status == 404));
    answered += status == 200;
  }
  CHECK(answered > 20);
}
