// SPDX-License-Identifier: Apache-2.0
// A language model on a card whose memory is too short for one more text.
#include <doctest/doctest.h>

#include <fstream>
#include <functional>
#include <iterator>

#include "host/daemon/http/card_text_model.hpp"
#include "host/daemon/http/http_answer.hpp"
#include "host/models/text/open_model.hpp"
#include "host/runtime/runtime.hpp"
#include "verif/host/daemon/http/asks.hpp"
#include "verif/system/rig.hpp"

namespace {

using namespace swai;
using http::Json;
using http_test::Asks;

constexpr uint32_t kRoom = 250;

std::vector<uint8_t> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A card that nobody has used: one that gave all its memory to a client before has to clear it, which takes a
// minute.
class OwnCard {
 public:
  OwnCard() {
    swai::sdaa::Runtime::get().use({[this] { return rig_.open(); }});
    swai::sdaa::Runtime::current_number() = 0;
  }
  ~OwnCard() { swai::sdaa::Runtime::get().use({}); }
  OwnCard(const OwnCard&) = delete;
  OwnCard& operator=(const OwnCard&) = delete;

 private:
  swai::system::Rig rig_;
};

// All that the card has.
std::vector<walk::CardMemory> take_memory() {
  constexpr size_t kLeast = 4096;
  size_t bytes = 0;
  size_t total = 0;
  REQUIRE(sdaaMemGetInfo(&bytes, &total) == sdaaSuccess);
  std::vector<walk::CardMemory> taken;
  while (bytes >= kLeast) {
    try {
      taken.emplace_back("all", bytes);
    } catch (const walk::CardError&) {
      bytes /= 2;
    }
  }
  return taken;
}

// A text of so many tokens at most.
struct Wanted {
  Wanted(models::Token token, uint64_t most) {
    http::TextRequest request;
    request.model = "m";
    request.prompt = http::TextRequest::Tokens{token};
    request.most = most;
    answer = std::make_shared<http::HttpAnswer>(client.to_answer(), request, "1", 0);
  }
  int status() const { return client.exchange->first_answer()->status; }
  Json said() const { return Json::parse(client.exchange->first_answer()->body); }

  Asks client;
  std::shared_ptr<http::TextAnswer> answer;
};

class OnModel {
 public:
  OnModel()
      : walker_("operators", contents("build/cpe-kernels/operators.elf")),
        decoder_("decode", contents("build/programs/decode.elf"), walker_),
        model_(
            std::make_unique<http::TextFile>(generate::open_card_model("models/stories260K/stories260K.bin",
                                                                       "", generate::Precision::kFp32),
                                             kRoom),
            walker_, decoder_) {
    alone(1, 1);  // what the program needs for itself is there from now on
  }

  // `comes` is told before a text begins, or would: the first is being written when the second does.
  void write(const std::vector<const Wanted*>& texts, const std::function<void(size_t number)>& comes) {
    size_t next = 0;
    model_.answer({.any = [&] { return next < texts.size(); },
                   .next = [&]() -> std::shared_ptr<http::TextAnswer> {
                     if (next == texts.size()) return nullptr;
                     comes(next);
                     return texts[next++]->answer;
                   }});
  }
  Json alone(models::Token token, uint64_t most) {
    const Wanted wanted(token, most);
    write({&wanted}, [](size_t) {});
    return wanted.said();
  }

 private:
  walk::Walker walker_;
  walk::Decoder decoder_;
  http::CardTextModel model_;
};

}  // namespace

TEST_CASE("a text for which the card has no memory waits until another one ends") {
  const OwnCard card;
  OnModel model;
  std::vector<walk::CardMemory> taken;
  const Wanted one(3, kRoom), other(5, kRoom);
  model.write({&one, &other}, [&](size_t number) {
    if (number == 0) return;
    CHECK(!one.client.exchange->is_over());
    taken = take_memory();
  });
  REQUIRE(one.status() == 200);
  REQUIRE(other.status() == 200);
  taken.clear();
  CHECK(one.said() == model.alone(3, kRoom));
  CHECK(other.said() == model.alone(5, kRoom));
}

TEST_CASE("who waits for memory and goes keeps nobody waiting") {
  const OwnCard card;
  OnModel model;
  std::vector<walk::CardMemory> taken;
  const Wanted one(3, kRoom), third(7, 20);
  Wanted gone(5, kRoom);
  model.write({&one, &gone, &third}, [&](size_t number) {
    if (number == 0) return;
    CHECK(!one.client.exchange->is_over());
    if (number == 1) {
      taken = take_memory();
      gone.client.go();
    }
  });
  CHECK(!gone.client.exchange->is_over());
  // The model has dropped the exchange, so its connection ends with this last pointer.
  gone.answer.reset();
  CHECK(gone.client.exchange->is_over());
  REQUIRE(third.status() == 200);
  taken.clear();
  CHECK(third.said() == model.alone(7, 20));
}

TEST_CASE("texts that are refused keep nobody waiting, however many come") {
  const OwnCard card;
  OnModel model;
  const Wanted one(3, kRoom), refused(~models::Token{0}, 1);
  std::vector<const Wanted*> texts(5000, &refused);
  texts.front() = &one;
  size_t beside = 0;
  model.write(texts, [&](size_t number) {
    if (!one.client.exchange->is_over()) beside = number;
  });
  CHECK(one.said() == model.alone(3, kRoom));
  CHECK(refused.status() == 400);
  CHECK(beside <= kRoom);
}

TEST_CASE("a text that is alone and has no memory fails, and the next one has what there is") {
  const OwnCard card;
  OnModel model;
  std::vector<walk::CardMemory> taken;
  const Wanted wanted(3, kRoom);
  model.write({&wanted}, [&](size_t) { taken = take_memory(); });
  CHECK(wanted.status() == 500);
  CHECK(wanted.said()["error"]["message"].get<std::string>().find("keys and values") != std::string::npos);
  taken.clear();
  CHECK(model.alone(3, 20)["usage"]["completion_tokens"] == 20);
}
