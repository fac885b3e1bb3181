// SPDX-License-Identifier: Apache-2.0
// What is asked for, from bodies that clients send, and from those that nobody should send.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>

#include "host/daemon/http/problem.hpp"
#include "host/daemon/http/text_request.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using http::Parsed, http::TextRequest;

namespace {

TextRequest completion(const std::string& body) {
  return http::completion_request(http::parse_json(body), 7);
}
TextRequest chat(const std::string& body) { return http::chat_request(http::parse_json(body), 7); }

// The parameter that is refused, and "-" when nothing is.
template <typename Read>
std::string refused(Read read, const std::string& body) {
  try {
    read(body);
  } catch (const http::Problem& problem) {
    CHECK(problem.status == 400);
    CHECK(std::string(problem.what()).find(problem.param) != std::string::npos);
    return problem.param;
  }
  return "-";
}

std::string with(const std::string& more) { return R"({"model":"m","prompt":"Hi")" + more + "}"; }
std::string talk(const std::string& more) {
  return R"({"model":"m","messages":[{"role":"user","content":"Hi"}])" + more + "}";
}

}  // namespace

TEST_CASE("a completion, with what is meant when nothing is said") {
  const TextRequest request = completion(with(""));
  CHECK(request.model == "m");
  CHECK(std::get<std::string>(request.prompt) == "Hi");
  CHECK(request.most == 16);
  CHECK(request.sampling.temperature == 1);
  CHECK(request.sampling.top_p == 1);
  CHECK(request.sampling.top_k == 0);
  CHECK(request.sampling.seed == 7);
  CHECK(!request.sampling.penalises());
  CHECK(!request.stream);
  CHECK(request.stops.empty());
  CHECK(std::get<std::string>(completion(R"({"model":"m"})").prompt).empty());
}

TEST_CASE("all parameters") {
  const TextRequest request = completion(with(
      R"(,"max_tokens":3,"temperature":0,"top_p":0.5,"top_k":4,"seed":-1,"stop":["a","b"],"stream":true,)"
      R"("stream_options":{"include_usage":true},"n":1,"user":"me","logit_bias":{},"best_of":1,"echo":false,)"
      R"("suffix":null,"logprobs":null,"presence_penalty":0.5,"frequency_penalty":-1,"repetition_penalty":2)"));
  CHECK(request.most == 3);
  CHECK(request.sampling.temperature == 0);
  CHECK(request.sampling.top_p == 0.5f);
  CHECK(request.sampling.top_k == 4);
  CHECK(request.sampling.seed == ~uint64_t{0});
  CHECK(request.sampling.presence == 0.5f);
  CHECK(request.sampling.frequency == -1);
  CHECK(request.sampling.repetition == 2);
  CHECK(request.stops == std::vector<std::string>{"a", "b"});
  CHECK(request.stream);
  CHECK(request.stream_usage);
  CHECK(completion(with(R"(,"top_p":0)")).sampling.temperature == 0);
  CHECK(completion(with(R"(,"stop":"x")")).stops == std::vector<std::string>{"x"});
}

TEST_CASE("prompts as tokens, and lists of one") {
  using Tokens = TextRequest::Tokens;
  CHECK(std::get<Tokens>(completion(R"({"model":"m","prompt":[1,2]})").prompt) == Tokens{1, 2});
  CHECK(std::get<Tokens>(completion(R"({"model":"m","prompt":[[3]]})").prompt) == Tokens{3});
  CHECK(std::get<std::string>(completion(R"({"model":"m","prompt":["a"]})").prompt) == "a");
  // Not a token of any vocabulary, and not another one because the number was cut.
  CHECK(std::get<Tokens>(completion(R"({"model":"m","prompt":[4294967297]})").prompt) == Tokens{0xFFFFFFFF});
  for (const char* const prompt :
       {R"(["a","b"])", "[]", "[[]]", "[[[1]]]", "[-1]", "[1.5]", "5", "{}", R"([1,"a"])"})
    CHECK(refused(completion, R"({"model":"m","prompt":)" + std::string(prompt) + "}") == "prompt");
}

