// SPDX-License-Identifier: Apache-2.0
// Clients of a shared card that is lost, or cannot be served any more for another reason.
#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <semaphore>
#include <string>

#include "host/daemon/cards/card_server.hpp"
#include "verif/host/runtime/fake_card.hpp"
#include "verif/kit/folder.hpp"

namespace swai::serve {
namespace {

using common::Folder;

// A fake card behind a daemon's socket, and two of its clients.
struct Rig {
  explicit Rig(const sdaa::FakeOptions& card) {
    const std::string socket = folder.path / "card0";
    server = std::make_unique<CardServer>(std::make_unique<link::Card>(sdaa::make_fake_card(card)),
                                          CardServer::Options{.socket = socket, .log = [](const auto&) {}},
                                          [this] { ended.release(); });
    for (auto& client : clients) client = link::Card::open(socket);
  }
  // A client's call that waits for an answer, or for the card's time.
  template <typename Call>
  static void check_lost(const Call& call) {
    try {
      call();
      FAIL("the client still has a card");
    } catch (const link::Error& error) {
      CHECK(error.kind() == link::ErrorKind::kLost);
    }
  }
  // All clients are notified at once, no new one is accepted, and the daemon receives the reason.
  void check_end(const std::string& why) {
    check_lost([this] { clients[1]->cycle(); });
    ended.acquire();
    CHECK(server->failure() == why);
    CHECK_THROWS_AS(link::Card::open(server->socket(), {.connect_timeout = link::Milliseconds{0}}),
                    link::Error);
  }

  const Folder folder;
  std::binary_semaphore ended{0};
  std::unique_ptr<CardServer> server;
  std::array<std::unique_ptr<link::Card>, 2> clients;
};

// The failure occurs while one client waits for the card's time.
void check_end_in_a_run(const std::function<void(uint64_t)>& fails, const std::string& why) {
  Rig rig({.on_run = fails});
  Rig::check_lost([&] { rig.clients[0]->run_until(1, 1'000'000); });
  rig.check_end(why);
}

TEST_CASE("a card that is lost while a client computes: all its clients lose it at once") {
  check_end_in_a_run([](uint64_t) { throw link::Error(link::ErrorKind::kLost, "the card is gone"); },
                     "the card is gone");
}

TEST_CASE(
    "memory that runs out in the daemon takes the card from its clients, and keeps none of them waiting") {
  check_end_in_a_run([](uint64_t) { throw std::bad_alloc(); }, std::bad_alloc().what());
}

// A connection that goes quiet: requests to the card fail once `lost` is set; its descriptor signals when
// `output` is closed.
struct Connection {
  Connection() {
    std::array<int, 2> ends = {-1, -1};
    REQUIRE(::pipe(ends.data()) == 0);
    input.reset(ends[0]);
    output.reset(ends[1]);
  }
  sdaa::FakeOptions card() {
    return {.lost = [this] { return lost.load(); }, .connection = input.get()};
  }
  link::Fd input;
  link::Fd output;
  std::atomic<bool> lost = false;
};

void wait_for_the_end(link::Card& client) {
  Rig::check_lost([&] { client.backend().wait({}, std::chrono::hours(1)); });
}

TEST_CASE("a card that is lost while no client asks anything of it is noticed at once") {
  Connection connection;
  Rig rig(connection.card());
  connection.lost = true;
  connection.output = {};
  wait_for_the_end(*rig.clients[0]);
  rig.check_end("the card is gone");
}

TEST_CASE("a card whose loss is first seen when a client gives memory back is noticed, too") {
  Connection connection;
  Rig rig(connection.card());
  auto memory = rig.clients[0]->pin(4096, 4096);
  connection.lost = true;
  memory.release();
  wait_for_the_end(*rig.clients[1]);
}

}  // namespace
}  // namespace swai::serve
