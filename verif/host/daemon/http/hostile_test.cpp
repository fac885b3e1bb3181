// SPDX-License-Identifier: Apache-2.0
// Clients that do harm, intended or not: they leave, are silent, fill the memory, or send invalid requests.
#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>

#include "verif/host/daemon/http/rig.hpp"

using namespace swai;
using namespace swai::http_test;
using namespace std::chrono_literals;

namespace {

const std::string kText = post("/v1/completions", R"({"model":"m","prompt":"Hi"})");
const std::string kModels = get("/v1/models");

std::string sound(size_t bytes, const std::string& prompt = "") {
  const std::string file(bytes, 'x');
  return form({{"model", "s"}, {"prompt", prompt}}, &file);
}

// No connection is closed by a timeout.
http::Service::Options patient() {
  http::Service::Options options;
  options.server.head = options.server.time = 1h;
  return options;
}

}  // namespace

TEST_CASE("connections of 200 clients that leave while they wait are freed") {
  const Rig rig(patient());
  const size_t before = descriptors();
  Client first(rig.port());
  first.send(kText);
  rig.model->wait_for_begun(1);
  for (unsigned i = 0; i < 200; ++i) {
    Client leaves(rig.port());
    leaves.send(i % 2 == 0 ? kText : sound(100'000));
    leaves.wait_until_read();
  }
  CHECK(rig.ask(kModels).status == 200);
  wait_for_descriptors(before + 2);
  rig.model->will_say({"one", PlayedModel::kEnd});
  CHECK(first.answer().json()["choices"][0]["text"] == "one");
  CHECK(rig.ask(sound(10)).status == 200);
  first.close();
  wait_for_descriptors(before);
}

TEST_CASE("an exchange that is dropped without an answer ends its connection") {
  const http::ListeningSocket socket("0");
  const http::Server server(socket, {[](const http::Request&) { return size_t{100}; }, [](const auto&) {}},
                            patient().server);
  const auto port = static_cast<uint16_t>(std::stoul(socket.name().substr(socket.name().rfind(':') + 1)));
  CHECK(Client(port).ask(kModels).status == 503);
}

TEST_CASE("300 clients that leave in the middle of a request hold no place") {
  const Rig rig(patient());
  const size_t before = descriptors();
  const std::string upload = sound(1000);
  for (unsigned i = 0; i < 300; ++i) {
    Client leaves(rig.port());
    leaves.send(i % 3 == 0   ? "G"
                : i % 3 == 1 ? kText.substr(0, kText.size() - 1)
                             : upload.substr(0, upload.size() - 1));
  }
  CHECK(rig.ask(kModels).status == 200);
  wait_for_descriptors(before);
}

TEST_CASE(
    "a client that has sent its request and closed its end for sending receives a list, and the connection "
    "ends") {
  const Rig rig(patient());
  const size_t before = descriptors();
  for (const std::string& request : {kModels, kModels + kModels}) {
    Client client(rig.port());
    client.send(request);
    client.end_of_sending();
    CHECK(client.answer().status == 200);
    wait_for_descriptors(before + 1);
  }
}

TEST_CASE("the oldest silent connection is closed for a new request") {
  http::Service::Options options = patient();
  options.server.connections = 8;
  const Rig rig(options);
  const std::string upload = sound(1000);
  Client uploads(rig.port());
  uploads.send(upload.substr(0, upload.size() - 1));
  uploads.wait_until_read();
  std::deque<Client> silent;
  for (unsigned i = 0; i < 100; ++i) silent.emplace_back(rig.port()).send(i % 2 == 0 ? "" : "GET /v1");
  CHECK(rig.ask(kModels).status == 200);
  CHECK(silent.front().all().empty());
  CHECK_FALSE(silent.back().has_come());
  // A connection with a whole head is kept longer.
  uploads.send(upload.substr(upload.size() - 1));
  CHECK(uploads.answer().status == 200);
  // If all are uploads, the oldest of these is closed.
  std::deque<Client> slow;
  for (unsigned i = 0; i < 20; ++i) slow.emplace_back(rig.port()).send(upload.substr(0, upload.size() - 1));
  slow.back().wait_until_read();
  CHECK(rig.ask(kModels).status == 200);
  CHECK(slow.front().all().empty());
}

TEST_CASE("a head has its own time, however slowly it comes") {
  http::Service::Options options = patient();
  options.server.head = 1s;
  const Rig rig(options);
  const auto drips = [](Client& client, const std::string& begin) {
    client.send(begin);
    for (unsigned i = 0; i < 3000 && !client.has_come() && client.send("x"); ++i)
      std::this_thread::sleep_for(20ms);
    REQUIRE(client.has_come());
    CHECK(client.all().empty());
  };
  Client silent(rig.port());
  // A connection between two requests may rest, but its next head may not. (A busy machine may need more than
  // a second to send the first one.)
  std::optional<Client> again;
  do again.emplace(rig.port());
  while (again->ask(kModels).status != 200);
  CHECK(silent.all().empty());
  Client slow(rig.port());
  drips(slow, "GET /v1/models HTTP/1.1\r\nX: ");
  CHECK_FALSE(again->has_come());
  drips(*again, "G");
}

TEST_CASE("bodies share a budget: the oldest incomplete one is refused") {
  http::Service::Options options = patient();
  options.server.body_bytes = 3 << 20;
  const Rig rig(options);
  const std::string large = sound(2 << 20);
  Client slow(rig.port());
  slow.send(large.substr(0, large.size() - 1));
  slow.wait_until_read();
  CHECK(rig.ask(large).status == 200);
  const Answered refused = slow.ask(large.substr(large.size() - 1));
  CHECK(refused.status == 503);
  CHECK(refused.head.find("Retry-After: ") != std::string::npos);
  CHECK(refused.json()["error"]["message"].get<std::string>().find("3 MiB") != std::string::npos);
  // The connection continues, and its memory is free.
  CHECK(slow.ask(large).status == 200);
}

TEST_CASE("memory of refused and abandoned requests returns to the system") {
  const auto resident = [] {
    size_t all = 0, pages = 0;
    std::ifstream("/proc/self/statm") >> all >> pages;
    return pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  };
  http::Service::Options options = patient();
  options.server.body_bytes = 16 << 20;
  const Rig rig(options);
  constexpr size_t kBytes = 6 << 20;
  const std::string upload = sound(kBytes);
  std::string(2 * kBytes, 'x');  // from now on malloc keeps blocks of this size
  std::deque<Client> clients;
  const size_t head = upload.find("\r\n\r\n") + 4;
  for (unsigned i = 0; i < 30; ++i) {
    clients.emplace_back(rig.port()).send(upload.substr(0, head));
    clients.back().wait_until_read();
  }
  const size_t before = resident();
  for (Client& client : clients) {
    client.send(std::string_view(upload).substr(head, upload.size() - head - 1));
    client.wait_until_read();
  }
  CHECK(resident() < before + (64 << 20));
}

TEST_CASE("bodies that are worked on or wait count, until their clients go") {
  http::Service::Options options = patient();
  options.server.body_bytes = 3 << 20;
  const Rig rig(options);
  Client works(rig.port());
  works.send(sound(1 << 20, "wait"));
  rig.speech->begun.acquire();
  const size_t before = descriptors();
  Client waits(rig.port());
  waits.send(sound(1 << 20));
  waits.wait_until_read();
  const std::string large = sound(3 << 19);
  CHECK(rig.ask(large).status == 503);
  waits.close();
  wait_for_descriptors(before);
  Client next(rig.port());
  next.send(large);
  next.wait_until_read();
  works.close();
  rig.speech->ended.acquire();
  CHECK(next.answer().status == 200);
}

TEST_CASE("hosts that are not this machine, and none") {
  const Rig rig;
  const auto status = [&](const std::string& headers) {
    return rig.ask("GET /v1/models HTTP/1.1\r\n" + headers + "\r\n").status;
  };
  for (const char* const own : {"localhost", "localhost:8080", "127.0.0.1:1", "[::1]", "[::1]:8080"})
    CHECK(status(fmt::format("Host: {}\r\n", own)) == 200);
  for (const char* const other :
       {"[::1", "[", "[::1]evil", "[::1]:x", "localhost:8080x", "localhost.evil", "evil:80", ":80", ""}) {
    CAPTURE(other);
    CHECK(status(fmt::format("Host: {}\r\n", other)) == 403);
  }
  CHECK(status("") == 400);
  CHECK(status("Host: localhost\r\nHost: localhost\r\n") == 400);
}

TEST_CASE("requests whose end other servers would see elsewhere") {
  const Rig rig(patient());
  const std::string hidden = "GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const auto refused = [&](const std::string& headers, int status) {
    CAPTURE(headers);
    Client client(rig.port());
    client.send("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
                headers + "\r\n");
    const Answered answered = client.answer();
    CHECK(answered.status == status);
    CHECK(answered.json()["error"]["message"].is_string());
    // The connection ends: the next bytes are not a request.
    client.send(hidden);
    CHECK(client.all().empty());
  };
  refused("Content-Length: 5\r\nContent-Length: 50\r\n", 400);
  refused("Content-Length: 0\r\nContent-Length: 0\r\n", 400);
  refused("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400);
  refused("Content-Length : 5\r\n", 400);
  refused("Transfer-Encoding: gzip\r\n", 501);
  refused("Transfer-Encoding: gzip, chunked\r\n", 501);
  refused("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 501);
}

TEST_CASE("a body that is refused is not read without end") {
  const Rig rig(patient());
  const std::string head =
      "POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: "
      "chunked\r\n\r\n";
  const std::string chunk = "100000\r\n" + std::string(1 << 20, ' ') + "\r\n";
  Client endless(rig.port());
  endless.send(head);
  unsigned sent = 0;
  while (sent < 300 && endless.send(chunk)) ++sent;
  CHECK(sent < 300);
  // A body that ends is answered.
  Client client(rig.port());
  CHECK(client.ask(head + chunk + "0\r\n\r\n").status == 404);
  CHECK(client.ask(kModels).status == 200);
}