TEST_CASE("a conversation") {
  const TextRequest request = chat(
      R"({"model":"m","messages":[{"role":"developer","content":"Be brief."},{"role":"user","content":)"
      R"([{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"role":"assistant","content":"c"}]})");
  const auto& said = std::get<TextRequest::Conversation>(request.prompt);
  REQUIRE(said.size() == 3);
  CHECK(said[0].role == "system");
  CHECK(said[0].text == "Be brief.");
  CHECK(said[1].role == "user");
  CHECK(said[1].text == "ab");
  CHECK(said[2].role == "assistant");
  CHECK(!request.most);
  CHECK(chat(talk(R"(,"max_completion_tokens":5,"max_tokens":5)")).most == 5);
  CHECK(refused(chat, talk(R"(,"max_completion_tokens":5,"max_tokens":6)")) == "max_tokens");
}

TEST_CASE("what is wrong is named") {
  CHECK(refused(completion, R"({"prompt":"Hi"})") == "model");
  CHECK(refused(completion, R"({"model":5})") == "model");
  for (const auto& [more, parameter] : std::vector<std::pair<std::string, std::string>>{
           {R"(,"max_tokens":0)", "max_tokens"},
           {R"(,"max_tokens":-1)", "max_tokens"},
           {R"(,"max_tokens":1.5)", "max_tokens"},
           {R"(,"max_tokens":"5")", "max_tokens"},
           {R"(,"max_tokens":18446744073709551615)", "max_tokens"},
           {R"(,"temperature":2.1)", "temperature"},
           {R"(,"temperature":-0.1)", "temperature"},
           {R"(,"temperature":0.0000001)", "temperature"},
           {R"(,"temperature":true)", "temperature"},
           {R"(,"top_p":1.1)", "top_p"},
           {R"(,"top_k":-1)", "top_k"},
           {R"(,"top_k":4294967296)", "top_k"},
           {R"(,"seed":0.5)", "seed"},
           {R"(,"stop":"")", "stop"},
           {R"(,"stop":["a","b","c","d","e"])", "stop"},
           {R"(,"stop":[5])", "stop"},
           {R"(,"stream":"yes")", "stream"},
           {R"(,"stream_options":{"include_usage":true})", "stream_options"},
           {R"(,"stream":true,"stream_options":5)", "stream_options"},
           {R"(,"stream":true,"stream_options":{"x":1})", "stream_options.x"},
           {R"(,"n":2)", "n"},
           {R"(,"best_of":2)", "best_of"},
           {R"(,"echo":true)", "echo"},
           {R"(,"logprobs":1)", "logprobs"},
           {R"(,"suffix":"x")", "suffix"},
           {R"(,"logit_bias":{"5":1})", "logit_bias"},
           {R"(,"frequency_penalty":2.5)", "frequency_penalty"},
           {R"(,"presence_penalty":"1")", "presence_penalty"},
           {R"(,"repetition_penalty":0)", "repetition_penalty"},
           {R"(,"messages":[])", "messages"},
           {R"(,"no such":1)", "no such"},
       }) {
    const std::string& name = parameter;
    CAPTURE(name);
    CHECK(refused(completion, with(more)) == name);
  }
  for (const auto& [more, parameter] : std::vector<std::pair<std::string, std::string>>{
           {R"(,"tools":[{}])", "tools"},
           {R"(,"tool_choice":"required")", "tool_choice"},
           {R"(,"response_format":{"type":"json_object"})", "response_format"},
           {R"(,"logprobs":true)", "logprobs"},
           {R"(,"modalities":["audio"])", "modalities"},
           {R"(,"prompt":"Hi")", "prompt"},
       }) {
    const std::string& name = parameter;
    CAPTURE(name);
    CHECK(refused(chat, talk(more)) == name);
  }
  CHECK(refused(
            chat,
            talk(R"(,"tools":[],"tool_choice":"auto","response_format":{"type":"text"},"logprobs":false)")) ==
        "-");
}

TEST_CASE("messages that are none") {
  const auto message = [](const std::string& one) { return R"({"model":"m","messages":[)" + one + "]}"; };
  CHECK(refused(chat, R"({"model":"m"})") == "messages");
  CHECK(refused(chat, R"({"model":"m","messages":"Hi"})") == "messages");
  CHECK(refused(chat, message("")) == "messages");
  CHECK(refused(chat, message("5")) == "messages[0]");
  CHECK(refused(chat, message(R"({"content":"a"})")) == "messages[0].role");
  CHECK(refused(chat, message(R"({"role":"tool","content":"a"})")) == "messages[0].role");
  CHECK(refused(chat, message(R"({"role":"user"})")) == "messages[0].content");
  CHECK(refused(chat, message(R"({"role":"user","content":null})")) == "messages[0].content");
  CHECK(refused(chat, message(R"({"role":"user","content":"a","name":"b"})")) == "messages[0].name");
  CHECK(refused(chat, message(R"({"role":"user","content":[{"type":"image_url","image_url":{}}]})")) ==
        "messages[0].content[0].type");
  CHECK(refused(chat, message(R"({"role":"user","content":["a"]})")) == "messages[0].content[0]");
}

