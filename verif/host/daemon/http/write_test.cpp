// SPDX-License-Identifier: Apache-2.0
// Texts for programs at a daemon's control socket, with a played model.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <future>

#include "host/daemon/cards/control.hpp"
#include "host/daemon/shared/daemon_texts.hpp"
#include "host/daemon/shared/shared_text.hpp"
#include "host/models/exec/card_memory.hpp"
#include "host/transport/unix_socket.hpp"
#include "verif/host/daemon/http/rig.hpp"
#include "verif/kit/folder.hpp"

namespace {

using namespace swai;
using models::Token;
using serve::Json;
using write::SharedModel;

// Makes a token whenever the test says so; its texts take turns like those on a card.
class Played : public http::TextModel {
 public:
  static constexpr size_t kTexts = 8;

  void answer(const http::WaitingTexts& waiting) override {
    std::vector<std::shared_ptr<http::TextAnswer>> texts;
    std::vector<uint64_t> made;
    while (true) {
      while (texts.size() < kTexts) {
        auto next = waiting.next();
        if (!next) break;
        next->begin(std::get<http::TextRequest::Tokens>(next->request().prompt).size(), 100);
        texts.push_back(std::move(next));
        made.push_back(0);
      }
      written = texts.size();
      if (texts.empty()) return;
      const bool goes_on = steps.try_acquire_for(std::chrono::milliseconds(1));
      const size_t at_once = texts.size();
      for (size_t i = at_once; i-- > 0;) {
        http::TextAnswer& text = *texts[i];
        const auto& prompt = std::get<http::TextRequest::Tokens>(text.request().prompt);
        if (prompt.front() == kFails) {
          text.fail(std::runtime_error("the model is broken"));
        } else if (prompt.front() == kLosesCard) {
          text.fail(walk::CardError(sdaaErrorDeviceLost, "the card is lost"));
        } else if (!text.is_wanted()) {
          text.finish({.tokens = {}, .text = "", .end = generate::End::kHeard});
        } else if (goes_on) {
          text.hear(static_cast<Token>(prompt.front() + ++made[i]), at_once);
          if (text.say("") && made[i] < text.request().most) continue;
          text.finish({.tokens = {}, .text = "", .end = generate::End::kLimit});
        } else {
          continue;
        }
        texts.erase(texts.begin() + static_cast<ptrdiff_t>(i));
        made.erase(made.begin() + static_cast<ptrdiff_t>(i));
      }
      steps_made += goes_on;
    }
  }

  static constexpr Token kFails = 99, kLosesCard = 98;
  std::counting_semaphore<> steps{0};
  std::atomic<size_t> written = 0, steps_made = 0;
};

constexpr const char* kIdentity = "of the packed file";

struct Daemon {
  explicit Daemon(size_t waiting = 16, const serve::Control::Limits& limits = {})
      : line(waiting),
        texts({{{"m", kIdentity, 1000, 5}, &model}, {{"not packed", "", 1000, 5}, &model}}, line),
        control(path(),
                {.answer = [this](const Json&) { return texts.models(); },
                 .long_answers = {{"write", [this](const Json& request,
                                                   const auto& to) { texts.write(request, to); }}}},
                limits) {}

