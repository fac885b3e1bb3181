// SPDX-License-Identifier: Apache-2.0
// What the line gives to whom, and in which order.
#include "host/daemon/http/line.hpp"

#include <doctest/doctest.h>

#include <future>
#include <semaphore>

#include "host/daemon/http/http_answer.hpp"
#include "verif/host/daemon/http/asks.hpp"

namespace {

using namespace swai;
using http_test::Asks;

struct Logged : http::TextModel {
  Logged(std::string its_name, std::vector<std::string>& done) : name(std::move(its_name)), log(done) {}
  void answer(const http::WaitingTexts& waiting) override {
    std::string texts;
    while (waiting.any()) {
      const auto text = waiting.next();
      text->begin(0, 0);
      text->finish({});
      texts += " " + text->request().model;
    }
    CHECK(waiting.next() == nullptr);
    log.push_back(name + texts);
  }

  const std::string name;
  std::vector<std::string>& log;
};

}  // namespace

TEST_CASE("texts of a model that follow each other are given to it at once, and overtake nothing") {
  std::vector<std::string> log;
  Logged one("one:", log), other("other:", log);
  std::deque<Asks> asking;
  http::Line line(10);
  const auto work = [&](std::function<void()> what) {
    line.add(asking.emplace_back().to_answer(), std::move(what));
  };
  const auto text = [&](Logged& model, const std::string& name) {
    http::TextRequest request;
    request.model = name;
    const auto exchange = asking.emplace_back().to_answer();
    line.add(model, std::make_shared<http::HttpAnswer>(exchange, request, name, 0));
  };
  std::binary_semaphore all_wait(0);
  std::promise<void> last;
  work([&] { all_wait.acquire(); });
  text(one, "a");
  text(one, "gone");
  asking.back().go();
  const auto gone = asking.back().exchange;
  text(one, "b");
  work([&] { log.emplace_back("a sound"); });
  text(one, "c");
  text(other, "d");
  text(other, "e");
  text(one, "f");
  work([&] { last.set_value(); });
  all_wait.release();
  last.get_future().wait();
  CHECK(log == std::vector<std::string>{"one: a b", "a sound", "one: c", "other: d e", "one: f"});
  CHECK(gone->is_over());  // so that its connection ends
}