TEST_CASE("bodies that are no JSON object") {
  for (const char* const body : {"", "{", "[]", "5", "\"a\"", "null", "{\"model\":\"\xff\"}",
                                 "{\"model\":\"\xc3\"}", "{\"model\":1e999}", "{} {}", "{\"a\":NaN}"}) {
    CAPTURE(body);
    CHECK(refused(completion, body) == "");
  }
  CHECK(refused(completion, std::string(100'000, '[')) == "");
  CHECK(refused(completion, with(R"(,"x":)" + std::string(40, '[') + std::string(40, ']'))) == "");
}

TEST_CASE("a value of the wrong kind is shown") {
  CHECK_THROWS_WITH(completion(with(R"(,"max_tokens":4.5)")), "'max_tokens' must be an integer, not 4.5");
  CHECK_THROWS_WITH(completion(with(R"(,"max_tokens":0)")), "'max_tokens' must be from 1 to 16777216, not 0");
  CHECK_THROWS_WITH(completion(with(R"(,"stream":[1])")), "'stream' must be true or false, not an array");
  CHECK_THROWS_WITH(completion("[]"), "the body must be a JSON object, not an array");
}

TEST_CASE("invalid JSON is named by its place") {
  const auto said = [](const std::string& text) -> std::string {
    try {
      http::parse_json(text);
    } catch (const http::Problem& problem) {
      return problem.what();
    }
    return "";
  };
  CHECK(said(R"({"model": "m", "prompt": "Once")") == "invalid JSON at line 1, column 32");
  CHECK(said("{\n  \"model\": \"m\",\n  prompt\n}") == "invalid JSON at line 3, column 3");
  CHECK(said("") == "invalid JSON at line 1, column 1");
  CHECK(said("{\n  \"model\": \"m\n\"}") == "invalid JSON at line 2, column 14");
  CHECK(said(R"({"model": 1e999})") == "invalid JSON: a number is out of range");
}

TEST_CASE("a large body takes no time that grows with its square") {
  std::string body = "{";
  for (int i = 0; i < 60'000; ++i) body += fmt::format("\"{}\":0,", i);
  CHECK(refused(completion, body + R"("model":"m"})") != "-");
}

TEST_CASE("many objects take no time that grows with the square of their number") {
  std::string body = R"({"model": "m", "prompt": "x", "stop": [{})";
  for (unsigned i = 0; i < 100'000; ++i) body += ",{}";
  CHECK_THROWS_WITH(http::parse_json(body + "]}"), "the JSON has more than 4096 objects");
}

// Valid requests, damaged: each is taken or refused with a status of 400, and nothing else happens. With
// sanitizers.
TEST_CASE("damaged requests") {
  std::mt19937_64 random(test_seed());
  const std::vector<std::string> samples = {
      with(R"(,"max_tokens":3,"temperature":0.5,"top_p":0.5,"seed":-1,"stop":["a","b"],"stream":true)"),
      talk(R"(,"stream":true,"stream_options":{"include_usage":true},"max_completion_tokens":9,"tools":[])"),
      R"({"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"\ud83d\ude00"}]}]})",
      R"({"model":"m","prompt":[[1,2,3]]})"};
  const std::string pieces = "{}[]\",:0123456789.eE-+truefalsn \\u\xff\x80";
  size_t taken = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string body = samples[random() % samples.size()];
    for (uint64_t count = 1 + random() % 3; count > 0; --count) {
      const size_t at = random() % body.size();
      switch (random() % 4) {
        case 0:
          body[at] = pieces[random() % pieces.size()];
          break;
        case 1:
          body.erase(at, 1 + random() % 5);
          break;
        case 2:
          body.insert(at, 1, pieces[random() % pieces.size()]);
          break;
        default:
          body.insert(at, body.substr(random() % body.size(), random() % 20));
      }
      if (body.empty()) body = "{";
    }
    for (const auto& read : {completion, chat}) {
      try {
        read(body);
        ++taken;
      } catch (const http::Problem& problem) {
        CHECK(problem.status == 400);
        CHECK(!http::text_of(http::to_json(problem)).empty());
      }
    }
  }
  CHECK(taken > 20);
}