  std::string path() const { return folder.path / "control"; }
  SharedModel shared() const { return SharedModel::find(path(), kIdentity).value(); }
  void wait_for_written(size_t count) const {
    while (model.written != count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // All that is sent for this line, until the daemon ends it.
  std::string said(const std::string& line_of_text) const {
    const link::Fd fd = link::connect_unix(path());
    (void)link::write_all(fd.get(), line_of_text);
    std::string text(1 << 20, ' ');
    size_t bytes = 0;
    for (ssize_t got; (got = ::recv(fd.get(), text.data() + bytes, text.size() - bytes, 0)) > 0;)
      bytes += static_cast<size_t>(got);
    return text.substr(0, bytes);
  }
  std::string why_not(const Json& changes) const {
    Json request = write::request_of({.model = kIdentity, .tokens = {1}, .most = 1, .sampling = {}});
    request.update(changes);
    const std::string lines = said(link::line_of(request));
    REQUIRE(lines.ends_with('\n'));
    const size_t before = lines.rfind('\n', lines.size() - 2);
    return Json::parse(lines.substr(before == std::string::npos ? 0 : before + 1)).value("error", "");
  }

  const common::Folder folder;
  Played model;
  http::Line line;
  write::DaemonTexts texts;
  serve::Control control;
};

struct Text {
  Text(const SharedModel& model, Token first, uint64_t most)
      : written(std::async(std::launch::async, [this, &model, first, most] {
          const SharedModel::Wish wish = {.tokens = {&first, 1}, .most = most};
          return model.write({&wish, 1}, {}, {.got = [this](size_t, Token token) {
                               tokens.push_back(token);
                               return tokens.size() < enough;
                             }});
        })) {}
  std::vector<Token> tokens;
  size_t enough = 1'000'000;
  std::future<SharedModel::Taken> written;
};

std::string request(Token first, uint64_t most) {
  return link::line_of(
      write::request_of({.model = kIdentity, .tokens = {first}, .most = most, .sampling = {}}));
}

}  // namespace

TEST_CASE("a text comes token by token, and says what it took") {
  Daemon daemon;
  const SharedModel model = daemon.shared();
  CHECK(model.is().name == "m");
  CHECK(model.is().room == 1000);
  CHECK(!SharedModel::find(daemon.path(), "another"));
  CHECK(!SharedModel::find(daemon.path(), ""));
  CHECK(!SharedModel::find(daemon.path() + "x", kIdentity));
  Text one(model, 10, 3);
  daemon.wait_for_written(1);
  daemon.model.steps.release(1);
  while (daemon.model.steps_made != 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  Text other(model, 20, 2);
  daemon.wait_for_written(2);
  daemon.model.steps.release(2);
  const auto taken = one.written.get();
  CHECK(one.tokens == std::vector<Token>{11, 12, 13});
  CHECK(taken.tokens == 4);
  CHECK(taken.kv_bytes == 100);
  CHECK(taken.beside == 2);
  CHECK(other.written.get().beside == 2);
  CHECK(other.tokens == std::vector<Token>{21, 22});
}

TEST_CASE("several texts of one program, more than it may have at once") {
  Daemon daemon;
  const SharedModel model = daemon.shared();
  const std::vector<Token> prompts = [] {
    std::vector<Token> all(20);
    for (Token i = 0; i < 20; ++i) all[i] = 100 * (i + 1);
    return all;
  }();
  std::vector<SharedModel::Wish> wishes;
  for (const Token& prompt : prompts) wishes.push_back({{&prompt, 1}, 1 + prompt % 3});
  std::vector<std::vector<Token>> got(prompts.size());
  daemon.model.steps.release(1000);
  model.write(wishes, {}, {.got = [&](size_t text, Token token) {
                got[text].push_back(token);
                return true;
              }});
  for (size_t i = 0; i < prompts.size(); ++i) {
    REQUIRE(got[i].size() == wishes[i].most);
    CHECK(got[i].back() == prompts[i] + wishes[i].most);
  }
}

TEST_CASE("a conversation goes on behind all but the last token of its answers") {
  Daemon daemon;
  const SharedModel model = daemon.shared();
  std::vector<bool> waits;
  write::SharedText text(model, {}, 7, [&](bool waits_now) { waits.push_back(waits_now); });
  const auto all = [](Token) { return true; };
  daemon.model.steps.release(1000);
  text.generate(std::vector<Token>{10, 11}, 3, {}, all);
  CHECK(text.length() == 4);
  text.generate(std::vector<Token>{14}, 30, {}, all);
  CHECK(text.length() == 7);
  CHECK(text.taken().tokens == 2 + 3 + 5 + 3);
  CHECK(waits == std::vector{true, false, true, false});
  CHECK_THROWS_AS(text.generate(std::vector<Token>{17}, 1, {}, all), std::length_error);
}

TEST_CASE("who goes in the middle, or has heard enough, frees his place") {
  Daemon daemon;
  const SharedModel model = daemon.shared();
  {
    const link::Fd fd = link::connect_unix(daemon.path());
    REQUIRE(link::write_all(fd.get(), request(10, 500)));
    daemon.wait_for_written(1);
  }
  daemon.wait_for_written(0);
  Text text(model, 10, 500);
  text.enough = 1;
  daemon.wait_for_written(1);
  daemon.model.steps.release(1);
  text.written.get();
  daemon.wait_for_written(0);
  // Between request and answer, again and again.
  for (unsigned i = 0; i < 500; ++i)
    CHECK(link::write_all(link::connect_unix(daemon.path()).get(), request(10, 500)));
  daemon.wait_for_written(0);
  daemon.model.steps.release(1000);
  CHECK(Text(model, 30, 2).written.get().tokens == 3);
}

TEST_CASE("who does not read keeps nobody waiting, and can read later") {
  Daemon daemon;
  const SharedModel model = daemon.shared();
  const link::Fd slow = link::connect_unix(daemon.path());
  REQUIRE(link::write_all(slow.get(), request(10, 100'000)));
  daemon.wait_for_written(1);
  daemon.model.steps.release(110'000);
  CHECK(Text(model, 30, 50).written.get().tokens == 51);
  daemon.wait_for_written(0);
  std::string text;
  std::array<char, 65536> piece;
  for (ssize_t got; (got = ::recv(slow.get(), piece.data(), piece.size(), 0)) > 0;)
    text.append(piece.data(), static_cast<size_t>(got));
  CHECK(std::ranges::count(text, '\n') == 100'002);
  CHECK(text.ends_with("\"version\":1}\n"));
}

TEST_CASE("limits: of one program, of all, and of the line") {
  Daemon daemon(3);
  std::vector<link::Fd> fds;
  const auto ask = [&] {
    fds.push_back(link::connect_unix(daemon.path()));
    REQUIRE(link::write_all(fds.back().get(), request(10, 500)));
  };
  for (size_t i = 0; i < 8; ++i) {
    ask();
    daemon.wait_for_written(i + 1);
  }
  CHECK(daemon.said(request(10, 500)).find("8 such answers for one program") != std::string::npos);
  fds.pop_back();
  daemon.wait_for_written(7);
  daemon.model.steps.release(1);
  ask();
  daemon.wait_for_written(8);
  // Those of others are there besides.
  std::vector<std::shared_ptr<serve::Lines>> waiting;
  const auto bell = std::make_shared<serve::Lines::Bell>();
  const auto add = [&] {
    waiting.push_back(std::make_shared<serve::Lines>(bell));
    daemon.texts.write(Json::parse(request(10, 5)), waiting.back());
  };
  for (size_t i = 0; i < 3; ++i) add();
  CHECK_THROWS_WITH(add(), "the card is busy, and 3 requests wait already; try again later");
  for (const auto& one : waiting) const serve::Lines::Reader gone(one);
  // Who has gone takes no place.
  add();
  const serve::Lines::Reader gone(waiting.back());
}

TEST_CASE("limits of all programs together; who is being answered is not the one who goes") {
  Daemon daemon(16, {.connections = 4, .answers = 2});
  std::vector<link::Fd> fds;
  for (size_t i = 0; i < 2; ++i) {
    fds.push_back(link::connect_unix(daemon.path()));
    REQUIRE(link::write_all(fds.back().get(), request(10, 500)));
    daemon.wait_for_written(i + 1);
  }
  CHECK(daemon.said(request(10, 500)).find("2 such answers at once") != std::string::npos);
  std::vector<link::Fd> silent;
  for (size_t i = 0; i < 10; ++i) silent.push_back(link::connect_unix(daemon.path()));
  CHECK(daemon.shared().is().name == "m");
  CHECK(daemon.model.written == 2);
}

TEST_CASE("a text that finds the daemon busy is written when there is a place") {
  Daemon daemon(16, {.answers = 2});
  std::vector<link::Fd> fds;
  for (size_t i = 0; i < 2; ++i) {
    fds.push_back(link::connect_unix(daemon.path()));
    REQUIRE(link::write_all(fds.back().get(), request(10, 500)));
    daemon.wait_for_written(i + 1);
  }
  const SharedModel model = daemon.shared();
  Text text(model, 20, 3);
  CHECK(text.written.wait_for(std::chrono::milliseconds(250)) == std::future_status::timeout);
  fds.pop_back();
  daemon.wait_for_written(1);
  daemon.wait_for_written(2);
  daemon.model.steps.release(3);
  CHECK(text.written.get().tokens == 4);
  CHECK(text.tokens == std::vector<Token>{21, 22, 23});
}

TEST_CASE("what is wrong with a text is said") {
  Daemon daemon;
  daemon.model.steps.release(1000);
  CHECK(daemon.why_not(Json::object()).empty());
  const auto refuses = [&](const Json& changes, const std::string& why) {
    CAPTURE(changes.dump());
    CHECK(daemon.why_not(changes).find(why) != std::string::npos);
  };
  refuses({{"model", "another"}}, "no model with this identity");
  refuses({{"model", ""}}, "no model with this identity");
  refuses({{"model", nullptr}}, "no 'model'");
  refuses({{"model", 5}}, "'model' must be a string");
  refuses({{"tokens", Json::array()}}, "'tokens' must be");
  refuses({{"tokens", "text"}}, "'tokens' must be");
  for (const char* token : {"-1", "1.5", "4294967296", "18446744073709551616", "null", "[1]", "\"1\""})
    refuses({{"tokens", {1, Json::parse(token)}}}, "'tokens' must be");
  for (const char* most : {"0", "-1", "1.5", "16777217", "\"1\"", "null"})
    refuses({{"most", Json::parse(most)}}, "'most'");
  refuses({{"temperature", -1}}, "'temperature'");
  refuses({{"temperature", 1e30}}, "'temperature'");
  refuses({{"temperature", 1e-30}}, "'temperature'");
  refuses({{"top_p", 0}}, "'top_p'");
  refuses({{"top_k", -1}}, "'top_k'");
  refuses({{"seed", -1}}, "'seed'");
  refuses({{"repetition", 0}}, "'repetition'");
  refuses({{"frequency", -1025}}, "'frequency'");
  refuses({{"presence", 1e300}}, "'presence'");
  refuses({{"stop", "x"}}, "unknown parameter 'stop'");
  refuses({{"tokens", {Played::kFails}}}, "the model is broken");
  for (const std::string garbage : {"{\"version\":1,\"command\":\"write\",\"temperature\":NaN}\n",
                                    "{\"version\":1,\"command\":\"write\",\"temperature\":1e999}\n"})
    CHECK(daemon.said(garbage).find("error") != std::string::npos);
  std::string names = R"({"version":1)";
  for (unsigned i = 0; i < 20'000; ++i) names += fmt::format(R"(,"{}":1)", i);
  CHECK(daemon.said(names + "}\n").find("256 names") != std::string::npos);
  std::string objects = R"({"version":1,"x":[{})";
  for (unsigned i = 0; i < 80'000; ++i) objects += ",{}";
  CHECK(daemon.said(objects + "]}\n").find("256 names and objects") != std::string::npos);
  const std::string deep = R"({"version":1,"command":"write","x":)" + std::string(100'000, '[');
  CHECK(daemon.said(deep + std::string(100'000, ']') + "}\n").find("32 levels") != std::string::npos);
  CHECK(daemon.shared().is().name == "m");
}

TEST_CASE("a card that fails is told from all else that is wrong") {
  Daemon daemon;
  const SharedModel model = daemon.shared();
  try {
    Text(model, Played::kLosesCard, 1).written.get();
    FAIL("no error");
  } catch (const walk::CardError& error) {
    CHECK(error.error() == sdaaErrorDeviceLost);
    CHECK(error.what() == std::string("the card is lost"));
  }
  CHECK_THROWS_WITH_AS(Text(model, Played::kFails, 1).written.get(), "the model is broken",
                       std::runtime_error);
}

TEST_CASE("the daemon's end, in the middle of texts") {
  auto daemon = std::make_unique<Daemon>();
  const SharedModel model = daemon->shared();
  Text text(model, 10, 500);
  daemon->wait_for_written(1);
  daemon.reset();
  CHECK_THROWS_AS(text.written.get(), link::Unreachable);
}

TEST_CASE("what a daemon says that is none") {
  const common::Folder folder;
  const std::string path = folder.path / "control";
  std::string says;
  const serve::Control control(
      path, {.answer = [&](const Json&) { return Json::parse(says); },
             .long_answers = {{"write", [&](const Json&, const auto& to) { to->end(Json::parse(says)); }}}});
  for (const char* const one :
       {"{}", R"({"models": 1})", R"({"models": [1]})", R"({"models": [{"name": 1}]})"}) {
    says = one;
    CHECK(!SharedModel::find(path, kIdentity));
  }
  says = R"({"models": [{"name": "m", "identity": "of the packed file", "room": 9, "weight_bytes": 1}]})";
  const SharedModel model = SharedModel::find(path, kIdentity).value();
  const Token first = 1;
  const SharedModel::Wish wish = {.tokens = {&first, 1}, .most = 1};
  for (const char* const one :
       {"{}", R"({"token": "x"})", R"({"begins": -1.5})", R"({"error": "x", "card_error": -1})",
        R"({"error": "x", "card_error": 0})", R"({"error": "x", "card_error": 100000})"}) {
    says = one;
    CHECK_THROWS_AS(model.write({&wish, 1}, {}, {.got = [](size_t, Token) { return true; }}),
                    link::Unreachable);
  }
}
